"""Tables hold only what their rule lets in, and the README's are those of the committed records."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from symshift.config import configure
from symshift.results import tables
from symshift.results.store import Store

ROOT = Path(__file__).parents[2]


def run(model: str, task: int, seed: int, error: float, stories: str = "official", **changed) -> dict:
    """A row of the store."""
    config = configure({"model": model, "task": task, **changed}).flat()
    return {"id": f"{model}{seed}", **config, "seed": seed, "error_test": error, "stories": stories}


RUNS = pd.DataFrame(
    [
        run("stpr-sm", 1, 0, 1.0),
        run("stpr-sm", 1, 1, 2.0),
        run("stpr-sm", 1, 2, 99.0, updates=10),
        run("stpr-sm", 1, 3, 99.0, stories="generated"),
        run("gstpr", 2, 0, 0.4),
        run("mn-plain", 2, 0, 70.0),
    ]
)


def test_only_presets_as_they_are_on_official_stories_are_let_in():
    assert tables.as_presets_have_it(RUNS).id.tolist() == ["stpr-sm0", "stpr-sm1", "gstpr0", "mn-plain0"]


def test_a_cell_is_mean_std_n_ids_and_the_printed_number():
    cells = tables.cells(tables.as_presets_have_it(RUNS), 1000)
    cell = cells.loc[("stpr-sm", 1)]
    assert (cell["mean"], cell["n"], cell["ids"], cell["paper"]) == (1.5, 2, "stpr-sm0 stpr-sm1", 0.0)
    assert cell["std"] == pytest.approx(np.std([1, 2], ddof=1))
    assert cells.loc[("mn-plain", 2)].paper == 71.0
    assert np.isnan(cells.loc[("gstpr", 2)].paper)


def test_markdown_leaves_empty_cells_empty():
    cells = tables.cells(tables.as_presets_have_it(RUNS), 1000)
    assert tables.markdown(cells).splitlines() == [
        "| task | mn-plain | stpr-sm | gstpr |",
        "| --- | --- | --- | --- |",
        "| 1 |  | 1.5 ± 0.7 (n=2)<br>*0.0 ± 0.0* |  |",
        "| 2 | 70.0 (n=1)<br>*71.0 ± 3.1* |  | 0.4 (n=1) |",
    ]


def test_zero_shot_errors_have_a_table_of_their_own():
    runs = RUNS.assign(error_room=[3.0, np.nan, *[np.nan] * 4])
    assert tables.cells(runs, 1000, "room").n.to_dict() == {("stpr-sm", 1): 1}
    assert "rooms never seen in training" in tables.readme_section(runs)


def test_no_runs_make_no_table():
    assert tables.readme_section(RUNS[:0]) == "No runs yet.\n"


def test_readme_holds_what_the_committed_records_give():
    names = subprocess.run(["git", "ls-files", "outputs/runs"], cwd=ROOT, capture_output=True, text=True, check=True)
    committed = {Path(name).parent.name for name in names.stdout.splitlines() if name.endswith("run.json")}
    runs = Store(ROOT / "outputs").runs()
    section = tables.readme_section(runs[runs.id.isin(committed)])
    readme = (ROOT / "README.md").read_text()
    assert tables.with_section(readme, section) == readme, "run python -m symshift.results.tables"
