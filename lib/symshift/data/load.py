"""The stories of a task: the official text where it lies on this machine, our generator's where none does."""

from collections.abc import Collection
from pathlib import Path
from random import Random

from symshift.constraints import plain
from symshift.data.babi.generator import BABI_TASKS, World, generate
from symshift.data.babi.official import VARIANTS, find_official, official
from symshift.data.question import Question, by_story
from symshift.data.splits import sample_split
from symshift.errors import InputError

SPLITS = ("train", "test", "fit", "valid")
SOURCES = ("auto", "official", "generated")
FILE_SIZES = (1000, 10_000)  # training questions of an official file
LARGEST = FILE_SIZES[-1]


def load(
    task: int,
    examples: int = 1000,
    split: str = "train",
    source: str = "auto",
    seed: int = 0,
    world: World | None = None,
    path: str | Path | None = None,
    variant: str = "en",
) -> list[Question]:
    """Load the questions of a task. Each question's `source` says where it is from.

    Args:
        task: 1 to 20, or the number of a generator of one's own.
        examples: The number of training questions, the first ones of their file. The official text has 1,000 or
            10,000 of them, and 1,000 in a test set.
        split: `train` or `test`; or `fit` and `valid`, 90% and 10% of the training stories.
        source: `official`, which is downloaded to `data/` if need be; `generated`; or `auto`: official if any official
            file lies on this machine, else generated. A `world` or a task of one's own is generated too.
        seed: Of generated stories.
        world: People, places and objects of generated stories.
        path: An archive or folder with official files, in place of `SYMSHIFT_DATA`, `data/` and `../shared`.
        variant: Of official stories: `en`, `hn` (Hindi in Latin letters) or `shuffled` (letters permuted).

    Raises:
        InputError: A parameter is wrong, or the official file is missing or altered.
    """
    task, examples = plain(task), plain(examples)
    _check_parameters(task, examples, split, source, variant)
    if source == "auto":
        source = "generated" if world is not None or task not in BABI_TASKS or not find_official(path) else "official"
    if source == "generated":
        if variant != "en":
            raise InputError(f"variant {variant!r}: only official stories have it; source official is right")
        return _generated(task, examples, split, seed, world)
    if world is not None:
        raise InputError("world is set, but official stories have one of their own; source generated is right")
    if task not in BABI_TASKS:
        raise InputError(f"task {task!r}: a whole number from 1 to 20 would be right")
    if examples > LARGEST:
        raise InputError(
            f"examples {examples!r}: at most {LARGEST} would be right for official stories, more for generated ones"
        )
    return _official(task, examples, split, path, variant)


def _check_parameters(task: int, examples: int, split: str, source: str, variant: str) -> None:
    for name, value, right in (("source", source, SOURCES), ("split", split, SPLITS), ("variant", variant, VARIANTS)):
        if value not in right:
            raise InputError(f"{name} {value!r}: one of {', '.join(right)} would be right")
    if type(task) is not int:
        raise InputError(f"task {task!r}: a whole number would be right")
    if type(examples) is not int or examples < 1:
        raise InputError(f"examples {examples!r}: a whole number above 0 would be right")


def _official(task: int, examples: int, split: str, path: str | Path | None, variant: str) -> list[Question]:
    """Read a split; of fewer training questions than a file has, the first ones."""
    size = next(size for size in FILE_SIZES if examples <= size)
    if split in ("fit", "valid") and examples != size:
        right = " or ".join(map(str, FILE_SIZES))
        raise InputError(f"split {split!r} with examples {examples!r}: {right} would be right; take a part of train")
    questions = official(task, size, split, path, variant)
    return questions[:examples] if split == "train" else questions


def _generated(task: int, examples: int, split: str, seed: int, world: World | None) -> list[Question]:
    """Generate a split; no whole training story is one of the test, where the task has others in this world."""

    def draw(part: str, count: int, without: Collection[tuple[str, ...]]) -> list[Question]:
        return generate(task, count, f"{seed} {part}", world, without)

    if split in ("train", "test"):
        return sample_split(split, examples, draw)
    stories = by_story(sample_split("train", examples, draw))
    valid = set(Random(f"{seed} valid").sample(range(len(stories)), len(stories) // 10))
    chosen = [story for number, story in enumerate(stories) if (number in valid) == (split == "valid")]
    return [question for story in chosen for question in story]
