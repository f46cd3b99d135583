"""A small form of `make torture`: one trial of each fault, a few inputs for each reader."""

import pytest

from tests.torture.faults import FAULTS
from tests.torture.fuzz import fuzz
from tests.torture.readers import NAMES, readers
from tests.torture.trainings import Tally


@pytest.mark.parametrize("fault", FAULTS)
def test_training_survives(fault):
    tally = Tally()
    FAULTS[fault][0](tally, 0)
    assert tally.tried > 0, "no fault was injected"
    assert tally.bad == 0, tally


@pytest.mark.filterwarnings("ignore::symshift.errors.InputWarning")
@pytest.mark.parametrize("name", NAMES)
def test_reader_answers_damage_in_one_line(name):
    counts = fuzz(name, readers()[name], inputs=25, number=1)
    assert counts.inputs >= 25
    assert counts.bad == 0, counts


def test_every_reader_has_a_test():
    assert set(NAMES) == set(readers())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "official archive"])
def test_reader_takes_good_files(name, tmp_path):
    """The archive alone holds stories that are not the official ones."""
    reader = readers()[name]
    for content in reader.seeds:
        for file, text in (*reader.beside, (reader.file, content)):
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_bytes(text)
        reader.read(tmp_path)
