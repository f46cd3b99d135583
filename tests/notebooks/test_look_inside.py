"""08_analysis looks into the run that is asked for, and says at once what is wrong with one that is not there."""

from types import ModuleType

import pytest

from symshift import train
from symshift.results.internals.tables import KEYS, SYMBOLS
from tests.helpers.opened import opened, refused
from tests.helpers.small import config

SMALL = {"source": "generated", "updates": 2, "names": 3}
QUICK = {"updates": 2, "evaluate_every": 2, "batch": 8, "restart_at": 0, "examples": 20, "source": "generated"}


def start(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after its imports, its parameters, its configs and the runs of its sections."""
    return opened("08_analysis", 5, monkeypatch, **parameters)


def test_the_run_asked_for_is_taken_where_it_has_the_part(monkeypatch, tmp_path):
    (run,) = train(config("tpr", task=6, **QUICK), [0], str(tmp_path), "cpu")
    module = start(monkeypatch, run=run, outputs=str(tmp_path), **SMALL)
    assert module.section_runs[KEYS] == {"tpr": run}
    assert set(module.other_runs) == set(module.section_runs[SYMBOLS]) == {"smn", "stpr", "gstpr"}
    other = module.section_runs[SYMBOLS]["gstpr"]
    record = module.store.record(other)["config"]
    assert (record["model"], record["task"], module.other_runs["gstpr"]) == ("gstpr", 6, other)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"run": "nothing"}, "run 'nothing' is no id; an id is 12 hex digits"),
        ({"runs": "a"}, "parameter 'runs' is unknown to this notebook; did you mean 'run'?"),
        ({"names": 0}, "count 0: a number of people from 1 to"),
        ({"stages": 3}, "stages is 3; it wants a list of whole numbers"),
        ({"stages": [0]}, "stages has 0; numbers from 1 on are right"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line_before_anything_is_trained(parameters, said, monkeypatch):
    with refused(said):
        start(monkeypatch, **SMALL | parameters)
