"""Reading the sentences of the tasks in which people move, and take, leave and give objects."""

import re
from functools import cache
from typing import NamedTuple

from symshift.data.question import Question

NAME = r"(\w[\w'-]*)"
MOVE = rf"(?:went to|went back to|journeyed to|travelled to|moved to) the {NAME}"
PATTERNS = {
    "move": rf"{NAME} {MOVE}",
    "moves": rf"{NAME} and {NAME} {MOVE}",
    "coref": rf"(?:Afterwards|After that|Following that|Then) (?:he|she|they) {MOVE}",
    "give": rf"{NAME} (?:passed|gave|handed) the {NAME} to {NAME}",
    "get": rf"{NAME} (?:took|got|grabbed|picked up) the {NAME}(?: there)?",
    "drop": rf"{NAME} (?:dropped|left|discarded|put down) the {NAME}(?: there)?",
}
COMPILED = {kind: re.compile(pattern + r"\.") for kind, pattern in PATTERNS.items()}


class Event(NamedTuple):
    """Who did what, with an object or a place, to whom, and the lines that tell it."""

    lines: tuple[int, ...]
    kind: str
    who: str
    what: str
    to: str = ""

    @property
    def line(self) -> int:
        return self.lines[-1]


def events(question: Question) -> list[Event]:
    """The events of a story; a sentence that tells none is passed over."""
    seen: list[Event] = []
    for line, sentence in enumerate(question.story):
        seen += _told(*_read(sentence), line, seen)
    return seen


@cache
def _read(sentence: str) -> tuple[str, tuple[str, ...]]:
    """What a sentence tells, and its names."""
    for kind, pattern in COMPILED.items():
        if match := pattern.fullmatch(sentence):
            return kind, tuple(word.lower() for word in match.groups())
    return "", ()


def _told(kind: str, words: tuple[str, ...], line: int, seen: list[Event]) -> list[Event]:
    """The events of one sentence: one a person where several move; a pronoun means the people of the line before."""
    if kind == "moves":
        return [Event((line,), "move", who, words[2]) for who in words[:2]]
    if kind == "coref":
        people = [event for event in seen if event.lines == seen[-1].lines]
        return [Event((*event.lines, line), "move", event.who, words[0]) for event in people]
    return [Event((line,), kind, *words)] if kind else []


def asked(question: Question, pattern: str) -> tuple[str, ...]:
    """The words of a question in the gaps of a pattern; none where it does not fit."""
    match = re.fullmatch(pattern, question.question)
    return tuple(word.lower() for word in match.groups()) if match else ()
