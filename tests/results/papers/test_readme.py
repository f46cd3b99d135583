"""Tables hold only what their rule lets in, and the README's are those of the committed records."""

import io
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from symshift.results.papers import cells
from symshift.results.papers import readme as tables
from symshift.results.papers.tables import with_printed
from symshift.runs.store import Store
from tests.helpers.rows import run

ROOT = Path(__file__).parents[3]
RUNS = pd.DataFrame(
    [
        run("stpr-sm", 1, 0, 1.0),
        run("stpr-sm", 1, 1, 2.0),
        run("stpr-sm", 1, 2, 99.0, dropout=0.1),
        run("stpr-sm", 1, 3, 99.0, stories="generated"),
        run("stpr-sm", 2, 0, 3.0, updates=24000),
        run("gstpr", 2, 0, 0.4),
        run("mn-plain", 2, 0, 70.0),
        run("prehoc", 2, 0, 68.0),
    ]
)


def test_markdown_leaves_empty_cells_empty_and_says_other_budgets():
    found = cells.official(with_printed(cells.cells(RUNS)), 1000)
    assert tables.markdown(found).splitlines() == [
        "| task | mn-plain | stpr-sm | gstpr | prehoc |",
        "| --- | --- | --- | --- | --- |",
        "| 1 |  | 1.5 ± 0.7 (n=2)<br>*0.0 ± 0.0* |  |  |",
        "| 2 | 70.0 (n=1)<br>*71.0 ± 3.1* | 3.0 (n=1, ≤24k)<br>*2.1 ± 1.3* | 0.4 (n=1) | 68.0 (n=1)<br>*70.3* |",
    ]


def test_zero_shot_errors_have_a_table_of_their_own():
    runs = RUNS.assign(error_room=[3.0, *[np.nan] * 7])
    section = tables.readme_section(runs)
    assert "rooms never seen in training</summary>\n\n| task | stpr-sm |\n| --- | --- |\n| 1 | 3.0 (n=1) |\n" in section
    assert "people never seen" not in section


def test_the_overview_has_a_row_each_preset_beside_the_paper_on_the_same_tasks():
    runs = RUNS.assign(error_people=[3.0, 5.0, *[np.nan] * 2, 8.0, *[np.nan] * 3])
    assert tables.overview(cells.cells(runs), 1000).splitlines() == [
        "| model | tasks | seeds a task | mean error | failed | paper, same tasks | unseen rooms | unseen objects | "
        "unseen people |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| mn-plain | 1 of 20 | 1 or more | 70.0 | 1 of 1 | *71.0* |  |  |  |",
        "| stpr-sm | 2 of 20 | 1 or more | 2.2 | 0 of 2 | *1.1* |  |  | 6.0 |",
        "| gstpr | 1 of 20 | 1 or more | 0.4 | 0 of 1 |  |  |  |  |",
        "| prehoc | 1 of 20 | 1 or more | 68.0 | 1 of 1 | *70.3* |  |  |  |",
    ]


def test_no_runs_make_no_table():
    assert tables.readme_section(RUNS[:0]) == "No runs yet.\n"


@pytest.fixture
def committed() -> pd.DataFrame:
    """The records that git knows."""
    names = subprocess.run(["git", "ls-files", "outputs/runs"], cwd=ROOT, capture_output=True, text=True, check=True)
    ids = {Path(name).parent.name for name in names.stdout.splitlines() if name.endswith("run.json")}
    runs = Store(ROOT / "outputs").runs()
    return runs[runs.id.isin(ids)]


def test_readme_holds_what_the_committed_records_give(committed):
    readme = (ROOT / "README.md").read_text()
    section = tables.readme_section(committed)
    assert tables.with_section(readme, section) == readme, "run python -m symshift.results.papers.readme"


def test_readme_shows_a_figure_of_what_the_committed_records_give(committed):
    assert f"]({tables.FIGURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()
    assert tables.FIGURE.stat().st_size < 200_000
    shown = tables.shown(cells.cells(committed))
    with Image.open(tables.FIGURE) as figure:
        assert figure.text["cells"] == cells.digest(shown), "run python -m symshift.results.papers.readme"


def test_a_figure_keeps_the_digest_of_the_cells_that_it_shows():
    with Image.open(io.BytesIO(tables.figure(cells.cells(RUNS)))) as figure:
        assert figure.text["cells"] == cells.digest(tables.shown(cells.cells(RUNS[:5])))


def test_the_command_writes_the_cells_and_says_their_digest(tmp_path, capsys):
    tables.main(["--cells", "--outputs", str(tmp_path)])
    digest = cells.digest(cells.cells(Store(tmp_path).runs()))
    assert capsys.readouterr().out == f"{tmp_path / 'cells.csv'}: 0 cells, sha256 {digest}\n"
    assert (tmp_path / "cells.csv").read_text() == ",".join(cells.COLUMNS) + "\n"


def test_a_store_without_runs_leaves_the_readme_as_it_is(tmp_path, capsys):
    before = tables.README.read_bytes(), tables.FIGURE.read_bytes()
    assert tables.main(["--outputs", str(tmp_path / "nowhere")]) == 2
    assert "nowhere' has no finished run; name the folder that holds runs/" in capsys.readouterr().err
    assert (tables.README.read_bytes(), tables.FIGURE.read_bytes()) == before
