"""The world model: agents on a grid of complex numbers, replayed from the text alone."""

import re

from symshift.data.question import Question

DIRECTION = {"N": 1j, "E": 1, "S": -1j, "W": -1}
SENTENCE = re.compile(r"(\w+) (?:is at \((\d+),(\d+)\)|faces-([NESW])|moves-(\d))\.")


def replay(question: Question) -> tuple[str, tuple[int, ...], list[complex]]:
    """Where the agent of the question ends, the sentences on it, and all places where it has been."""
    name = re.fullmatch(r"Where is (\w+)\?", question.question)[1]
    lines = []
    been = []
    facing = 0
    for line, sentence in enumerate(question.story):
        agent, x, y, way, steps = SENTENCE.fullmatch(sentence).groups()
        if agent != name:
            continue
        lines.append(line)
        if x:
            been.append(complex(int(x), int(y)))
        elif way:
            facing = DIRECTION[way]
        else:
            been.append(been[-1] + int(steps) * facing)
    return f"({been[-1].real:.0f},{been[-1].imag:.0f})", tuple(lines), been
