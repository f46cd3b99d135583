"""One run that every test of the command line may ask."""

import contextlib
import io

import pytest

from symshift.cli import main

QUICK = ["updates=20", "evaluate_every=10", "batch=8", "--source", "generated", "--examples", "100", "--device", "cpu"]


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The folder of a small run of stpr-sm, and what the command that trained it printed."""
    outputs, out = tmp_path_factory.mktemp("outputs"), io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["train", "stpr-sm", *QUICK, "--seeds", "2", "--outputs", str(outputs)]) == 0
    return outputs, out.getvalue()
