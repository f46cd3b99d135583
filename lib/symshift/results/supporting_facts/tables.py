"""How well models answer, and how well they name the facts that support the answer: Tables 1 and 2 of the temporal
attention paper (Palma 2020), for whatever runs there are.

F1 stands there by the two rules of `training.facts`: the paper's, which names one fact a question at most and so has a
ceiling on each task, and the calibrated one. A row is the mean over n seeds of a model of one `origin`, as in
`generalisation`; where its runs may take fewer updates than their preset, its `budget` says so. The paper does not say
of how many seeds its rows are. A mean over tasks is there where all twenty are, and what was not measured stays empty.
"""

from functools import cache
from pathlib import Path

import pandas as pd

from symshift.data import load
from symshift.results.generalisation.tables import ORIGINS, PRINTED, STORED
from symshift.results.style import sort_presets
from symshift.runs.selection import budget, seed_note
from symshift.training.supporting_facts import ceiling

EXAMPLES = 1000  # what the paper trains on
MEAN = "mean"
TASKS = (*range(1, 21), MEAN)
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
    """One row a printed cell: table, model, task (none: the printed mean), error and F1 in percent."""
    return pd.read_csv(Path(__file__).with_name("published_facts.csv"), dtype={"task": "Int64"})


@cache
def ceiling_of(task: int | str, source: str) -> float:
    """The best F1 in percent that the paper's rule can have on a task's test stories, or its mean over all tasks."""
    if task == MEAN:
        return sum(ceiling_of(task, source) for task in TASKS[:-1]) / 20
    return ceiling(load(task, EXAMPLES, "test", source))


def cells(found: pd.DataFrame, source: str, examples: int = EXAMPLES) -> pd.DataFrame:
    """A row for each task, model and origin: its mean measures in percent, the ceiling of the paper's rule, and n.

    Of the runs of `generalisation.with_origin` those with facts, and those of the entity network, on stories of this
    source and number of examples; beside official ones the published numbers, which are of 1,000 examples."""
    asked = found.reindex(columns=[*found.columns, *(set(MEASURES.values()) - set(found.columns))])
    mine = asked[(asked.stories == source) & (asked.examples == examples)]
    mine = mine[mine.facts_f1.notna() | (mine.model == BACKBONE)]
    groups = mine.groupby(["task", "model", "origin"])
    ours = groups[list(MEASURES.values())].mean().set_axis(list(MEASURES), axis=1).assign(n=groups.size())
    ours["budget"] = [budget(runs) if key[-1] == STORED else "" for key, runs in groups]
    printed = [_printed()] if source == "official" and examples == EXAMPLES else []
    rows = _ordered(pd.concat([ours, _over_tasks(ours), *printed]))
    return rows.assign(ceiling=[ceiling_of(task, source) for task in rows.index.get_level_values("task")])


def beside(cells: pd.DataFrame, tasks: list[int]) -> pd.DataFrame:
    """The rows of these tasks, all measures side by side."""
    return cells[cells.index.isin(tasks, "task")]


def as_printed(cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """One measure as the paper has it: a row each task, a column each model and origin, with n where it is known,
    and the budget where it is not the preset's."""
    kept = cells[cells[measure].notna()]
    notes = [seed_note(int(row.n), row.budget) if row.n > 0 else "" for row in kept.itertuples()]
    written = kept[measure].map("{:.1f}".format) + [note and f" ({note})" for note in notes]
    models = [
        (model, origin) for model in sort_presets(set(kept.index.get_level_values("model"))) for origin in ORIGINS
    ]
    wide = written.rename("cell").reset_index()
    wide = wide.pivot_table("cell", "task", ["model", "origin"], aggfunc="first", fill_value="")
    return wide[[column for column in models if column in wide]].reindex(TASKS, fill_value="")


def _printed() -> pd.DataFrame:
    """The published numbers; the one of EntNet stands in both tables."""
    rows = published_facts().drop_duplicates(["model", "task"])
    rows = rows.assign(task=rows.task.astype(object).fillna(MEAN), origin=PRINTED)
    names = {"error": ERROR, "f1": F1_PAPER}
    return rows.set_index(["task", "model", "origin"])[list(names)].rename(columns=names)


def _over_tasks(ours: pd.DataFrame) -> pd.DataFrame:
    """Means over the twenty tasks of the models that have them all; n is the fewest seeds of a task."""
    groups = ours.groupby(["model", "origin"])
    means = groups.mean(numeric_only=True).assign(n=groups.n.min(), budget=groups.budget.agg(_any))[groups.size() == 20]
    return means.assign(task=MEAN).set_index("task", append=True).reorder_levels(["task", "model", "origin"])


def _any(budgets: pd.Series) -> str:
    return " or ".join(sorted(set(budgets) - {""}))


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    models = sort_presets(rows.index.get_level_values("model"))
    order = {value: place for values in (TASKS, models, ORIGINS) for place, value in enumerate(values)}
    return rows.sort_index(key=lambda level: level.map(order))
