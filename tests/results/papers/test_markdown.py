"""Tables in Markdown leave empty cells empty, and say other budgets and failed tasks."""

import pandas as pd

from symshift.results.papers import cells, markdown
from symshift.results.papers.tables import with_printed
from tests.helpers.rows import run

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


def test_task_table_says_budgets_and_marks_failed_tasks():
    """A cell without a run stays empty."""
    official = cells.official(with_printed(cells.cells(RUNS)), 1000)
    assert markdown.task_table(official).splitlines() == [
        "| task | mn-plain | stpr-sm | gstpr | prehoc |",
        "| --- | --- | --- | --- | --- |",
        "| 1 |  | 1.5 ± 0.7 (n=2)<br>*0.0 ± 0.0* |  |  |",
        "| 2 | **70.0** (n=1)<br>*71.0 ± 3.1* | 3.0 (n=1, ≤24k)<br>*2.1 ± 1.3* | 0.4 (n=1) | "
        "**68.0** (n=1)<br>*70.3* |",
    ]


def test_preset_table_has_a_row_for_each_preset():
    """It stands beside the paper's mean over the same tasks."""
    runs = RUNS.assign(error_people=[3.0, 5.0, None, None, 8.0, None, None, None])
    assert markdown.preset_table(cells.cells(runs), 1000).splitlines() == [
        "| model | tasks | seeds a task | mean error | failed tasks | paper, same tasks | unseen rooms | "
        "unseen objects | unseen people | other budget |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| mn-plain | 1 of 20 | 1 | 70.0 | 1 of 1 | *71.0* |  |  |  |  |",
        "| stpr-sm | 2 of 20 | 1 to 2 | 2.2 | 0 of 2 | *1.1* |  |  | 6.0 | 1 task: ≤24k |",
        "| gstpr | 1 of 20 | 1 | 0.4 | 0 of 1 |  |  |  |  |  |",
        "| prehoc | 1 of 20 | 1 | 68.0 | 1 of 1 | *70.3* |  |  |  |  |",
    ]


def test_preset_table_without_budgets_has_no_such_column():
    """Without other budgets, a table of presets has no column for them."""
    table = markdown.preset_table(cells.cells(RUNS[:2]), 1000)
    assert table.splitlines()[0].endswith("unseen people |")


def test_table_escapes_what_would_end_a_cell():
    frame = pd.DataFrame({"what": ["a|b", "c"], "error": [1.25, None]})
    rows = ["| what | error |", "| --- | --- |", "| a\\|b | 1.2 |", "| c |  |"]
    assert markdown.frame_table(frame).splitlines() == rows


def test_a_number_rounded_to_zero_has_no_minus():
    frame = pd.DataFrame({"increase": [-0.004, -0.06]})
    assert markdown.frame_table(frame).splitlines()[2:] == ["| 0.0 |", "| -0.1 |"]
