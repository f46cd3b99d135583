"""The data conditions of the generalisation experiments, as what a run is trained and tested on."""

from collections import Counter
from pathlib import Path

import pytest

import symshift
from symshift.errors import InputError
from symshift.results.store import Store
from symshift.stories.babi import find
from symshift.stories.systematic import TRAINED
from symshift.training.data import Data
from symshift.training.experiments import (
    all_tasks,
    generated_for_official,
    more_names,
    more_symbols,
    new_people_in_some_tasks,
    world_model,
)


@pytest.mark.parametrize("stories", [more_names(50, 100), more_symbols(5, 100)], ids=["names", "variables"])
def test_a_run_says_what_it_was_trained_on(stories: Data, tmp_path: Path) -> None:
    config = symshift.configure({"model": "tpr", "task": 20, "updates": 1, "evaluate_every": 1})
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu", stories)
    record = Store(tmp_path).record(run)
    assert (
        record["config"] | {"task": stories.train[0].task, "examples": 100, "source": "generated"} == record["config"]
    )
    assert record["provenance"]["stories"] == stories.name
    assert Store(tmp_path).runs().stories.tolist() == [stories.name]


@pytest.mark.skipif(not find(), reason="needs the official tasks")
def test_the_official_test_stands_beside_the_generated() -> None:
    stories = generated_for_official(1, 50)
    assert {asked.source for asked in stories.train} == {asked.source for asked in stories.test} == {"generated"}
    assert [asked.source for asked in stories.unseen["official"]] == ["official"] * 1000


def test_new_people_are_tested_where_they_were_trained_and_where_not() -> None:
    stories = new_people_in_some_tasks(100, 10, (1, 6, 7), "generated")
    assert stories.describe(symshift.configure({"model": "tpr"})).task == 0
    sizes = {name: len(questions) for name, questions in stories.unseen.items()}
    assert sizes == {"Alex trained": 30, "Glenn trained": 30, "Jordan trained": 30} | {
        "Mike trained": 20, "Mike new": 10, "Logan trained": 10, "Logan new": 20,
    }  # fmt: skip
    assert list(TRAINED) == ["Alex", "Glenn", "Jordan", "Mike", "Logan"]
    assert {asked.task for asked in stories.train} == {1, 6, 7}


def test_one_network_for_several_tasks_is_tested_on_each(tmp_path: Path) -> None:
    stories = all_tasks(50, (1, 15), "generated")
    assert {name: {asked.task for asked in test} for name, test in stories.unseen.items()} == {
        "task 1": {1},
        "task 15": {15},
    }
    config = symshift.configure({"model": "tpr", "updates": 1, "evaluate_every": 1})
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu", stories)
    errors = Store(tmp_path).record(run)["error"]
    assert errors["test"] == pytest.approx((errors["task 1"] + errors["task 15"]) / 2)


@pytest.mark.parametrize("tasks", [(), (1, 5)])
def test_new_people_need_the_tasks_of_the_paper(tasks: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"tasks \[.*\]: some of 1, 6, 7, 8, 9, 11, 12, 13 would be right"):
        new_people_in_some_tasks(tasks=tasks, source="generated")


def test_walks_are_short_in_training_and_long_in_tests() -> None:
    stories = world_model((4, 9, 20), 100)
    assert Counter(len(asked.story) for asked in stories.train) == {4: 34, 9: 33, 20: 33}
    assert {len(asked.story) for asked in stories.test} == {20}
    assert stories.describe(symshift.configure({"model": "entnet"})).examples == 100
    lengths = {name: {len(asked.story) for asked in questions} for name, questions in stories.unseen.items()}
    assert lengths == {f"T={length}": {length} for length in range(10, 90, 10)}
    assert stories.unseen["T=20"] == stories.test


@pytest.mark.parametrize("wrong", [{"lengths": ()}, {"lengths": (10, 20), "examples": 1}, {"lengths": (10, 3)}])
def test_walks_need_lengths_and_an_example_of_each(wrong: dict) -> None:
    with pytest.raises(InputError, match=r"^length"):
        world_model(**wrong)
