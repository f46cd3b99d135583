"""The written results, from the runs of a store: README.md's table, RESULTS.md, docs/reproduction.md, docs/errors.png.

`python -m symshift.results.papers.pages` writes all four; the figure keeps the digest of the cells that it shows. With
`--cells` it writes cells.csv beside the store's runs instead, and prints its digest.
"""

import io
import re
import sys

import pandas as pd

from symshift.command_line import Parser
from symshift.errors import InputError
from symshift.paths import ROOT, write_atomically
from symshift.results.generalisation.audit import stored_audits
from symshift.results.papers import cells, headline, reproduction, results_page
from symshift.results.papers.figures import OURS, front_page
from symshift.runs.selection import preset_runs
from symshift.runs.store import Store

COMMAND = "python -m symshift.results.papers.pages"
README, RESULTS = ROOT / "README.md", ROOT / "RESULTS.md"
REPRODUCTION, FIGURE = ROOT / "docs" / "reproduction.md", ROOT / "docs" / "errors.png"
BEGIN, END = f"<!-- results: {COMMAND} -->\n", "<!-- end of results -->"


class Pages:
    """What the pages hold, computed once from the runs of a store and from the audits of these runs."""

    def __init__(self, runs: pd.DataFrame, audits: pd.DataFrame | None = None):
        self.runs = runs
        self.audits = None if audits is None else audits[audits.run.isin(runs.id)]
        self.exact = cells.cells(preset_runs(runs))
        self.any_budget = cells.cells(runs)
        self.headline = headline.headline_cells(self.exact, self.any_budget)

    def readme(self, text: str) -> str:
        """Return the README with the table of these runs between its marks."""
        section = headline.section(self.headline)
        return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: section, text, flags=re.DOTALL)

    def results(self) -> str:
        """Return the text of RESULTS.md."""
        return results_page.page(self.runs, self.exact, self.any_budget, self.audits)

    def reproduction(self) -> str:
        """Return the text of docs/reproduction.md."""
        return reproduction.page(self.runs, self.any_budget)

    def figure_cells(self) -> pd.DataFrame:
        """Return the cells that the figure shows."""
        return cells.official(self.headline[self.headline.model.isin(OURS)], headline.EXAMPLES).reset_index()

    def figure(self) -> bytes:
        """Return the figure as PNG, with the digest of its cells."""
        image = io.BytesIO()
        metadata = {"Software": None, "cells": cells.digest(self.figure_cells())}
        front_page(self.figure_cells()).savefig(image, dpi=120, bbox_inches="tight", metadata=metadata)
        return image.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0: written, 2: there is nothing to write, or the stories of a page are not to be had."""
    parser = Parser(prog=COMMAND, description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", action="store_true", help="write cells.csv beside the store's runs, not the pages")
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_args(arguments)
    try:
        store = Store(options.outputs)
        if options.cells:
            _write_cells(store)
        else:
            _write_pages(store)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _write_cells(store: Store) -> None:
    table = cells.cells(store.runs())
    print(f"{cells.write(table, store.outputs)}: {len(table)} cells, sha256 {cells.digest(table)}")


def _write_pages(store: Store) -> None:
    """Write all pages, or where one of them cannot be made, none."""
    pages = Pages(store.require_runs(), stored_audits(store.outputs))
    contents = {
        README: pages.readme(README.read_text()).encode(),
        RESULTS: pages.results().encode(),
        REPRODUCTION: pages.reproduction().encode(),
        FIGURE: pages.figure(),
    }
    for path, content in contents.items():
        write_atomically(path, content)


if __name__ == "__main__":
    sys.exit(main())
