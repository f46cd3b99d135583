"""The solver reads official and generated stories alike: both speak the same language."""

import pytest

from symshift.data import Question, World, generate, load
from symshift.data.babi.official import find
from tests.babi_solver.reasoning import chains
from tests.babi_solver.solve import solve

TASKS = range(1, 21)
AMBIGUOUS = 4
"""Questions of the official 1K and test files of task 5 that have two right answers: `What did Bill give to Jeff?`
after two gifts. The other 1,996 have one."""


def wrong(questions: list[Question]) -> list[Question]:
    """The questions that the solver answers or supports otherwise."""
    return [asked for asked in questions if not right(asked)]


def right(asked: Question) -> bool:
    answer, supporting = solve(asked)
    supported = asked.supporting in chains(asked) if asked.task == 18 else asked.supporting == supporting
    return supported and answer == asked.answer


@pytest.mark.skipif(not find(), reason="needs the official tasks")
@pytest.mark.parametrize("task", TASKS)
def test_official_stories_are_solved(task: int) -> None:
    unsolved = wrong(load(task, source="official") + load(task, split="test", source="official"))
    if task == 5:
        assert len(unsolved) == AMBIGUOUS
        assert all(asked.question.startswith("What did") for asked in unsolved)
    else:
        assert unsolved == []


@pytest.mark.parametrize("task", TASKS)
def test_generated_stories_are_solved(task: int) -> None:
    assert wrong(generate(task, 500)) == []


@pytest.mark.parametrize("task", TASKS)
def test_generated_stories_with_other_names_are_solved(task: int) -> None:
    people = tuple(f"Person-{number}" for number in range(10_000))
    places = tuple(f"place-{number}" for number in range(50))
    objects = tuple(f"object-{number}" for number in range(20))
    questions = generate(task, 200, world=World(people, places, objects))
    assert wrong(questions) == []
    assert len(questions) == 200


def test_solver_finds_a_wrong_answer_and_a_wrong_support() -> None:
    asked = generate(1, 10)[3]
    false = Question(asked.story, asked.question, "nowhere", asked.supporting, 1, "file")
    unsupported = Question(asked.story, asked.question, asked.answer, (asked.supporting[0] - 1,), 1, "file")
    assert wrong([asked, false, unsupported]) == [false, unsupported]
