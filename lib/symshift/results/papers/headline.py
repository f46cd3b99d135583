"""The README's table: one row for each model, from 1,000 training examples.

A cell is of the preset exactly as it is where it has at least MIN_SEEDS seeds. Otherwise it is of runs with another
budget; then its row has a mark, and a footnote says so.
"""

import textwrap

import pandas as pd

from symshift.data.babi.generator import BABI_TASKS
from symshift.results.papers.cells import KEY
from symshift.results.papers.markdown import cells_of, other_budgets, table
from symshift.results.papers.tables import UNSEEN, aggregate
from symshift.results.style import FAILED
from symshift.runs.selection import seed_range

MIN_SEEDS = 3
EXAMPLES = 1000
MODELS = {
    "MN": "mn",
    "SMN": "smn",
    "TPR": "tpr",
    "STPR": "stpr-sm",
    "GSTPR": "gstpr-sm",
    "symbolic Transformer": "stransformer-nodrop",
    "EntNet": "entnet",
    "QRN": "qrn",
    "DeltaNet": "deltanet",
    "Transformer": "transformer",
    "Universal Transformer": "ut",
}
MARK = "†"
FEW = 2  # failed tasks that a note names
WIDTH = 118  # characters of a line
COLUMNS = ("model", "preset", "tasks", "seeds", "mean error", "failed", "paper")
INTRODUCTION = """\
Test errors in percent, means over seeds and tasks, from 1,000 training examples a task of the official bAbI stories
1.2. A task is failed above 5 percent. *Paper* is the printed mean error over the same tasks. In the tests of the last
three columns all rooms, objects or people have names that training never had; they are means over the tasks that have
such names, so they do not subtract from the mean error over all tasks ([notebook 06](notebooks/06_zero_shot.ipynb) has
both side by side).
"""
NOTES = """\
GSTPR and the symbolic Transformer are ours, so no paper prints them, and DeltaNet's papers do not try bAbI; of QRN, the
Transformer and the Universal Transformer a paper prints the best of ten runs (9.9, Seo et al. 2017; 21.8 and 5.3,
Dehghani et al. 2019), which does not stand beside a mean. `mn` and `smn` have linear start and time noise, which the
MN and SMN of the symbol-shift paper (Salinas & Elsahar 2021) do not have; EntNet's printed numbers are those of the
temporal attention paper (Palma 2020). [RESULTS.md](RESULTS.md) has every preset task by task, first exactly as they
are, then what another budget or setting changes, and what deviates from the papers.
"""


def headline_cells(exact: pd.DataFrame, any_budget: pd.DataFrame) -> pd.DataFrame:
    """Choose the cells of a headline.

    Args:
        exact: Cells of the presets exactly as they are.
        any_budget: Cells of presets with at most another budget.

    Returns:
        The cells with at least MIN_SEEDS seeds, those of `exact` where there are any, else those of `any_budget`.
    """
    both = pd.concat([exact, any_budget])
    return both[both.n >= MIN_SEEDS].drop_duplicates(KEY).sort_values(KEY, ignore_index=True)


def section(cells: pd.DataFrame) -> str:
    """Return the README's table and what must be said of it.

    Args:
        cells: `headline_cells`.
    """
    means = aggregate(cells[cells.model.isin(MODELS.values())], EXAMPLES)
    trained = {name: cells_of(cells, preset, EXAMPLES) for name, preset in MODELS.items() if preset in means.index}
    rows = [_row(name, trained[name], means.loc[MODELS[name]]) for name in trained]
    return "\n".join([INTRODUCTION, table([*COLUMNS, *UNSEEN.values()], rows), "", *_notes(trained), NOTES])


def _row(name: str, cells: pd.DataFrame, means: pd.Series) -> list[str]:
    preset = f"`{MODELS[name]}`" + (MARK if other_budgets(cells) else "")
    paper = "" if pd.isna(means["paper, same tasks"]) else f"*{means['paper, same tasks']:.1f}*"
    unseen = ["" if pd.isna(means[column]) else f"{means[column]:.1f}" for column in UNSEEN.values()]
    return [name, preset, means.tasks, seed_range(cells.n), f"{means['mean']:.1f}", means.failed, paper, *unseen]


def _notes(trained: dict[str, pd.DataFrame]) -> list[str]:
    """Name the tasks with another budget, those that were not run, and those that a model fails where they are few."""
    other, missing, few = [], [], []
    for name, cells in trained.items():
        preset, failed = f"`{MODELS[name]}`", cells[cells["mean"] > FAILED]
        if budget := other_budgets(cells):
            other.append(f"{preset} {budget}")
        if absent := ", ".join(str(task) for task in sorted(set(BABI_TASKS) - set(cells.task))):
            missing.append(f"{preset} {absent}")
        if 1 <= len(failed) <= FEW:
            errors = ", ".join(f"{row.task} ({row.mean:.1f})" for row in failed.itertuples())
            few.append(f"{preset} {errors}")
    notes = {
        f"{MARK} Where the preset as it is has fewer than {MIN_SEEDS} seeds, runs with another budget stand for it"
        " (≤16k: at most 16,000 updates)": other,
        "Tasks that were not run": missing,
        f"Tasks that a model fails, of models that fail at most {FEW}": few,
    }
    written = [f"{note}: {'; '.join(lines)}." for note, lines in notes.items() if lines]
    return [textwrap.fill(note, WIDTH, break_on_hyphens=False) + "\n" for note in written]
