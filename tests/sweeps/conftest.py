"""A small sweep, trained once for all tests of sweeps."""

import pytest

from symshift.sweeps.run import main
from tests.helpers.sweeps import command, contents, written


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """What the small sweep leaves when nothing happens to it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert main(command(written(folder), folder / "outputs")) == 0
    return contents(folder / "outputs")
