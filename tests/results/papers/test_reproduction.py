"""docs/reproduction.md counts cells, and no line of it is without a verdict."""

import pandas as pd
import pytest

from symshift.config import presets
from symshift.data.babi.official import find_official
from symshift.results.papers import reproduction
from symshift.results.papers.cells import cells
from symshift.results.papers.tables import all_printed
from tests.helpers.rows import run

NO_F1 = pd.DataFrame(columns=["task", "model", "origin", "F1, paper's rule"])


def counted(item: str, rows: list[dict]) -> reproduction.Count:
    claim = next(row for row in reproduction.claims() if row.item == item)
    return reproduction.count(claim, cells(pd.DataFrame(rows)), NO_F1)


def test_claims_have_a_status_or_a_table():
    for claim in reproduction.claims():
        assert claim.paper in reproduction.PAPERS
        assert (claim.status in reproduction.STATUSES) != bool(claim.table), claim.item
        assert not claim.table or claim.preset in presets(), claim.item
        assert len(claim.note) < 300, claim.item


def test_count_compares_each_printed_number():
    near = counted("Table 3: STPR", [run("stpr", 1, 0, 0.2), run("stpr", 15, 0, 4.9)])
    assert (near.printed, len(near.compared), len(near.far), near.status) == (20, 2, 0, "partly")
    assert near.missing[:3] == ["2", "3", "4"]


def test_count_names_what_is_far():
    far = counted("Table 3: STPR", [run("stpr", 1, 0, 50.0)])
    assert list(far.far.label) == ["1"]
    assert far.status == "not reproduced"


def test_whole_table_is_reproduced_where_all_cells_are_near():
    printed = all_printed().query("table == 'Table 3' and model == 'stpr' and paper.str.startswith('Salinas')")
    rows = [run("stpr", int(row.task), 0, row.error) for row in printed.itertuples()]
    assert counted("Table 3: STPR", rows).status == "reproduced"


def test_best_of_seeds_is_compared_with_best():
    rows = [run("entnet", 1, seed, error, examples=10000) for seed, error in enumerate((0.0, 90.0))]
    rows[1]["error_valid"] = 100.0
    assert list(counted("Table 2: EntNet", rows).compared.ours) == [0.0]


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_page_has_a_section_for_each_paper(paper):
    page = reproduction.page(pd.DataFrame([run("stpr", 1, 0, 0.2)]), cells(pd.DataFrame([run("stpr", 1, 0, 0.2)])))
    assert f"({paper})\n" in page
    assert "nan" not in page
