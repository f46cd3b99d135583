"""The solver reads official and generated stories alike: both speak the same language."""

from dataclasses import replace

import pytest

from symshift.data import Question, World, generate, load
from symshift.data.babi.official import find_official
from tests.babi_solver import chains, solve

TASKS = range(1, 21)
AMBIGUOUS = 4
"""Questions of the official 1K and test files of task 5 that have two right answers: `What did Bill give to Jeff?`
after two gifts. The other 1,996 have one."""


def unsolved(questions: list[Question]) -> list[Question]:
    """The questions that the solver answers or supports otherwise."""
    return [question for question in questions if not is_solved(question)]


def is_solved(question: Question) -> bool:
    """Whether the solver finds the question's answer and supporting facts; in task 18 any chain that shows it."""
    answer, supporting = solve(question)
    if question.task == 18:
        return answer == question.answer and question.supporting in chains(question)
    return (answer, supporting) == (question.answer, question.supporting)


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("task", TASKS)
def test_solve_official_stories(task: int) -> None:
    remaining = unsolved(load(task, source="official") + load(task, split="test", source="official"))
    if task == 5:
        assert len(remaining) == AMBIGUOUS
        assert all(question.question.startswith("What did") for question in remaining)
    else:
        assert remaining == []


@pytest.mark.parametrize("task", TASKS)
def test_solve_generated_stories(task: int) -> None:
    assert unsolved(generate(task, 500)) == []


@pytest.mark.parametrize("task", TASKS)
def test_solve_generated_stories_with_other_names(task: int) -> None:
    people = tuple(f"Person-{number}" for number in range(10_000))
    places = tuple(f"place-{number}" for number in range(50))
    objects = tuple(f"object-{number}" for number in range(20))
    questions = generate(task, 200, world=World(people, places, objects))
    assert unsolved(questions) == []
    assert len(questions) == 200


def test_solve_disagrees_with_wrong_answer_and_support() -> None:
    question = generate(1, 10)[3]
    false = replace(question, answer="nowhere")
    unsupported = replace(question, supporting=(question.supporting[0] - 1,))
    assert unsolved([question, false, unsupported]) == [false, unsupported]
