"""Errors on the Children's Book Test stand beside the printed ones."""

import pandas as pd

from symshift.results.entities.cloze import errors_by_kind
from symshift.results.generalisation.tables import PRINTED, STORED
from tests.helpers.rows import run


def books(seed: int, kind: str, error: float, **changed: object) -> dict[str, object]:
    """A run on the questions of books."""
    return run("entnet-cloze", 1, seed, error, stories=f"{kind} of books", examples=3242, **changed)


RUNS = pd.DataFrame(
    [books(0, "names", 80.0), books(1, "names", 84.0), books(0, "nouns", 75.0), run("entnet", 1, 0, 1.0)]
)


def test_errors_by_kind_are_means_beside_printed_ones():
    table = errors_by_kind(RUNS).set_index(["left out", "origin", "model"])
    assert table.loc[("names", STORED, "entnet-cloze")].to_list() == [82.0, 2, 3242, ""]
    assert table.loc[("nouns", STORED, "entnet-cloze")].to_list() == [75.0, 1, 3242, ""]
    assert table.error["names", PRINTED, "entnet-simple"] == 38.4
    assert ("names", STORED, "entnet") not in table.index


def test_errors_of_fewer_questions_are_kept_apart():
    fewer = pd.DataFrame([books(seed, "names", 90.0) | {"examples": 500} for seed in (0, 1)])
    table = errors_by_kind(pd.concat([RUNS, fewer])).set_index(["left out", "origin", "questions"])
    assert table.loc[("names", STORED, 500), ["error", "n"]].to_list() == [90.0, 2]
    assert table.loc[("names", STORED, 3242), ["error", "n"]].to_list() == [82.0, 2]


def test_errors_by_kind_of_a_store_without_books_are_printed():
    table = errors_by_kind(RUNS[RUNS.stories == "official"])
    assert set(table.origin) == {PRINTED}
    assert len(table) == 8
