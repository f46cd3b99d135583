"""Generated stories are made as the official ones are."""

import pytest

from symshift.data import World, generate, load
from symshift.data.babi.official import find_official
from symshift.data.statistics import compare, kind, measure

ALPHA = 0.001


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("task", range(1, 21))
def test_compare_generated_with_official(task: int) -> None:
    p_values = compare(load(task, split="test", source="official"), generate(task, 2000), shuffles=10_000)
    assert {name: p for name, p in p_values.items() if p < ALPHA} == {}


@pytest.mark.parametrize("task", [1, 2, 5, 18])
def test_compare_sees_another_world(task: int) -> None:
    fewer = {kind: names[:-1] for kind, names in World().kinds().items()} | {"objects": ("apple", "box", "chest")}
    p_values = compare(generate(task, 1000), generate(task, 1000, seed=1, world=World(**fewer)), shuffles=10_000)
    assert min(p_values.values()) < ALPHA


def test_compare_of_two_seeds_differs_by_chance() -> None:
    assert min(compare(generate(2, 1000), generate(2, 1000, seed=1)).values()) > 0.01


def test_measure_of_one_story() -> None:
    asked = generate(1, 1)[0]
    (story,) = measure([asked])
    assert kind(asked) == "where is _"
    assert story["answer"] == {asked.answer: 1}
    assert story["sentences"] == {2: 1}
    assert story["gap"] == {1 - asked.supporting[0]: 1}
    assert story["word"][asked.answer] >= 1
