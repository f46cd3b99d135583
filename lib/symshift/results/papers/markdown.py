"""Tables in Markdown, as README.md and RESULTS.md have them: our errors, and in italics what papers print.

A mean error of a failed task is bold. A cell says how many seeds it has, and how its budget differs from the preset's.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from symshift.config import sort_presets
from symshift.results.papers.cells import official
from symshift.results.papers.tables import UNSEEN, aggregate
from symshift.results.style import FAILED
from symshift.runs.selection import seed_note, seed_range

PRESET_COLUMNS = ["model", "tasks", "seeds a task", "mean error", "failed tasks", "paper, same tasks", *UNSEEN.values()]


def table(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Lay out rows under the names of their columns."""
    lines: list[Sequence[object]] = [columns, ["---"] * len(columns), *rows]
    escaped = [[str(entry).replace("|", r"\|") for entry in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def frame_table(frame: pd.DataFrame) -> str:
    """Lay out a frame without its index: numbers with one decimal, nothing where there is none."""
    return table(list(frame.columns), [[_entry(value) for value in row] for row in frame.itertuples(index=False)])


def preset_table(cells: pd.DataFrame, examples: int) -> str:
    """Lay out one row per preset: its tasks, seeds and mean errors, and on how many tasks its budget differs."""
    rows = []
    for model, row in aggregate(cells, examples).iterrows():
        means = [_entry(row[name]) for name in UNSEEN.values()]
        paper = f"*{row['paper, same tasks']:.1f}*" if pd.notna(row["paper, same tasks"]) else ""
        ours = cells_of(cells, model, examples)
        seeds, mean = seed_range(ours.n), _entry(row["mean"])
        rows.append([model, row["tasks"], seeds, mean, row["failed"], paper, *means, other_budgets(ours)])
    if not any(row[-1] for row in rows):
        return table(PRESET_COLUMNS, [row[:-1] for row in rows])
    return table([*PRESET_COLUMNS, "other budget"], rows)


def task_table(cells: pd.DataFrame) -> str:
    """Lay out one row per task and one column per model.

    Args:
        cells: Those of one test set, indexed by model and task, with the printed numbers (`tables.with_printed`).
    """
    models, tasks = sort_presets(cells.index.unique("model")), sorted(cells.index.unique("task"))
    by_key = {key: _task_entry(cell) for key, cell in cells.iterrows()}
    return table(["task", *models], [[task, *(by_key.get((model, task), "") for model in models)] for task in tasks])


def cells_of(cells: pd.DataFrame, model: str, examples: int) -> pd.DataFrame:
    """Return a preset's cells on the official stories and their original test sets."""
    return official(cells[cells.model == model], examples).reset_index()


def other_budgets(cells: pd.DataFrame) -> str:
    """Describe on how many tasks the budget is not the preset's, as in `2 tasks: ≤12k, ≤24k`; empty where on none."""
    other = cells.budget[cells.budget != ""]
    notes = sorted({note for budget in other for note in budget.split(" or ")} - {"preset"})
    return f"{len(other)} task{'s' * (len(other) > 1)}: {', '.join(notes)}" if notes else ""


def error(mean: float) -> str:
    """Write a task's mean error (percent), bold where the task is failed."""
    return f"**{mean:.1f}**" if mean > FAILED else f"{mean:.1f}"


def _task_entry(cell: pd.Series) -> str:
    deviation = f" ± {cell['std']:.1f}" if cell["n"] > 1 else ""
    ours = f"{error(cell['mean'])}{deviation} ({seed_note(int(cell['n']), cell['budget'])})"
    if pd.isna(cell["paper"]):
        return ours
    paper_deviation = "" if pd.isna(cell["paper_std"]) else f" ± {cell['paper_std']:.1f}"
    return f"{ours}<br>*{cell['paper']:.1f}{paper_deviation}*"


def _entry(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:z.1f}"  # z: no minus before zero
    return str(value)
