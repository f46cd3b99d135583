"""Cells: what one preset reaches on one task, with the runs behind each number.

Papers count in two ways, and a cell has both: mean and standard deviation (over n - 1) of its n seeds; and the best of
n, the test error of the run with the lowest validation error (among equals the first seed), whatever its test error is.
A cell is of one source of stories and one test set. There is none without a run.
"""

import hashlib
from pathlib import Path

import pandas as pd

from symshift.paths import write_atomically
from symshift.results.generalisation.tables import TEST_OF_COLUMN
from symshift.results.style import FAILED
from symshift.runs.selection import budget_notes, join_notes, one_run_per_seed

KEY = ["model", "task", "examples", "source", "test"]
COLUMNS = [*KEY, "n", "mean", "std", "best", "budget", "runs"]


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Average runs over seeds.

    Args:
        runs: The runs of a store; one for each seed is used, of presets with at most another budget.

    Returns:
        One row per cell, in order: KEY (`source` names the stories, with digits of their checksum where two sets of
        stories have one name); `n` seeds; `mean`, `std` and `best` errors in percent; how the `budget` differs from the
        preset's, in words; and the ids of its `runs`.
    """
    chosen = one_run_per_seed(runs)
    chosen = chosen.assign(source=_distinct_names(chosen))
    tests = {test: column for column, test in TEST_OF_COLUMN.items() if column in chosen}
    measured = chosen.assign(budget=budget_notes(chosen)).sort_values("seed", kind="stable")
    needed = [*KEY[:-1], *tests.values(), "error_valid", "budget", "id"]  # groups of all columns are slow to make
    measured = measured.filter(needed)  # of an empty store there is none
    rows = [
        dict(zip(KEY, (*key, test), strict=True)) | _cell(group, column)
        for test, column in tests.items()
        for key, group in measured.dropna(subset=column).groupby(KEY[:-1])
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(KEY, ignore_index=True)


def official(cells: pd.DataFrame, examples: int, test: str = "original") -> pd.DataFrame:
    """Return the cells on bAbI's own stories with this number of training examples, indexed by model and task."""
    selected = cells[(cells.source == "official") & (cells.examples == examples) & (cells.test == test)]
    return selected.set_index(["model", "task"])


def failed(errors: pd.Series) -> str:
    """Count failed tasks, as in `2 of 20`."""
    return f"{(errors > FAILED).sum()} of {len(errors)}"


def csv(cells: pd.DataFrame) -> str:
    """Return the cells as CSV, sorted, errors with four decimals."""
    return cells.sort_values(KEY).to_csv(index=False, float_format="%.4f", lineterminator="\n")


def digest(cells: pd.DataFrame) -> str:
    """Return the sha256 of the CSV: equal where two stores have the same cells from the same runs."""
    return hashlib.sha256(csv(cells).encode()).hexdigest()


def write(cells: pd.DataFrame, outputs: Path) -> Path:
    """Write the cells to cells.csv in a folder, and return its path."""
    write_atomically(outputs / "cells.csv", csv(cells).encode())
    return outputs / "cells.csv"


def _distinct_names(runs: pd.DataFrame) -> pd.Series:
    """Return the name of each run's stories; those that changed under one name have their checksums behind it."""
    versions = runs.groupby(["model", "task", "examples", "stories"]).data.transform("nunique")
    return runs.stories.where(versions <= 1, runs.stories + " (" + runs.data.str[:6] + ")")


def _cell(runs: pd.DataFrame, column: str) -> dict[str, object]:
    errors = runs[column]
    return {
        "n": len(errors),
        "mean": errors.mean(),
        "std": errors.std(),
        "best": errors[runs.error_valid.idxmin()],
        "budget": join_notes(runs.budget),
        "runs": " ".join(runs.id),
    }
