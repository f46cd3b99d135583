"""The README's tables and figure: test errors from the store, beside what the papers print.

A cell is the mean and standard deviation over the seeds of one preset on the official stories; where its budget is not
the preset's, it says so. Runs with other numbers, or on generated stories, are in the store and in no table. A cell
without a run stays empty. The overview has every preset, the tables of tasks those of TASK_BY_TASK. The paper's MN and
SMN are our `-inputs` presets, but stand beside `mn` and `smn` too.

`python -m symshift.results.papers.readme` writes the tables of the README and its figure; the figure keeps the digest
of the cells it shows. With `--cells` it writes cells.csv beside the store's runs instead, and says its digest.
"""

import argparse
import io
import itertools
import re
import sys

import pandas as pd

from symshift.errors import InputError
from symshift.paths import ROOT, write_atomically
from symshift.results.papers import cells
from symshift.results.papers.figures import OURS, front_page
from symshift.results.papers.tables import UNSEEN, aggregate, with_printed
from symshift.results.style import sort_presets
from symshift.runs.selection import seed_note
from symshift.runs.store import Store

README, FIGURE = ROOT / "README.md", ROOT / "docs" / "errors.png"
BEGIN, END = "<!-- results: python -m symshift.results.papers.readme -->\n", "<!-- end of results -->"
TASK_BY_TASK = ("mn", "smn", "tpr-sm", "stpr-sm", "gstpr-sm", "entnet", "prehoc", "posthoc")
FOLD = "<details><summary>{title}</summary>\n\n{table}\n\n</details>\n"
TESTS = {
    "original": "the original test set",
    "room": "the test set with rooms never seen in training",
    "people": "the test set with people never seen in training",
    "object": "the test set with objects never seen in training",
}


def markdown(found: pd.DataFrame) -> str:
    """Cells by model and task as a table, a row each task, a column each model; the paper's number below in italics."""
    models, tasks = sort_presets(found.index.unique("model")), sorted(found.index.unique("task"))
    lines = [["task", *models], ["---"] * (1 + len(models))]
    for task in tasks:
        known = [(model, task) in found.index for model in models]
        written = [_cell(found.loc[(model, task)]) if has else "" for model, has in zip(models, known, strict=True)]
        lines.append([str(task), *written])
    return _table(lines)


def overview(found: pd.DataFrame, examples: int) -> str:
    """The tasks of each preset as one row, beside the paper's mean over the same tasks, and with unseen words."""
    columns = ["model", "tasks", "seeds a task", "mean error", "failed", "paper, same tasks", *UNSEEN.values()]
    lines = [columns, ["---"] * len(columns)]
    for model, row in aggregate(found, examples).iterrows():
        paper, *unseen = ("" if pd.isna(row[name]) else f"{row[name]:.1f}" for name in columns[5:])
        seeds, mean = f"{row['n at least']} or more", f"{row['mean']:.1f}"
        lines.append([model, row["tasks"], seeds, mean, row["failed"], paper and f"*{paper}*", *unseen])
    return _table(lines)


def readme_section(runs: pd.DataFrame) -> str:
    """An overview of the original test set, and behind a fold each table of tasks that has a cell."""
    found, parts = cells.cells(runs), []
    printed = with_printed(found)
    for examples in (1000, 10000):
        if len(cells.official(found, examples)):
            parts.append(f"{examples:,} training examples, all tasks so far:\n\n{overview(found, examples)}\n")
    for examples, (test, where) in itertools.product((1000, 10000), TESTS.items()):
        if len(mine := cells.official(printed[printed.model.isin(TASK_BY_TASK)], examples, test)):
            parts.append(FOLD.format(title=f"Task by task: {examples:,} examples, {where}", table=markdown(mine)))
    return "\n".join(parts) or "No runs yet.\n"


def shown(found: pd.DataFrame) -> pd.DataFrame:
    """The cells that the figure shows."""
    return cells.official(found[found.model.isin(OURS)], 1000).reset_index()


def figure(found: pd.DataFrame) -> bytes:
    """The README's figure as PNG, with the digest of its cells."""
    image = io.BytesIO()
    keep = {"Software": None, "cells": cells.digest(shown(found))}
    front_page(shown(found)).savefig(image, dpi=120, bbox_inches="tight", metadata=keep)
    return image.getvalue()


def with_section(readme: str, section: str) -> str:
    """The README with this section between its marks."""
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: section, readme, flags=re.DOTALL)


def _table(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: pd.Series) -> str:
    seeds = f"({seed_note(int(cell['n']), cell['budget'])})"
    ours = f"{cell['mean']:.1f}" + (f" ± {cell['std']:.1f}" if cell["n"] > 1 else "") + f" {seeds}"
    if pd.isna(cell["paper"]):
        return ours
    deviation = "" if pd.isna(cell["paper_std"]) else f" ± {cell['paper_std']:.1f}"
    return f"{ours}<br>*{cell['paper']:.1f}{deviation}*"


def main(arguments: list[str] | None = None) -> int:
    """The command; 0: written, 2: there is nothing to write."""
    parser = argparse.ArgumentParser(
        prog="python -m symshift.results.papers.readme", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--cells", action="store_true", help="write cells.csv beside the store's runs, not the README")
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    given = parser.parse_args(arguments)
    store = Store(given.outputs)
    try:
        runs = store.runs()
        if runs.empty and not given.cells:
            raise InputError(f"outputs {str(store.outputs)!r} has no finished run; name the folder that holds runs/")
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    found = cells.cells(runs)
    if given.cells:
        print(f"{cells.write(found, store.outputs)}: {len(found)} cells, sha256 {cells.digest(found)}")
    else:
        write_atomically(README, with_section(README.read_text(), readme_section(runs)).encode())
        write_atomically(FIGURE, figure(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
