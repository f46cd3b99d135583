"""RESULTS.md keeps presets as they are apart from other budgets and settings."""

import re

import pandas as pd
import pytest

from symshift.results.papers import cells, results_page
from symshift.runs.selection import preset_runs
from tests.helpers.rows import run

ROWS = [
    *(run("gstpr-sm", 17, seed, 6.0) for seed in range(3)),
    *(run("gstpr-sm", 17, seed, 4.0, solved=0.0) for seed in range(5)),
    *(run("stpr-sm", 1, seed, 1.0, updates=24000) for seed in range(3)),
    run("stpr-sm", 1, 0, 0.5, dropout=0.1),
]


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The text of each section by its title."""
    runs = pd.DataFrame(ROWS).assign(error_room=[None] * 8 + [3.0] * 3 + [None])
    page = results_page.page(runs, cells.cells(preset_runs(runs)), cells.cells(runs))
    return dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)) | {"": page}


def test_first_table_has_only_presets_as_they_are(sections):
    tables = re.findall(r"^(?:\|.*\n)+", sections[""], re.MULTILINE)
    assert "| gstpr-sm | 1 of 20 | 3 | 6.0 | 1 of 1 |" in tables[0]
    assert "stpr-sm | 1 of 20 | 3 | 1.0" not in tables[0]
    assert "other budget" not in tables[0]


def test_other_budgets_stand_apart(sections):
    text = sections["Runs with another budget included"]
    assert "| stpr-sm | 1 of 20 | 3 | 1.0 | 0 of 1 | *0.0* | 3.0 |  |  | 1 task: ≤24k |" in text
    assert "4.0 ± 0.0 (n=5, solved 0)" in text


def test_budgets_that_decide_a_verdict_are_beside_the_preset(sections):
    row = "| gstpr-sm | 17 | 1,000 | **6.0** | 3 | 4.0 | 5 | solved 0 |"
    assert row in sections["What another budget changes"]


def test_changed_settings_stand_in_their_own_section(sections):
    settings = "Runs with changed settings"
    assert "| stpr-sm | 1 | 1000 | dropout 0.1 | 1 |" in sections[settings]
    assert [title for title, text in sections.items() if title and "dropout 0.1" in text] == [settings]


def test_unseen_words_have_tables_of_their_own(sections):
    text = sections["Runs with another budget included"]
    assert "rooms never seen in training</summary>\n\n| task | stpr-sm |" in text
    assert "people never seen" not in text


def test_contents_name_every_section(sections):
    links = re.findall(r"^- \[(.*?)\]\(#(.*?)\)$", sections[""], re.MULTILINE)
    assert [title for title, _ in links] == [title for title in sections if title]
    assert all(anchor == title.lower().replace(" ", "-") for title, anchor in links)
