"""docs/reproduction.md: each table, figure and claim of the four papers, and whether it stands here.

`claims.csv` lists them. A row that names a table, a printed model and a preset is counted from the cells: how many of
the printed numbers have a cell, and how many of these lie within FAR points. Any other row has its status by hand.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from symshift.results.generalisation.tables import STORED, with_origin
from symshift.results.papers.markdown import table
from symshift.results.papers.tables import FAR, all_printed
from symshift.results.supporting_facts import tables as facts
from symshift.runs.selection import one_run_per_seed

STATUSES = ("reproduced", "partly", "not reproduced", "cannot be had")
PAPERS = {
    "Salinas & Elsahar 2021": "Symbol-shift equivariant networks",
    "Schlag & Schmidhuber 2018": "TPR-RNN",
    "Henaff et al. 2017": "Recurrent entity networks",
    "Palma 2020": "Temporal attention",
}
COLUMNS = ("what", "stands here", f"cells, of them within {FAR} points", "which and why")
FEW = 4  # cells far from the paper's that a line names
INTRODUCTION = f"""\
# What is reproduced

<!-- Written by `python -m symshift.results.papers.pages`; do not edit. -->

Each table, figure and claim of the four papers, one line each. Where the line counts cells, it is computed from the
stored runs: how many of the printed numbers have a cell here, and how many of these cells lie within {FAR} points of
the printed one. A table is *reproduced* where every cell is there and near, *partly* where some are, and *not
reproduced* where there is none. A mean here has the seeds and the budget that `RESULTS.md` names, which are mostly
fewer than the paper's; there each deviation has the experiment that explains it, if one does.
"""


class Claim(NamedTuple):
    """A row of `claims.csv`."""

    paper: str
    item: str
    table: str  # these four only where the cells decide
    model: str  # as the table prints it
    preset: str  # ours
    measure: str  # error or f1
    status: str  # by hand, one of STATUSES
    note: str


class Count(NamedTuple):
    """How many of the printed numbers of a table there are cells for, and how near they are."""

    printed: int
    compared: pd.DataFrame  # one row per cell: label, ours, error (the printed one), both in percent
    missing: list[str]  # labels of the printed numbers without a cell

    @property
    def far(self) -> pd.DataFrame:
        """The cells more than FAR points from the printed number, farthest first."""
        distances = self.compared.assign(distance=(self.compared.ours - self.compared.error).abs())
        return distances[distances.distance > FAR].sort_values("distance", ascending=False)

    @property
    def near(self) -> int:
        """How many cells are within FAR points of the printed number."""
        return len(self.compared) - len(self.far)

    @property
    def status(self) -> str:
        """One of STATUSES."""
        return "reproduced" if self.near == self.printed else "partly" if self.near else "not reproduced"


def claims() -> list[Claim]:
    """Return the list of claims, in the papers' order."""
    rows = pd.read_csv(Path(__file__).with_name("claims.csv"), dtype=str, keep_default_na=False)
    return [Claim(**row) for row in rows.to_dict("records")]


def page(runs: pd.DataFrame, cells: pd.DataFrame) -> str:
    """Return the text of docs/reproduction.md.

    Args:
        runs: The runs of a store.
        cells: `cells.cells` of presets with at most another budget (percent).

    Raises:
        InputError: The official stories, whose supporting facts are counted, are not on this machine.
    """
    f1 = facts.cells(with_origin(runs, [], one_run_per_seed), "official").reset_index()
    sections = [INTRODUCTION]
    for paper, title in PAPERS.items():
        rows = [claim for claim in claims() if claim.paper == paper]
        lines = [_line(claim, count(claim, cells, f1) if claim.table else None) for claim in rows]
        sections.append(f"## {title} ({paper})\n\n{table(COLUMNS, lines)}\n")
    return "\n".join(sections)


def count(claim: Claim, cells: pd.DataFrame, f1: pd.DataFrame) -> Count:
    """Compare a printed model's column of a table with a preset's cells.

    Args:
        claim: A row of `claims`.
        cells: `cells.cells` (percent).
        f1: `supporting_facts.tables.cells` (percent), with its index as columns.
    """
    if claim.measure == "f1":
        ours = f1[(f1.model == claim.preset) & (f1.origin == STORED)].rename(columns={facts.F1_PAPER: "ours"})
        both = _printed_f1(claim).merge(ours[["task", "ours"]], "left", "task")
    else:
        key = ["task", "examples", "test"]
        ours = cells[(cells.model == claim.preset) & (cells.source == "official")]
        both = _printed_errors(claim).merge(ours[[*key, "mean", "best"]], "left", key)
        both["ours"] = both["best"].where(both.statistic.str.startswith("best"), both["mean"])
    without = both.ours.isna()
    return Count(len(both), both.loc[~without, ["label", "ours", "error"]], sorted(both.label[without], key=_by_task))


def _printed_errors(claim: Claim) -> pd.DataFrame:
    rows = all_printed().query("paper == @claim.paper and table == @claim.table and model == @claim.model")
    rows = rows[rows.task.notna() & ~rows.statistic.str.contains("failed")]
    test = rows.test.where(rows.test != "original", "")
    return rows.assign(label=(rows.task.astype(str) + " " + test).str.strip())


def _printed_f1(claim: Claim) -> pd.DataFrame:
    rows = facts.published_facts().query("table == @claim.table and model == @claim.model")
    rows = rows.dropna(subset=["task", "f1"])
    return rows.assign(error=rows.f1, label=rows.task.astype(str), task=rows.task.astype(object))


def _line(claim: Claim, counted: Count | None) -> list[str]:
    if counted is None:
        return [claim.item, claim.status, "", claim.note]
    numbers = f"{len(counted.compared)} of {counted.printed}, {counted.near}"
    return [f"{claim.item} (`{claim.preset}`)", counted.status, numbers, ". ".join(_reasons(claim, counted))]


def _reasons(claim: Claim, counted: Count) -> list[str]:
    reasons = []
    if counted.missing and len(counted.missing) < counted.printed:
        reasons.append(f"Not run: {_few(counted.missing, 9)}")
    if not len(counted.compared):
        reasons.append("Not run")
    if len(counted.far):
        far = [f"{row.label} ({row.ours:.1f} for {row.error:.1f})" for row in counted.far.itertuples()]
        reasons.append(f"Far: {_few(far, FEW)}")
    return [*reasons, claim.note] if claim.note else reasons


def _few(names: list[str], limit: int) -> str:
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")


def _by_task(label: str) -> tuple[int, str]:
    task, _, test = label.partition(" ")
    return int(task), test
