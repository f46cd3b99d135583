"""Draw any number of stories of a task from a seed: same seed, same text, on every machine."""

from collections.abc import Collection, Iterator
from itertools import islice
from random import Random

from symshift.errors import InputError
from symshift.stories.question import Question
from symshift.stories.worlds import single_fact, two_facts  # noqa: F401
from symshift.stories.worlds.telling import TASKS, Telling
from symshift.stories.worlds.world import World

REDRAWS = 100


def generate(
    task: int,
    questions: int = 1000,
    seed: int | str = 0,
    world: World | None = None,
    without: Collection[tuple[str, ...]] = (),
) -> list[Question]:
    """Questions of a task, five or so a story; the last story is cut short where the number asks for it.

    Stories in `without` are not told again, where the world is large enough to tell others."""
    if task not in TASKS:
        raise InputError(f"task {task!r} has no generator; one of {', '.join(map(str, sorted(TASKS)))} would be right")
    if not (isinstance(questions, int) and questions > 0):
        raise InputError(f"questions {questions!r}: a whole number above 0 would be right")
    told = (question for story in _stories(task, seed, world, without) for question in story)
    return list(islice(told, questions))


def _stories(
    task: int, seed: int | str, world: World | None, without: Collection[tuple[str, ...]]
) -> Iterator[list[Question]]:
    """The questions of one story after the other, without end."""
    teller, usual = TASKS[task]
    rng = Random(f"task {task}, seed {seed}")
    while True:
        for _ in range(REDRAWS):
            telling = Telling(task)
            teller(telling, world or usual, rng)
            if tuple(telling.sentences) not in without:
                break
        yield telling.questions
