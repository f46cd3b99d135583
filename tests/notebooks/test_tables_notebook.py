"""09_tables reads whatever store there is, an empty one too, and refuses a mistake in one line."""

from types import ModuleType

import pytest

import symshift
from tests.helpers.opened import opened, refused


def ran(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after all of its cells, with these parameters."""
    return opened("09_tables", None, monkeypatch, **parameters)


def test_it_runs_on_an_empty_store(monkeypatch, tmp_path):
    module = ran(monkeypatch, outputs=str(tmp_path))
    assert module.all_cells.empty
    assert module.rows.empty
    assert list(tmp_path.iterdir()) == []


def test_generated_stories_have_cells_and_stand_beside_no_paper(monkeypatch, tmp_path):
    config = symshift.configure({"model": "tpr", "examples": 60, "source": "generated", "updates": 2})
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu")
    module = ran(monkeypatch, outputs=str(tmp_path))
    assert set(module.all_cells.runs) == {run}
    assert set(module.all_cells.source) == {"generated"}
    assert module.rows.empty


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"model": "mn"}, "parameter 'model' is unknown to this notebook; did you mean 'models'?"),
        ({"models": ["strp"]}, "model 'strp' is unknown; did you mean 'stpr'?"),
        ({"examples": 3}, "examples is 3; at least 10"),
        ({"table": "Table 5"}, "no paper has a table by task 'Salinas & Elsahar 2021, Table 5'; did you mean"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line(parameters, said, monkeypatch, tmp_path):
    with refused(said):
        ran(monkeypatch, outputs=str(tmp_path), **parameters)
