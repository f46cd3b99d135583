"""The stories of a task: the official text where it is found, our generator's where it is not."""

from collections.abc import Collection
from numbers import Integral
from pathlib import Path
from random import Random

from symshift.data.babi.generator import World, generate
from symshift.data.babi.official import find, official
from symshift.data.question import Question, by_story
from symshift.data.splits import sample_split
from symshift.errors import InputError

SPLITS = ("train", "test", "fit", "valid")
SOURCES = ("auto", "official", "generated")
OFFICIAL = range(1, 21)


def load(
    task: int,
    examples: int = 1000,
    split: str = "train",
    source: str = "auto",
    seed: int = 0,
    world: World | None = None,
    place: str | Path | None = None,
) -> list[Question]:
    """The questions of a task: `train` and `test`, or `fit` and `valid`, the 90% and 10% of the training stories.

    `examples` is the number of training questions; a test set has 1,000. `auto` takes the official text where it is
    found on this machine, else generated stories, and these where a `world` is given or the task is one's own;
    `official` downloads the text if need be, to `data/`. Each question's `source` says which it was. `seed` and `world`
    are for generated stories, `place`, an archive or a folder, for official ones."""
    if source not in SOURCES:
        raise InputError(f"source {source!r}: one of {', '.join(SOURCES)} would be right")
    if split not in SPLITS:
        raise InputError(f"split {split!r}: one of {', '.join(SPLITS)} would be right")
    if isinstance(task, bool) or not isinstance(task, Integral):
        raise InputError(f"task {task!r}: a whole number would be right")
    if isinstance(examples, bool) or not isinstance(examples, int) or examples < 1:
        raise InputError(f"examples {examples!r}: a whole number above 0 would be right")
    if source == "generated" or (source == "auto" and (world or task not in OFFICIAL or not find(place))):
        return _generated(task, examples, split, seed, world)
    if task not in OFFICIAL:
        raise InputError(f"task {task!r}: a whole number from 1 to 20 would be right")
    if examples not in (1000, 10_000):
        raise InputError(
            f"examples {examples!r}: 1000 or 10000 would be right for official stories, any number for generated ones"
        )
    return official(task, examples, split, place)


def _generated(task: int, examples: int, split: str, seed: int, world: World | None) -> list[Question]:
    """Test and training stories come from seeds of their own, and no training story is one of the test, where the task
    has others in this world."""

    def draw(part: str, count: int, without: Collection[tuple[str, ...]]) -> list[Question]:
        return generate(task, count, f"{seed} {part}", world, without)

    if split in ("train", "test"):
        return sample_split(split, examples, draw)
    questions = sample_split("train", examples, draw)
    stories = by_story(questions)
    valid = set(Random(f"{seed} valid").sample(range(len(stories)), len(stories) // 10))
    return [asked for number, story in enumerate(stories) if (number in valid) == (split == "valid") for asked in story]
