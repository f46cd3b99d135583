"""A run stands for its preset if it changed nothing, or in tables at most the budget; the largest budget stands."""

import pandas as pd
import pytest

from symshift import configure, train
from symshift.results.papers.cells import cells
from symshift.runs.selection import budget, one_run_per_seed, preset_runs, runs_with_changed_settings
from symshift.runs.store import Store
from tests.helpers.rows import run

RUNS = pd.DataFrame(
    [
        run("stpr-sm", 1, 0, 1.0),
        run("stpr-sm", 1, 1, 0.0, updates=24000, patience=8000),
        run("stpr-sm", 1, 2, 0.0, dropout=0.1),
        run("stpr-sm", 1, 3, 9.0, stories="generated"),
        run("gstpr", 2, 4, 0.4) | {"model": "another"},
    ]
)


def test_preset_runs_changed_nothing():
    """Unchanged runs are those of the whole preset on any stories."""
    assert preset_runs(RUNS).id.tolist() == ["stpr-sm0", "stpr-sm3"]


def test_one_run_per_seed_allows_other_budgets():
    """Runs that changed but their budget are let in and said."""
    kept = one_run_per_seed(RUNS)
    assert kept.id.tolist() == ["stpr-sm0", "stpr-sm1", "stpr-sm3"]
    assert budget(kept[kept.seed == 1]) == "≤24k"
    assert budget(kept[kept.seed != 1]) == ""
    assert budget(kept) == "preset or ≤24k"
    assert budget(pd.DataFrame([run("mn", 1, 0, 0.0, patience=500)])) == "patience 500"
    assert budget(pd.DataFrame([run("mn", 1, 0, 0.0, solved=0.0)])) == "solved 0"


def test_one_run_per_seed_leaves_out_trials():
    """A seed of few updates counts alone, and not beside seeds of twenty times as many."""
    trial = run("mn", 1, 1, 50.0, updates=50)
    runs = pd.DataFrame([run("mn", 1, 0, 0.0), trial, run("mn", 2, 1, 60.0, updates=50) | {"id": "alone"}])
    assert one_run_per_seed(runs).id.tolist() == ["mn0", "alone"]
    assert one_run_per_seed(runs[1:2]).id.tolist() == ["mn1"]


def test_a_trial_has_at_most_a_twentieth_of_the_updates():
    rows = [run("mn", 1, seed, 0.0, updates=updates) for seed, updates in enumerate((1000, 50, 51))]
    assert one_run_per_seed(pd.DataFrame(rows)).id.tolist() == ["mn0", "mn2"]


def test_runs_with_changed_settings_have_the_largest_budget():
    rows = [run("mn", 1, 0, error, dim=30, updates=updates) for error, updates in ((1.0, 50), (9.0, 60))]
    changed = runs_with_changed_settings(pd.DataFrame([*rows, run("mn", 1, 0, 0.0, updates=70)]))
    assert (changed.error_test.tolist(), changed.changed.tolist()) == ([9.0], ["dim 30"])


@pytest.mark.parametrize(
    ("model", "task", "answers", "of_preset"),
    [
        ("stransformer-window", 8, "items", True),
        ("stransformer-window", 8, "whole", False),
        ("stransformer-window", 1, "whole", True),
        ("stransformer-window", 19, "whole", True),
        ("gstpr-sm", 8, "whole", True),
        ("gstpr-sm", 8, "items", False),
        ("stransformer-window", 0, "whole", True),
        ("gstpr-sm", 0, "items", False),
    ],
)
def test_answers_setting_counts_where_there_are_lists(model, task, answers, of_preset):
    """Runs on tasks without lists say nothing of how they would say them."""
    others = [run("tpr", 1, 0, 0.0), run("stransformer", 19, 0, 0.0)]
    runs = pd.DataFrame([run(model, 1, 1, 0.0, answers=answers) | {"task": task}, *others])
    assert (1 in set(preset_runs(runs).seed)) == of_preset


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 0, 2, 1], [1, 3, 2, 0]])
def test_one_run_per_seed_has_the_largest_budget(order):
    """Of one seed the largest budget stands however much worse it came out."""
    budgets = [(24000, 8000, 0.0, 30.0), (24000, 8000, 0.01, 3.0), (24000, 4000, 0.001, 2.0), (8000, 8000, 0.001, 1.0)]
    runs = [
        run("tpr-sm", 1, 0, error, valid=error, updates=updates, patience=patience, solved=solved)
        for updates, patience, solved, error in budgets
    ]
    assert one_run_per_seed(pd.DataFrame([runs[place] for place in order])).error_test.tolist() == [30.0]


def test_one_run_per_seed_tells_stories_apart():
    """Other stories tasks sizes and seeds are other runs."""
    more = [{"examples": 10000}, {"stories": "generated"}, {"data": "others"}, {"task": 2}, {"seed": 1}]
    rows = [{"model": "mn", "task": 1, "seed": 0, "error": 1.0} | change for change in [{}, *more]]
    assert len(one_run_per_seed(pd.DataFrame([run(**row) for row in rows]))) == 6


def test_selection_of_an_empty_store(tmp_path):
    runs = Store(tmp_path).runs()
    assert preset_runs(runs).empty
    assert one_run_per_seed(runs).empty


def test_cell_has_the_longer_of_real_runs(tmp_path):
    """Of real runs the longer one is in the cell."""
    small = {"model": "tpr-sm", "task": 15, "examples": 60, "source": "generated"}
    train(configure(small | {"updates": 2}), [0], str(tmp_path), "cpu")
    longer = train(configure(small | {"updates": 4}), [0, 1], str(tmp_path), "cpu")
    train(configure(small | {"updates": 5, "learning_rate": 0.5}), [0], str(tmp_path), "cpu")
    store = Store(tmp_path)
    found = cells(store.runs()).set_index("test").loc["original"]
    errors = [store.record(name)["error"]["test"] for name in longer]
    assert (found.n, found.runs, found.budget) == (2, " ".join(longer), "≤4")
    assert found["mean"] == pytest.approx(sum(errors) / 2)


def test_runs_whose_network_is_not_here_are_named(monkeypatch, tmp_path, capsys):
    """A preset of one's own without its network leaves out its runs, and no others."""
    (tmp_path / "elsewhere.yaml").write_text("model: elsewhere\nnetwork: not-here\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    runs = pd.concat(
        [RUNS, pd.DataFrame([run("mn", 1, 0, 0.0) | {"model": "elsewhere", "code": "abc"}])], ignore_index=True
    )
    assert preset_runs(runs.assign(code=runs.code.fillna(""))).id.tolist() == ["stpr-sm0", "stpr-sm3"]
    assert "left out: runs of elsewhere: elsewhere.yaml: network 'not-here' is unknown" in capsys.readouterr().err
