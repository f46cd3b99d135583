"""The README's tables: test errors from the store, beside the means that the symbol-shift paper prints.

A cell is the mean and standard deviation over the seeds of one preset on the official stories; where its budget is not
the preset's, it says so. Runs with other numbers, or on generated stories, are in the store and in no table. A cell
without a run stays empty. The paper's MN and SMN are our `-plain` presets, but stand beside `mn` and `smn` too.

`python -m symshift.results.tables` writes the README's tables anew; with `--cells` it writes cells.csv beside the
store's runs instead, and says its digest."""

import argparse
import itertools
import re

import pandas as pd

from symshift.paths import ROOT
from symshift.results import cells
from symshift.results.comparison import with_printed
from symshift.results.figures import in_order
from symshift.results.store import Store

README = ROOT / "README.md"
BEGIN, END = "<!-- results: python -m symshift.results.tables -->\n", "<!-- end of results -->"
TESTS = {
    "original": "the original test set",
    "room": "the test set with rooms never seen in training",
    "people": "the test set with people never seen in training",
    "object": "the test set with objects never seen in training",
}


def markdown(found: pd.DataFrame) -> str:
    """Cells by model and task as a table, a row each task, a column each model; the paper's number below in italics."""
    models, tasks = in_order(found.index.unique("model")), sorted(found.index.unique("task"))
    lines = [["task", *models], ["---"] * (1 + len(models))]
    for task in tasks:
        known = [(model, task) in found.index for model in models]
        written = [_cell(found.loc[(model, task)]) if has else "" for model, has in zip(models, known, strict=True)]
        lines.append([str(task), *written])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def readme_section(runs: pd.DataFrame) -> str:
    """All tables that have a cell, each under its heading."""
    found, parts = with_printed(cells.cells(runs)), []
    for examples, (test, where) in itertools.product((1000, 10000), TESTS.items()):
        if len(mine := cells.official(found, examples, test)):
            parts.append(f"{examples:,} training examples, {where}:\n\n{markdown(mine)}\n")
    return "\n".join(parts) or "No runs yet.\n"


def with_section(readme: str, section: str) -> str:
    """The README with this section between its marks."""
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: section, readme, flags=re.DOTALL)


def _cell(cell: pd.Series) -> str:
    seeds = f"(n={cell['n']}; {cell['budget']})" if cell["budget"] else f"(n={cell['n']})"
    ours = f"{cell['mean']:.1f}" + (f" ± {cell['std']:.1f}" if cell["n"] > 1 else "") + f" {seeds}"
    return ours if pd.isna(cell["paper"]) else f"{ours}<br>*{cell['paper']:.1f} ± {cell['paper_std']:.1f}*"


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m symshift.results.tables", description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", action="store_true", help="write cells.csv beside the store's runs, not the README")
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    given = parser.parse_args(arguments)
    store = Store(given.outputs)
    if given.cells:
        found = cells.cells(store.runs())
        print(f"{cells.write(found, store.outputs)}: {len(found)} cells, sha256 {cells.digest(found)}")
    else:
        README.write_text(with_section(README.read_text(), readme_section(store.runs())))


if __name__ == "__main__":
    main()
