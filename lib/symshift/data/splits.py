"""Training and test stories that are drawn, not read: no whole training story is one of the test, if there are others.

A first part of a story, about which there is a question too, may be a first part of a test story.
"""

from collections.abc import Callable, Collection

from symshift.data.question import Question
from symshift.errors import InputError

TEST_QUESTIONS = 1000
Draw = Callable[[str, int, Collection[tuple[str, ...]]], list[Question]]


def sample_split(split: str, examples: int, draw: Draw) -> list[Question]:
    """Sample the questions of a split.

    Args:
        split: `train`, or `test`, which has 1,000 questions.
        examples: The number of training questions.
        draw: `(split, count, without)`, which draws so many questions from the split's own random numbers, on none of
            the stories in `without`.

    Raises:
        InputError: The split is neither of the two.
    """
    if split not in ("train", "test"):
        raise InputError(f"split {split!r}: one of train, test would be right")
    test = draw("test", TEST_QUESTIONS, ())
    return test if split == "test" else draw("train", examples, {question.story for question in test})
