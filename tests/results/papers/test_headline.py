"""The README's table rests on presets as they are where they have enough seeds."""

import pandas as pd

from symshift.results.papers import cells, headline
from symshift.runs.selection import preset_runs
from tests.helpers.rows import run


def headline_cells(rows: list[dict]) -> pd.DataFrame:
    runs = pd.DataFrame(rows)
    return headline.headline_cells(cells.cells(preset_runs(runs)), cells.cells(runs))


ENOUGH = [run("gstpr-sm", 17, seed, 6.0) for seed in range(3)]
SOLVED = [run("gstpr-sm", 17, seed, 4.0, solved=0.0) for seed in range(10)]
FEW = [run("gstpr-sm", 3, 0, 1.0), *(run("gstpr-sm", 3, seed, 2.0, updates=12000) for seed in (1, 2))]


def test_headline_has_presets_with_enough_seeds():
    """The headline has presets as they are, where they have enough seeds."""
    cell = headline_cells([*ENOUGH, *SOLVED]).iloc[0]
    assert (cell["n"], cell["mean"], cell["budget"]) == (3, 6.0, "")


def test_headline_takes_another_budget_where_seeds_are_too_few():
    cell = headline_cells(FEW).iloc[0]
    assert (cell["n"], cell["budget"]) == (3, "preset or ≤12k")


def test_section_marks_budgets_and_names_missing_tasks():
    """A section marks other budgets, and names missing and failed tasks."""
    lines = headline.section(headline_cells([*ENOUGH, *SOLVED, *FEW])).splitlines()
    assert "| GSTPR | `gstpr-sm`† | 2 of 20 | 3 | 3.8 | 1 of 2 |  |  |  |  |" in lines
    text = " ".join(lines)
    assert "(≤16k: at most 16,000 updates): `gstpr-sm` 1 task: ≤12k." in text
    assert "Tasks that were not run: `gstpr-sm` 1, 2, 4, 5" in text
    assert "Tasks that a model fails, of models that fail at most 2: `gstpr-sm` 17 (6.0)." in text


def test_headline_leaves_out_what_has_too_few_seeds():
    """A short run of one seed enters no table of means."""
    cells = headline_cells([*ENOUGH, run("gstpr-sm", 2, 0, 0.5, updates=60)])
    assert cells.task.tolist() == [17]
