"""Generate any number of stories of a task from a seed: equal seeds give equal text on every machine."""

import reprlib
from collections.abc import Collection, Iterator
from itertools import chain, islice
from pathlib import Path
from random import Random
from traceback import extract_tb

from symshift.constraints import plain
from symshift.data.babi.generator import tasks  # noqa: F401 (fills TASKS)
from symshift.data.babi.generator.own_tasks import TASKS_VARIABLE, find_task
from symshift.data.babi.generator.story_builder import TASKS, StoryBuilder
from symshift.data.babi.generator.world import World
from symshift.data.question import Question
from symshift.errors import InputError

REDRAWS = 20


def generate(
    task: int,
    questions: int = 1000,
    seed: int | str = 0,
    world: World | None = None,
    without: Collection[tuple[str, ...]] = (),
) -> list[Question]:
    """Generate questions of a task; the last story is cut short to the number of questions.

    Args:
        task: 1 to 20, or the number of a task of one's own (`symshift.data.babi.generator.task`).
        questions: How many questions.
        seed: Equal seeds give equal text.
        world: People, places and objects; by default those of bAbI.
        without: Stories to leave out, where the task has enough others.

    Raises:
        InputError: The task has no generator, the number is not above 0, or the world is too small for the task; the
            function of a task of one's own fails, or asks nothing.
    """
    task, questions = plain(task), plain(questions)
    if type(task) is not int or (generator := find_task(task)) is None:
        known = ", ".join(map(str, sorted(TASKS)))
        own = f"or a task of yours from a file that {TASKS_VARIABLE} names"
        raise InputError(f"task {task!r}: no generator; one of {known} would be right, {own}")
    if type(questions) is not int or questions < 1:
        raise InputError(f"questions {questions!r}: a whole number above 0 would be right")
    if world is not None and not isinstance(world, World):
        raise InputError(f"world is {reprlib.repr(world)}; a World such as World(people=('Ann', 'Bob')) is right")
    world = world or generator.world
    for kind, minimum in generator.minimum.items():
        if (count := len(world.kinds()[kind])) < minimum:
            raise InputError(f"{kind}: {count} given; task {task} needs at least {minimum}")
    stories = _stories(task, Random(f"task {task}, seed {seed}"), world, without)
    return list(islice(chain.from_iterable(stories), questions))


def _stories(task: int, rng: Random, world: World, without: Collection[tuple[str, ...]]) -> Iterator[list[Question]]:
    """Yield the questions of one story after another, without end."""
    while True:
        for _ in range(REDRAWS):
            builder = _build_story(task, rng, world)
            if builder.questions[-1].story not in without:
                break
        yield builder.questions


def _build_story(task: int, rng: Random, world: World) -> StoryBuilder:
    """Build a story; a fault in the function of a task of one's own is one line that names the line of its file."""
    builder = StoryBuilder(task, rng)
    try:
        TASKS[task].build_story(builder, world, rng)
    except InputError:
        raise
    except Exception as error:
        frame = extract_tb(error.__traceback__, limit=2)[-1]  # the second is the function's own, however deep it fails
        fault = f"{type(error).__name__}: {error}"
        raise InputError(f"task {task}: {Path(frame.filename).name}, line {frame.lineno} fails ({fault})") from None
    if not builder.questions:
        raise InputError(f"task {task}: its function asks nothing; `builder.ask(question, answer)` asks")
    return builder
