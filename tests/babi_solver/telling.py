"""Tasks 9, 10, 14: where people are, are not, may be, and were at which time of the day."""

import re

from symshift.data.question import Question
from tests.babi_solver.language import MOVE, NAME, asked
from tests.babi_solver.moving import Solution

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
BEFORE = re.compile(rf"(?:({'|'.join(TIMES)}) )?{NAME} {MOVE}(?: ({'|'.join(TIMES)}))?\.", re.IGNORECASE)


def last_word(question: Question) -> Solution:
    """Tasks 9 and 10: what the last sentence on a person says of the place asked for."""
    who, place = asked(question, r"Is (\S+) in the (\S+)\?")
    line = max(line for line, sentence in enumerate(question.story) if sentence.split()[0].lower() == who)
    sentence = question.story[line].lower().rstrip(".")
    named = place in sentence.split()
    if " not " in sentence or " no longer " in sentence:
        return "no", (line,)
    if " either " in sentence:
        return ("maybe" if named else "no"), (line,)
    return ("yes" if named else "no"), (line,)


def before(question: Question) -> Solution:
    """Task 14: the place of the time before; both lines, the later time first."""
    who, place = asked(question, r"Where was (\S+) before the (\S+)\?")
    day = []
    for line, sentence in enumerate(question.story):
        first, name, where, last = BEFORE.fullmatch(sentence).groups()
        if name.lower() == who:
            day.append((TIMES.index((first or last).lower()), where.lower(), line))
    day.sort()
    entry = max(number for number in range(1, len(day)) if day[number][1] == place)
    return day[entry - 1][1], (day[entry][2], day[entry - 1][2])
