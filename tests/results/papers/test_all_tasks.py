"""The network of all tasks: each task's mean over seeds, and what one network fails."""

import pandas as pd
import pytest

from symshift.results.papers import all_tasks
from tests.helpers.rows import run


def learnt(model, seed, errors, **changed):
    """A run on all tasks; tasks without an error here have none."""
    row = run(model, 1, seed, 9.9, stories="all tasks", examples=20_000, **changed)
    return row | {"task": 0} | {f"error_task {task}": errors.get(task, 0.0) for task in range(1, 21)}


RUNS = pd.DataFrame(
    [
        learnt("tpr-large", 0, {1: 20.0, 2: 40.0}, updates=24_000),
        learnt("tpr-large", 1, {1: 40.0}, updates=24_000),
        learnt("tpr-large", 2, {1: 99.0}, dim=8),
        run("tpr-large", 1, 0, 77.0),
    ]
)


def test_ours_stands_beside_the_printed_one():
    table = all_tasks.table(RUNS)
    assert table.index.tolist() == [*range(1, 21), "mean", "failed tasks a seed"]
    assert table["published: tpr-large, 10,000 of each, mean of 8"][[3, 20, "mean"]].tolist() == [4.14, 0.0, 1.34]
    assert table["published: tpr-large, 10,000 of each, best of 8"][[3, "mean"]].tolist() == [2.2, 0.78]
    ours = table["tpr-large, 1,000 of each (n=2, ≤24k)"]
    assert ours[[1, 2, 3, "mean", "failed tasks a seed"]].tolist() == [30.0, 20.0, 0.0, pytest.approx(2.5), 1.5]
    assert len(table.columns) == 3


def test_without_runs_the_printed_one_stands_alone():
    assert len(all_tasks.table(RUNS[RUNS.stories == "official"]).columns) == 2


def test_a_network_of_a_few_tasks_is_none_of_all():
    few = pd.DataFrame([learnt("tpr", 0, {1: 50.0})]).drop(columns=["error_task 3", "error_task 4"])
    assert len(all_tasks.table(few).columns) == 2
    both = pd.concat([few, RUNS], ignore_index=True)
    pd.testing.assert_frame_equal(all_tasks.table(both), all_tasks.table(RUNS))
