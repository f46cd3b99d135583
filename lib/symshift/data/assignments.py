"""Assignments (symbol-shift paper, appendix B): x_1 = v_1 ... x_N = v_N, x_i = ?, where the last assignment wins."""

from collections.abc import Collection
from random import Random

from symshift.constraints import Count, check_value
from symshift.data.question import Question
from symshift.data.splits import sample_split
from symshift.errors import InputError


def assignments(
    variables: int, split: str = "train", examples: int = 10_000, length: int = 10, seed: int = 0
) -> list[Question]:
    """Generate stories of assignments with a question each.

    Args:
        variables: How many there are, and how many values.
        split: `train`, or `test`, which has 1,000 questions; no training story is one of the test.
        examples: The number of training questions.
        length: Assignments per story.
        seed: Equal seeds give equal text.

    Raises:
        InputError: A number is not above 0, the split is neither, or every story is in the test.
    """
    for name, number in (("variables", variables), ("examples", examples), ("length", length)):
        check_value(name, number, Count)

    def draw(part: str, count: int, without: Collection[tuple[str, ...]]) -> list[Question]:
        if len(set(without)) == variables ** (2 * length):
            raise InputError(f"variables {variables}, length {length}: the test has all stories; take more of either")
        rng = Random(f"assignments {part} {seed}")
        questions: list[Question] = []
        while len(questions) < count:
            pairs = [(f"x{rng.randrange(variables)}", f"v{rng.randrange(variables)}") for _ in range(length)]
            story = tuple(f"{variable} = {value}." for variable, value in pairs)
            last_line = {variable: line for line, (variable, _) in enumerate(pairs)}
            variable = rng.choice(list(last_line))
            if story not in without:
                line = last_line[variable]
                questions.append(Question(story, f"{variable} = ?", pairs[line][1], (line,), 0, "generated"))
        return questions

    return sample_split(split, examples, draw)
