"""Tables of test errors from the store, beside what papers print.

A cell is the mean and standard deviation over the seeds of one preset, exactly as params/ has it, on the official
stories. Runs with other numbers, or on generated stories, are in the store and in no table. A cell without a run stays
empty. The paper's MN and SMN are our `-plain` presets, but stand beside `mn` and `smn` too.

`python -m symshift.results.tables` writes the README's tables anew."""

import itertools
import re

import pandas as pd

from symshift.config import ROOT, configure, presets
from symshift.results.figures import in_order
from symshift.results.published import published
from symshift.results.store import Store

README = ROOT / "README.md"
BEGIN, END = "<!-- results: python -m symshift.results.tables -->\n", "<!-- end of results -->"
STORIES = {"task", "examples", "source"}  # what a preset leaves open
TESTS = {
    "original": "the original test set",
    "room": "the test set with rooms never seen in training",
    "people": "the test set with people never seen in training",
    "object": "the test set with objects never seen in training",
}


def as_presets_have_it(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs on official stories that changed nothing of their preset."""
    return unchanged(runs[runs.stories == "official"])


def unchanged(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that changed nothing of their preset, on whatever stories."""

    def kept(run: pd.Series) -> bool:
        if run.model not in presets():
            return False
        preset = configure({"model": run.model}).flat()
        return all(run.get(name) == value for name, value in preset.items() if name not in STORIES)

    return runs.loc[[place for place, run in runs.iterrows() if kept(run)]]


def cells(runs: pd.DataFrame, examples: int, test: str = "original") -> pd.DataFrame:
    """A row each model and task with runs: their mean, std, n and ids, and the printed mean and deviation."""
    column = _column(test)
    mine = runs[runs.examples == examples].dropna(subset=column)
    groups = mine.groupby(["model", "task"])
    ours = pd.DataFrame({"mean": groups[column].mean(), "std": groups[column].std(), "n": groups.size()})
    printed = published().query(
        "statistic == 'mean of 10' and examples == @examples and test == @test and task.notna()"
    )
    paper = printed.drop_duplicates(["model", "task"], keep="last").set_index(["model", "task"])[["error", "std"]]
    beside = paper.reindex([(model.removesuffix("-plain"), task) for model, task in ours.index])
    return ours.assign(ids=groups.id.agg(" ".join), paper=beside.error.array, paper_std=beside["std"].array)


def markdown(cells: pd.DataFrame) -> str:
    """The cells as a table, a row each task and a column each model; the paper's number is below, in italics."""
    models, tasks = in_order(cells.index.unique("model")), sorted(cells.index.unique("task"))
    lines = [["task", *models], ["---"] * (1 + len(models))]
    for task in tasks:
        known = [(model, task) in cells.index for model in models]
        written = [_cell(cells.loc[(model, task)]) if has else "" for model, has in zip(models, known, strict=True)]
        lines.append([str(task), *written])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def readme_section(runs: pd.DataFrame) -> str:
    """All tables that have a cell, each under its heading."""
    runs, parts = as_presets_have_it(runs), []
    for examples, (test, where) in itertools.product((1000, 10000), TESTS.items()):
        if _column(test) in runs and len(found := cells(runs, examples, test)):
            parts.append(f"{examples:,} training examples, {where}:\n\n{markdown(found)}\n")
    return "\n".join(parts) or "No runs yet.\n"


def _column(test: str) -> str:
    return "error_test" if test == "original" else f"error_{test}"


def _cell(cell: pd.Series) -> str:
    ours = f"{cell['mean']:.1f}" + (f" ± {cell['std']:.1f}" if cell["n"] > 1 else "") + f" (n={cell['n']})"
    return ours if pd.isna(cell["paper"]) else f"{ours}<br>*{cell['paper']:.1f} ± {cell['paper_std']:.1f}*"


def with_section(readme: str, section: str) -> str:
    """The README with this section between its marks."""
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: section, readme, flags=re.DOTALL)


if __name__ == "__main__":
    README.write_text(with_section(README.read_text(), readme_section(Store().runs())))
