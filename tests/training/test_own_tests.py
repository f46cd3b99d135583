"""The further tests of one's own stories are made where what they put in is unseen."""

import pytest

from symshift.data import Question, generate
from symshift.data.renaming import all_zero_shot
from symshift.training.own_tests import own_zero_shot

TEST = generate(1, 30)


def question(*story: str, answer: str) -> Question:
    return Question(story, "Where is Mary?", answer, (), 0, "file")


def test_own_zero_shot_makes_all_tests_of_babi():
    assert own_zero_shot(TEST, generate(1, 30, "others"), "own") == (all_zero_shot(TEST), [])


@pytest.mark.parametrize("sentence", ["Mary went to the terrace.", "Mary went out."])  # a word of an answer is known
@pytest.mark.parametrize("place", ["others", "test"])
def test_own_zero_shot_leaves_out_words_that_are_known(place, sentence):
    known = question(sentence, answer="terrace")
    test, others = (TEST, [known]) if place == "others" else ([*TEST, known], [])
    tests, notes = own_zero_shot(test, others, "own.csv")
    assert set(tests) == {"people"}
    assert notes == [
        "own.csv has no test with unseen rooms: 'terrace', the word for 'hallway' there, is in the stories already."
    ]


def test_own_zero_shot_leaves_out_two_names_for_one_word():
    test = [question("Mary went to the garden.", "John went to the park.", answer="garden")]
    tests, notes = own_zero_shot(test, [], "own.csv")
    assert set(tests) == {"people"}
    assert notes == ["own.csv has no test with unseen rooms: 'garden' and 'park' would both be 'entry'."]


def test_own_zero_shot_says_how_many_questions_change():
    test = [question("Mary went to the attic.", answer="attic"), question("Mary left the office.", answer="office")]
    tests, notes = own_zero_shot(test, [], "own.csv")
    assert set(tests) == {"room", "people"}
    assert notes == ["own.csv: in the test with unseen rooms 1 of 2 questions have other words."]


def test_own_zero_shot_makes_none_where_nothing_changes():
    test = [Question(("Zoe went to the attic.",), "Where is Zoe?", "attic", (), 0, "file")]
    assert own_zero_shot(test, [], "own.csv") == ({}, [])
