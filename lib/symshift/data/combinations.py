"""Questions with a new combination of known words, numbers or lengths, and the stories on both sides of such a split.

A condition says what a question must have to be new: it is then in the test `combination` alone, and training never has
such a question. Everything else about both sides is alike.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from symshift.data.babi.generator import World, generate
from symshift.data.babi.generator.own_tasks import find_task
from symshift.data.question import Question
from symshift.data.renaming import words_of
from symshift.data.splits import TEST_QUESTIONS
from symshift.data.words import fold, tokenize
from symshift.errors import InputError

ROUNDS = 40  # of drawing, until a split is full
POOL_SIZE = 4  # times the questions that are missing
Condition = Callable[[Question], bool]


class CombinationSplit(NamedTuple):
    """Training questions, test questions like them, and test questions with the new combination."""

    train: list[Question]
    test: list[Question]
    combination: list[Question]


def together(*words: str) -> Condition:
    """Return the condition that a sentence of the story has all of these words, as a verb and an object."""
    words_together = {fold(word) for word in words}
    return lambda question: any(words_together.issubset(tokenize(sentence)) for sentence in question.story)


def person_in_task(person: str, task: int) -> Condition:
    """Return the condition that a question is of this task and names this person."""
    return lambda question: question.task == task and fold(person) in words_of(question)


def sentences_above(count: int) -> Condition:
    """Return the condition that the story has more sentences."""
    return lambda question: len(question.story) > count


def facts_above(count: int) -> Condition:
    """Return the condition that more sentences support the answer."""
    return lambda question: len(question.supporting) > count


def answer_is(word: str) -> Condition:
    """Return the condition that this is the answer."""
    return lambda question: question.answer == fold(word)


CONDITIONS: dict[str, Callable[..., Condition]] = {
    "together": together,
    "person_in_task": person_in_task,
    "sentences_above": sentences_above,
    "facts_above": facts_above,
    "answer": answer_is,
}


def sample_combination_split(
    tasks: Sequence[int], kind: str, arguments: Sequence[Any], examples: int, seed: int = 0
) -> CombinationSplit:
    """Generate both sides of a split; no training question is about a story of the test of the same kind.

    The test of the combination asks other questions than training; now and then one is about a story of training.

    Args:
        tasks: The tasks of the stories.
        kind: One of `CONDITIONS`.
        arguments: Its arguments.
        examples: Training questions of each task. A test has 1,000 questions, shared evenly among the tasks; with the
            kind `person_in_task` the test of the combination has those of its one task.
        seed: Equal seeds give equal text.

    Raises:
        InputError: The tasks have too few questions on a side.
    """
    is_new = CONDITIONS[kind](*arguments)
    person, only_task = arguments if kind == "person_in_task" else ("", None)
    parts = CombinationSplit([], [], [])
    for task in tasks:
        count = TEST_QUESTIONS // len(tasks)
        world = _world_without(person, task) if task == only_task else None
        if only_task in (None, task):  # the first to have none where a word is misspelled
            parts.combination.extend(_draw(task, count, f"{seed} combination", "with", is_new))
        test = _draw(task, count, f"{seed} test", "without", lambda question: not is_new(question), world)
        known = {question.story for question in test}
        parts.test.extend(test)
        train = _draw(task, examples, f"{seed} train", "without", lambda question: not is_new(question), world, known)
        parts.train.extend(train)
    return parts


def _draw(
    task: int,
    count: int,
    seed: str,
    side: str,
    belongs: Condition,
    world: World | None = None,
    without: Collection[tuple[str, ...]] = (),
) -> list[Question]:
    """Draw so many questions that belong to a side: *with* what is held out, or *without* it."""
    questions: list[Question] = []
    for number in range(ROUNDS):
        missing = count - len(questions)
        pool = generate(task, POOL_SIZE * missing, f"{seed} {number}", world)
        chosen = [question for question in pool if belongs(question) and question.story not in without]
        questions += chosen[:missing]
        if len(questions) == count:
            return questions
    raise InputError(f"task {task}: of {count} questions {side} what is held out the generator makes {len(questions)}")


def _world_without(person: str, task: int) -> World | None:
    """Return the default world of a task without this person; None where there is no such task."""
    if (generator := find_task(task)) is None:
        return None
    people = tuple(name for name in generator.world.people if fold(name) != fold(person))
    return replace(generator.world, people=people)
