"""Reading the sentences of the tasks in which people move, and get, drop and give objects."""

import re
from functools import cache
from typing import NamedTuple

from symshift.data.question import Question

Solution = tuple[str, tuple[int, ...]]  # the answer and the supporting sentences
NAME = r"(\w[\w'-]*)"
MOVE = rf"(?:went to|went back to|journeyed to|travelled to|moved to) the {NAME}"
PATTERNS = {
    "move": rf"{NAME} {MOVE}",
    "move of two": rf"{NAME} and {NAME} {MOVE}",
    "move of pronoun": rf"(?:Afterwards|After that|Following that|Then) (?:he|she|they) {MOVE}",
    "give": rf"{NAME} (?:passed|gave|handed) the {NAME} to {NAME}",
    "get": rf"{NAME} (?:took|got|grabbed|picked up) the {NAME}(?: there)?",
    "drop": rf"{NAME} (?:dropped|left|discarded|put down) the {NAME}(?: there)?",
}
COMPILED = {kind: re.compile(pattern + r"\.") for kind, pattern in PATTERNS.items()}


class Event(NamedTuple):
    """What an actor did, with an object or a place, to whom, and the lines that tell it."""

    lines: tuple[int, ...]
    kind: str
    actor: str
    what: str
    receiver: str = ""

    @property
    def line(self) -> int:
        return self.lines[-1]


def read_events(question: Question) -> list[Event]:
    """The events of a story; a sentence that tells none is passed over."""
    events: list[Event] = []
    for line, sentence in enumerate(question.story):
        kind, words = _read_sentence(sentence)
        events += _events(kind, words, line, events)
    return events


@cache
def _read_sentence(sentence: str) -> tuple[str, tuple[str, ...]]:
    """What kind of event a sentence tells, and its names."""
    for kind, pattern in COMPILED.items():
        if match := pattern.fullmatch(sentence):
            return kind, tuple(word.lower() for word in match.groups())
    return "", ()


def _events(kind: str, words: tuple[str, ...], line: int, earlier: list[Event]) -> list[Event]:
    """The events of one sentence, one per person; a pronoun means the people of the line before."""
    if kind == "move of two":
        return [Event((line,), "move", actor, words[2]) for actor in words[:2]]
    if kind == "move of pronoun":
        people = [event for event in earlier if event.lines == earlier[-1].lines]
        return [Event((*event.lines, line), "move", event.actor, words[0]) for event in people]
    return [Event((line,), kind, *words)] if kind else []


def match_question(question: Question, pattern: str) -> tuple[str, ...]:
    """The words of a question in the gaps of a pattern; none where it does not match."""
    match = re.fullmatch(pattern, question.question)
    return tuple(word.lower() for word in match.groups()) if match else ()
