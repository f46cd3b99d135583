"""Tables 1 and 2 of the temporal attention paper (Palma 2020): errors, and F1 of naming the supporting facts.

F1 is by the two rules of `training.supporting_facts`: the paper's, which names one fact a question at most and so has a
ceiling on each task, and the calibrated one. A row is the mean over n seeds of a model of one `origin`, as in
`generalisation`; where its runs may take fewer updates than their preset, its `budget` says so. The paper does not say
how many seeds its rows have. A mean over tasks needs all twenty, and what was not measured stays empty.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from symshift.config import sort_presets
from symshift.data import load
from symshift.data.babi.generator import BABI_TASKS
from symshift.results.generalisation.tables import ORIGINS, PRINTED, STORED
from symshift.runs.selection import budget, seed_note
from symshift.training.supporting_facts import ceiling

EXAMPLES = 1000  # what the paper trains on
MEAN = "mean"
TASKS = (*BABI_TASKS, MEAN)
MEASURES = {
    "error": "error_test",
    "F1, paper's rule": "facts_f1_paper",
    "F1, calibrated": "facts_f1",
    "precision": "facts_precision",
    "recall": "facts_recall",
}
ERROR, F1_PAPER, F1, *_ = MEASURES
BACKBONE = "entnet"  # answers without naming facts


def published_facts() -> pd.DataFrame:
    """Return one row per printed cell: table, model, task (none: the printed mean), error and F1 in percent."""
    return pd.read_csv(Path(__file__).with_name("published_facts.csv"), dtype={"task": "Int64"})


@cache
def ceiling_of(task: int | str, source: str) -> float:
    """Return the best F1 in percent that the paper's rule can have on a task's test stories, or its mean over tasks."""
    if task == MEAN:
        return sum(ceiling_of(number, source) for number in BABI_TASKS) / len(BABI_TASKS)
    return ceiling(load(int(task), EXAMPLES, "test", source))


def cells(runs: pd.DataFrame, source: str, examples: int = EXAMPLES) -> pd.DataFrame:
    """Average all measures over seeds, and add the published numbers.

    Args:
        runs: `generalisation.tables.with_origin`. Those with F1 of facts are used, and those of the entity network.
        source: Which stories; with `official` and 1,000 examples come the published numbers.
        examples: Number of training examples.

    Returns:
        Indexed by task, model and origin: MEASURES and `ceiling`, of the paper's rule, in percent; `n` seeds; and how
        their `budget` differs from the preset's.
    """
    measured = runs.reindex(columns=[*runs.columns, *(set(MEASURES.values()) - set(runs.columns))])
    measured = measured[(measured.stories == source) & (measured.examples == examples)]
    measured = measured[measured.facts_f1.notna() | (measured.model == BACKBONE)]
    groups = measured.groupby(["task", "model", "origin"])
    ours = groups[list(MEASURES.values())].mean().set_axis(list(MEASURES), axis=1).assign(n=groups.size())
    ours["budget"] = _budgets(groups)
    paper = [_published()] if source == "official" and examples == EXAMPLES else []
    rows = _ordered(pd.concat([ours, _over_tasks(ours, measured), *paper]))
    return rows.assign(ceiling=[ceiling_of(task, source) for task in rows.index.get_level_values("task")])


def rows_of_tasks(cells: pd.DataFrame, tasks: list[int]) -> pd.DataFrame:
    """Return the rows of these tasks, with all measures."""
    return cells[cells.index.isin(tasks, "task")]


def paper_layout(cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Lay out one measure as the paper does.

    Args:
        cells: `cells` (percent).
        measure: One of MEASURES.

    Returns:
        One row per task, one column per model and origin; a cell is text with n, where it is known, and with the budget
        where it is not the preset's.
    """
    rows = cells[cells[measure].notna()]
    notes = [f" ({seed_note(int(row.n), row.budget)})" if row.n > 0 else "" for row in rows.itertuples()]
    text = rows[measure].map("{:.1f}".format) + notes
    models = sort_presets(set(rows.index.get_level_values("model")))
    order = [(model, origin) for model in models for origin in ORIGINS]
    wide = text.rename("cell").reset_index()
    wide = wide.pivot_table("cell", "task", ["model", "origin"], aggfunc="first", fill_value="")
    return wide[[column for column in order if column in wide]].reindex(TASKS, fill_value="")


def _published() -> pd.DataFrame:
    """Return the published numbers; EntNet's is in both tables and counts once."""
    rows = published_facts().drop_duplicates(["model", "task"])
    rows = rows.assign(task=rows.task.astype(object).fillna(MEAN), origin=PRINTED)
    names = {"error": ERROR, "f1": F1_PAPER}
    return rows.set_index(["task", "model", "origin"])[list(names)].rename(columns=names)


def _over_tasks(ours: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Average over the twenty tasks the models that have them all; n is the fewest seeds of a task.

    Args:
        ours: The means of each task.
        runs: The runs behind them, which say the budget.
    """
    groups = ours.groupby(["model", "origin"])
    means = groups.mean(numeric_only=True).assign(n=groups.n.min(), budget=_budgets(runs.groupby(["model", "origin"])))
    complete = means[groups.size() == len(BABI_TASKS)]
    return complete.assign(task=MEAN).set_index("task", append=True).reorder_levels(["task", "model", "origin"])


def _budgets(groups: Any) -> list[str]:
    """Say of each group of runs, the last of whose keys is their origin, how the budgets of stored ones differ."""
    return [budget(part) if key[-1] == STORED else "" for key, part in groups]


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    models = sort_presets(rows.index.get_level_values("model"))
    order = {value: rank for values in (TASKS, models, ORIGINS) for rank, value in enumerate(values)}
    return rows.sort_index(key=lambda level: level.map(order))
