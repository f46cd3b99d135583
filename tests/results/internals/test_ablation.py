"""A preset as it is, beside its changed forms: means over seeds, on the tasks that a changed form has learnt."""

import pandas as pd

from symshift.results.internals.ablation import AS_IT_IS, ablation
from tests.helpers.rows import run

MODEL = "stransformer-nodrop"


def test_ablation_compares_a_preset_with_its_changed_forms():
    rows = [run(MODEL, 1, seed, error) | {"error_people": 2 * error} for seed, error in enumerate((1.0, 3.0))]
    rows += [run(MODEL, 2, 0, 50.0)]
    rows += [run(MODEL, 1, 0, 40.0, without="carry") | {"error_people": 60.0, "error_room": 100.0}]
    rows += [run(MODEL, 1, 0, 90.0, updates=150, without="match")]  # a trial
    rows += [run("mn", 1, 0, 9.0, hops=2), run(MODEL, 1, 0, 7.0, stories="generated", without="carry")]
    table = ablation(pd.DataFrame(rows), MODEL)
    assert [*table.index] == [AS_IT_IS, "without carry"]
    assert [*table.columns] == [(1, "test"), (1, "unseen"), (1, "seeds")]
    assert [*table.loc[AS_IT_IS]] == [2.0, 4.0, 2]
    assert [*table.loc["without carry"]] == [40.0, 80.0, 1]


def test_ablation_says_which_budgets_it_compares():
    rows = [run(MODEL, 1, 0, 1.0, updates=24000), run(MODEL, 2, 0, 1.0), run(MODEL, 2, 0, 3.0, without="match")]
    rows += [run(MODEL, 1, 0, 2.0, updates=16000, without="match"), run(MODEL, 1, 0, 9.0, without="carry")]
    table = ablation(pd.DataFrame(rows), MODEL)
    assert [*table.index] == ["as it is (preset or ≤24k)", "without carry", "without match (preset or ≤16k)"]


def test_ablation_of_what_nobody_has_changed_has_no_row():
    assert ablation(pd.DataFrame([run(MODEL, 1, 0, 1.0)]), MODEL).empty
