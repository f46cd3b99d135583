"""Draw any number of stories of a task from a seed: same seed, same text, on every machine."""

from collections.abc import Collection, Iterator
from itertools import islice
from random import Random

from symshift.errors import InputError
from symshift.data.question import Question
from symshift.data.babi.generator.tasks import task_5_7_8 as hands
from symshift.data.babi.generator.tasks import task_15_16 as kinds
from symshift.data.babi.generator.tasks import task_20 as motives
from symshift.data.babi.generator.tasks import task_2_3_6 as objects
from symshift.data.babi.generator.tasks import task_4_19 as rooms
from symshift.data.babi.generator.tasks import task_17 as shapes
from symshift.data.babi.generator.tasks import task_18 as sizes
from symshift.data.babi.generator.tasks import task_14 as times
from symshift.data.babi.generator.tasks import task_9_10 as uncertain
from symshift.data.babi.generator.tasks import task_1_11_12_13 as whereabouts
from symshift.data.babi.generator.telling import TASKS, Telling
from symshift.data.babi.generator.world import World

TELLERS = (hands, kinds, motives, objects, rooms, shapes, sizes, times, uncertain, whereabouts)
REDRAWS = 20


def generate(
    task: int,
    questions: int = 1000,
    seed: int | str = 0,
    world: World | None = None,
    without: Collection[tuple[str, ...]] = (),
) -> list[Question]:
    """Questions of a task, told in the world of bAbI or another; the last story is cut short to the number asked for.

    Stories in `without` are not told again, where the task has enough others."""
    if task not in TASKS:
        raise InputError(f"task {task!r}: no generator; one of {', '.join(map(str, sorted(TASKS)))} would be right")
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 1:
        raise InputError(f"questions {questions!r}: a whole number above 0 would be right")
    world = world or TASKS[task].world
    for kind, least in TASKS[task].least.items():
        if (given := len(world.kinds()[kind])) < least:
            raise InputError(f"{kind}: {given} given; task {task} needs at least {least}")
    stories = _stories(task, Random(f"task {task}, seed {seed}"), world, without)
    return list(islice((question for story in stories for question in story), questions))


def _stories(task: int, rng: Random, world: World, without: Collection[tuple[str, ...]]) -> Iterator[list[Question]]:
    """The questions of one story after the other, without end."""
    while True:
        for _ in range(REDRAWS):
            telling = Telling(task, rng)
            TASKS[task].tell(telling, world, rng)
            if telling.questions[-1].story not in without:
                break
        yield telling.questions
