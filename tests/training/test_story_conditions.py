"""The data of the experiments on generalisation: assignments, names, new people, haystacks."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, generate, read, tokenize, write
from symshift.data.assignments import assignments
from symshift.data.haystack import BOOKS, books, chatter, hide, prose
from symshift.data.names import people
from symshift.data.new_people import TRAINED, new_people
from symshift.data.renaming import zero_shot
from symshift.errors import InputError
from symshift.paths import ROOT
from tests.babi_solver import solve


@pytest.mark.parametrize("variables", [10, 100, 1000])
def test_assignments_answer_is_the_last(variables: int) -> None:
    train, test = (assignments(variables, split, examples=2000) for split in ("train", "test"))
    assert (len(train), len(test)) == (2000, 1000)
    for asked in test:
        values = dict(sentence.rstrip(".").split(" = ") for sentence in asked.story)
        assert len(asked.story) == 10
        assert asked.answer == values[asked.question.split()[0]]
        assert asked.story[asked.supporting[0]] == f"{asked.question.split()[0]} = {asked.answer}."
    assert not {asked.story for asked in train} & {asked.story for asked in test}
    assert len({word for asked in train for line in asked.story for word in tokenize(line)}) <= 2 * variables


def test_assignments_are_written_and_read(tmp_path: Path) -> None:
    test = assignments(100, "test")
    write(test, tmp_path / "assignments.txt")
    assert read(tmp_path / "assignments.txt") == [replace(asked, source="file") for asked in test]


@pytest.mark.parametrize("wrong", [{"variables": 0}, {"examples": 0}, {"length": 0}, {"split": "valid"}])
def test_assignments_refuse_wrong_arguments(wrong: dict) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(wrong))} "):
        assignments(**({"variables": 10} | wrong))


def test_assignments_refuse_too_few() -> None:
    with pytest.raises(InputError, match=r"^variables 2, length 2: the test has all stories"):
        assignments(2, length=2)


def test_people_extend_the_fewer() -> None:
    few, many = people(10).people, people(10_000).people
    assert many[:10] == few
    assert len({name.lower() for name in many}) == 10_000
    assert solve(generate(1, 5, world=people(1000))[4])[0] == generate(1, 5, world=people(1000))[4].answer
    with pytest.raises(InputError, match="count 0: "):
        people(0)


def test_new_people_want_a_question_about_a_man() -> None:
    questions = [Question(("Mary went to the hall.",), "Where is Mary?", "hall", (0,), 1, "file")]
    with pytest.raises(InputError, match=r"^task 1: no question asks about a man, whom Alex could replace; give more$"):
        new_people(questions, "train", count=2)


def test_new_people_tasks_are_those_of_the_paper() -> None:
    questions = [asked for task in (1, 7, 11) for asked in generate(task, 100)]
    train, test = (new_people(questions, split, count=20) for split in ("train", "test"))
    assert Counter(name for name, _ in train) == {"Alex": 3, "Glenn": 3, "Jordan": 2, "Mike": 1, "Logan": 1}
    assert TRAINED == {"Alex": 8, "Glenn": 6, "Jordan": 4, "Mike": 2, "Logan": 1}
    assert len(test) == 5 * 3
    for (name, task), asked in test.items():
        assert len(asked) == 20
        assert {question.task for question in asked} == {task}
        assert sum(name in question.question for question in asked) == 4
        assert all(any(name in sentence for sentence in question.story) for question in asked)
        assert all(solve(question)[0] == question.answer for question in asked)
    with pytest.raises(InputError, match="split 'valid'"):
        new_people(questions, "valid")
    with pytest.raises(InputError, match=r"^0 stories of each new person: at least 1"):
        new_people(questions, "train", count=0)


@pytest.mark.parametrize("task", range(1, 6))
@pytest.mark.parametrize("kind", [None, "room"])
def test_hide_keeps_supporting_facts(task: int, kind: str | None) -> None:
    questions = generate(task, 50)
    shown = zero_shot(questions, kind) if kind else questions
    for asked, hidden in zip(shown, hide(shown, chatter(500), 300), strict=True):
        assert len(hidden.story) == len(asked.story) + 300
        assert [hidden.story[line] for line in hidden.supporting] == [asked.story[line] for line in asked.supporting]
        assert solve(hidden) == (asked.answer, hidden.supporting)


@settings(deadline=None, max_examples=20)
@given(count=st.integers(0, 40), seed=st.integers(0, 1000))
def test_hide_keeps_the_order_of_facts(count: int, seed: int) -> None:
    for asked, hidden in zip(generate(1, 5), hide(generate(1, 5), chatter(7), count, seed), strict=True):
        assert tuple(line for line in hidden.story if line in asked.story) == asked.story
        assert len(hidden.story) == len(asked.story) + count


def test_haystack_is_written_and_read(tmp_path: Path) -> None:
    hidden = hide(generate(2, 20), prose("“Who are you?” said he. Dogs bark! It rained,\nand it rained."), 10)
    write(hidden, tmp_path / "haystack.txt")
    assert read(tmp_path / "haystack.txt", 2) == [replace(asked, source="file") for asked in hidden]


def test_prose_leaves_out_possible_facts() -> None:
    told = "Dogs bark. John slept. Then she went to the well. The kitchen was cold! Was it late? It was."
    assert prose(told) == ["Dogs bark.", "Was it late.", "It was."]


@pytest.mark.skipif(not (ROOT.parent / "shared" / "data" / BOOKS).exists(), reason="needs the books")
def test_books_hold_prose() -> None:
    sentences = books()
    assert len(sentences) > 20_000
    assert all(sentence.endswith(".") and "\t" not in sentence and "?" not in sentence for sentence in sentences)


def test_missing_distractors_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="distractors: none given"):
        hide(generate(1, 5), [], 10)
    with pytest.raises(InputError, match=r"^count is -1; it must be finite and not negative$"):
        hide(generate(1, 5), chatter(7), -1)
    with pytest.raises(InputError, match="cannot be read"):
        books(tmp_path / "nowhere.tar.gz")
