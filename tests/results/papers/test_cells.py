"""A cell by hand, by both conventions, and a digest that changes with what it is of."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from symshift.results.papers import cells
from symshift.results.papers.cells import official
from symshift.runs.store import Store
from tests.helpers.rows import run

ROWS = [
    run("stpr-sm", 1, 2, 3.0, valid=1.0),
    run("stpr-sm", 1, 1, 8.0, valid=0.5),
    run("stpr-sm", 1, 3, 1.0, valid=0.5),
    run("stpr-sm", 1, 0, 0.0, valid=2.0),
    run("stpr-sm", 2, 4, 7.0),
    run("stpr-sm", 1, 5, 99.0, stories="generated"),
    run("stpr-sm", 1, 6, 2.0, examples=10000),
]
FOUND = cells.cells(pd.DataFrame(ROWS))


def test_a_cell_by_hand():
    cell = official(FOUND, 1000).loc[("stpr-sm", 1)]
    assert (cell.n, cell["mean"]) == (4, 3.0)
    assert cell["std"] == pytest.approx(np.sqrt((0 + 25 + 4 + 9) / 3))
    assert cell.runs == "stpr-sm0 stpr-sm1 stpr-sm2 stpr-sm3"


def test_best_cell_is_by_validation():
    """The best is by validation, not by test; among equals it is the first seed."""
    assert official(FOUND, 1000).loc[("stpr-sm", 1)].best == 8.0


def test_one_seed_has_no_deviation():
    assert np.isnan(official(FOUND, 1000).loc[("stpr-sm", 2)]["std"])


def test_sources_sizes_and_tests_are_cells_of_their_own():
    assert FOUND.groupby(["source", "examples"]).n.sum().to_dict() == {
        ("generated", 1000): 1,
        ("official", 1000): 5,
        ("official", 10000): 1,
    }
    unseen = pd.DataFrame(ROWS).assign(error_room=[4.0, 6.0, *[np.nan] * 5])
    room = official(cells.cells(unseen), 1000, "room")
    assert room[["mean", "n", "best"]].to_dict("index") == {("stpr-sm", 1): {"mean": 5.0, "n": 2, "best": 6.0}}


def test_failed_tasks_are_counted_over_those_that_have_cells():
    assert cells.failed(official(FOUND, 1000)["mean"]) == "1 of 2"


def test_the_digest_is_of_the_sorted_cells():
    mixed = FOUND.sample(frac=1, random_state=0)
    assert cells.digest(mixed) == cells.digest(FOUND) == hashlib.sha256(cells.csv(FOUND).encode()).hexdigest()
    other = pd.DataFrame([ROWS[0] | {"error_test": 3.1}, *ROWS[1:]])
    assert cells.digest(cells.cells(other)) != cells.digest(FOUND)


def test_written_cells_are_read_back(tmp_path):
    kept = pd.read_csv(cells.write(FOUND, tmp_path), keep_default_na=False, na_values={"std": ""})
    pd.testing.assert_frame_equal(kept, FOUND, rtol=1e-4)


def test_an_empty_store_has_no_cells(tmp_path):
    found = cells.cells(Store(tmp_path).runs())
    assert found.columns.tolist() == cells.COLUMNS
    assert found.empty
