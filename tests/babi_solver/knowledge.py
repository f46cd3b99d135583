"""Tasks 9, 10, 14: where people are, are not, may be, and were at which time of the day."""

import re

from symshift.data.question import Question
from tests.babi_solver.sentences import MOVE, NAME, Solution, match_question

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
MOVE_AT_TIME = re.compile(rf"(?:({'|'.join(TIMES)}) )?{NAME} {MOVE}(?: ({'|'.join(TIMES)}))?\.", re.IGNORECASE)


def is_person_there(question: Question) -> Solution:
    """Tasks 9 and 10: what the last sentence on a person says of the place of the question."""
    person, place = match_question(question, r"Is (\S+) in the (\S+)\?")
    line = max(line for line, sentence in enumerate(question.story) if sentence.split()[0].lower() == person)
    sentence = question.story[line].lower().rstrip(".")
    names_place = place in sentence.split()
    if " not " in sentence or " no longer " in sentence:
        return "no", (line,)
    if " either " in sentence:
        return ("maybe" if names_place else "no"), (line,)
    return ("yes" if names_place else "no"), (line,)


def place_before(question: Question) -> Solution:
    """Task 14: the place of the time before; both lines, the later time first."""
    person, place = match_question(question, r"Where was (\S+) before the (\S+)\?")
    day = []
    for line, sentence in enumerate(question.story):
        first, name, where, last = MOVE_AT_TIME.fullmatch(sentence).groups()
        if name.lower() == person:
            day.append((TIMES.index((first or last).lower()), where.lower(), line))
    day.sort()
    entry = max(number for number in range(1, len(day)) if day[number][1] == place)
    return day[entry - 1][1], (day[entry][2], day[entry - 1][2])
