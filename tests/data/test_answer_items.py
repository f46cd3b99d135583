"""Answers of several items, asked for item by item."""

import pytest

from symshift.data import generate
from symshift.data.answer_items import END, answer_items, ask_items, count_lists, join_items, lists_names
from symshift.data.encoding import Vocabulary, encode
from symshift.data.question import Question

LISTED = Question(("Mary took the milk.", "Mary took the key."), "What is Mary carrying?", "milk,key", (0, 1), 8, "own")
PLAIN = Question(("Mary went home.",), "Where is Mary?", "home", (0,), 1, "own")


def test_each_item_is_asked_for_after_those_said():
    asked = [(part.question, part.answer) for part in ask_items(LISTED)]
    assert asked == [
        ("What is Mary carrying?", "milk"),
        ("What is Mary carrying? milk", "key"),
        ("What is Mary carrying? milk key", END),
    ]
    assert {(part.story, part.supporting) for part in ask_items(LISTED)} == {(LISTED.story, LISTED.supporting)}


@pytest.mark.parametrize(
    ("answer", "items"), [("milk,key", ["milk", "key"]), ("n,n", ["n", "n"]), ("(2,9)", ["(2,9)"]), ("yes", ["yes"])]
)
def test_items_join_to_the_answer(answer, items):
    assert answer_items(answer) == items
    assert join_items(items) == join_items([*items, END]) == answer


@pytest.mark.parametrize(
    ("task", "lists", "of_names"), [(1, False, False), (7, False, False), (8, True, True), (19, True, False)]
)
def test_tasks_with_lists(task, lists, of_names):
    questions = generate(task, 100)
    assert (bool(count_lists(questions)), lists_names(questions)) == (lists, of_names)


def test_rows_of_a_question_share_its_index_and_bucket():
    questions = [LISTED, PLAIN] * 40
    vocabulary = Vocabulary.of(questions, 70, by_item=True)
    encoded = encode(questions, vocabulary, 70)
    assert (vocabulary.by_item, len(encoded)) == (True, 80)
    assert vocabulary.words_a_question == 6
    rows = [len(answer_items(question.answer)) + 1 for question in questions]
    counted = sum(index.bincount(minlength=80) for index in encoded.indices)
    assert counted.tolist() == rows
    for number in range(80):
        assert sum(bool((index == number).any()) for index in encoded.indices) == 1


def test_whole_answers_are_one_row():
    vocabulary = Vocabulary.of([LISTED, PLAIN], 70)
    assert not vocabulary.by_item
    assert "milk,key" in vocabulary.words
    (batch,) = encode([LISTED, PLAIN], vocabulary, 70).buckets
    assert len(batch.answer) == 2
