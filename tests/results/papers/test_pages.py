"""README's table, RESULTS.md and the figure are what the committed records give."""

import io
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from symshift.results.generalisation.audit import stored_audits
from symshift.results.papers import cells, pages
from symshift.results.papers.pages import Pages
from symshift.runs.store import Store
from tests.helpers.rows import run

ROOT = Path(__file__).parents[3]
STALE = f"run {pages.COMMAND}"
RUNS = pd.DataFrame([run("stpr-sm", 1, 0, 1.0), run("stpr-sm", 2, 0, 3.0, updates=24000), run("gstpr", 2, 0, 0.4)])


@pytest.fixture(scope="module")
def committed() -> Pages:
    """The pages of the published records."""
    store = Store(ROOT / "outputs")
    runs = store.runs()
    return Pages(runs[runs.id.isin(store.published_ids())], stored_audits(store.outputs))


def test_readme_holds_what_the_committed_records_give(committed):
    readme = pages.README.read_text()
    assert pages.BEGIN in readme
    assert committed.readme(readme) == readme, STALE


def test_results_page_is_what_the_committed_records_give(committed):
    assert committed.results() == pages.RESULTS.read_text(), STALE


def test_figure_shows_what_the_committed_records_give(committed):
    path = f"]({pages.FIGURE.relative_to(ROOT)})"
    assert path in pages.RESULTS.read_text()
    assert pages.FIGURE.stat().st_size < 200_000
    with Image.open(pages.FIGURE) as figure:
        assert figure.text["cells"] == cells.digest(committed.figure_cells()), STALE


def test_headline_of_committed_records_rests_on_presets(committed):
    """Task 17 of gstpr-sm has runs with `solved: 0` and a lower error; the headline has the preset's own."""
    headline = cells.official(committed.headline, 1000).loc[("gstpr-sm", 17)]
    exact = cells.official(committed.exact, 1000).loc[("gstpr-sm", 17)]
    assert headline.budget == ""
    assert headline["mean"] == exact["mean"]


def test_figure_keeps_the_digest_of_its_cells():
    with Image.open(io.BytesIO(Pages(RUNS).figure())) as figure:
        assert figure.text["cells"] == cells.digest(Pages(RUNS[:2]).figure_cells())


def test_results_page_has_no_audits_of_other_runs(committed):
    title = "## What other names change"
    assert title in committed.results()
    assert title not in Pages(RUNS, committed.audits).results()


def test_command_writes_cells_and_prints_their_digest(tmp_path, capsys):
    pages.main(["--cells", "--outputs", str(tmp_path)])
    digest = cells.digest(cells.cells(Store(tmp_path).runs()))
    assert capsys.readouterr().out == f"{tmp_path / 'cells.csv'}: 0 cells, sha256 {digest}\n"
    assert (tmp_path / "cells.csv").read_text() == ",".join(cells.COLUMNS) + "\n"


def test_store_without_runs_leaves_all_pages_as_they_are(tmp_path, capsys):
    files = pages.README, pages.RESULTS, pages.FIGURE
    before = [file.read_bytes() for file in files]
    assert pages.main(["--outputs", str(tmp_path / "nowhere")]) == 2
    assert "nowhere' has no finished run; name the folder that holds runs/" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == before
