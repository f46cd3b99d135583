"""A combination that is new stands in no training question, and every question has the answer of the solver."""

import pytest

from symshift.data import Question, combinations
from symshift.data.combinations import (
    answer_is,
    facts_above,
    person_in_task,
    sample_combination_split,
    sentences_above,
    together,
)
from symshift.data.renaming import words_of
from symshift.errors import InputError

QUESTION = Question(("Mary took the milk.", "John left the apple."), "Where is Mary?", "garden", (0, 1), 1, "file")


@pytest.mark.parametrize(
    ("condition", "is_new"),
    [
        (together("milk", "took"), True),
        (together("milk", "left"), False),
        (person_in_task("Mary", 1), True),
        (person_in_task("Mary", 2), False),
        (sentences_above(1), True),
        (sentences_above(2), False),
        (facts_above(1), True),
        (facts_above(2), False),
        (answer_is("Garden"), True),
        (answer_is("milk"), False),
    ],
)
def test_conditions_say_what_is_new(condition, is_new):
    assert condition(QUESTION) == is_new


def test_sides_share_no_story(monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 50)
    sides = sample_combination_split([1], "sentences_above", [4], 100)
    assert [len(side) for side in sides] == [100, 50, 50]
    stories = [{question.story for question in side} for side in sides]
    assert not stories[0] & stories[1]
    assert not stories[0] & stories[2]


def test_side_without_questions_is_one_line(monkeypatch):
    monkeypatch.setattr(combinations, "ROUNDS", 2)
    with pytest.raises(InputError, match=r"^task 1: of 1000 questions with what is held out the generator makes 0$"):
        sample_combination_split([1], "answer", ["cellar"], 10)


def test_a_person_is_left_out_of_the_world_of_their_task(monkeypatch):
    """Task 10 has other people and rooms than task 1: without Bill, its training has the others of its own."""
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 50)
    parts = sample_combination_split([10], "person_in_task", ["Bill", 10], 100)
    train, _, combination = (set().union(*map(words_of, side)) for side in parts)
    assert {"fred", "julie", "mary", "cinema"} <= train
    assert combination - train == {"bill"}
