"""Training and test stories that are drawn, not read: no training story is one of the test, where there are others."""

from collections.abc import Callable, Collection

from symshift.data.question import Question
from symshift.errors import InputError

TESTED = 1000
Draw = Callable[[str, int, Collection[tuple[str, ...]]], list[Question]]


def sample_split(split: str, examples: int, draw: Draw) -> list[Question]:
    """The `train` (so many examples) or `test` questions (1,000) of `draw`, which makes so many of a split, in that
    split's own order of chance, without these stories."""
    test = draw("test", TESTED, ())
    if split == "test":
        return test
    if split == "train":
        return draw("train", examples, {asked.story for asked in test})
    raise InputError(f"split {split!r}: one of train, test would be right")
