"""A question over a short story, as the bAbI text gives it (Weston et al., 2015)."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf

QUESTIONS_A_STORY = {4: 1, 16: 1, 17: 8, 19: 1}  # where two stories in a row may be the same
WORD = re.compile(r"\w+(?:[-'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Question:
    """A story, a question over it, its answer, and the sentences that support the answer (indices into `story`)."""

    story: tuple[str, ...]
    question: str
    answer: str
    supporting: tuple[int, ...]
    task: int
    source: str

    def content(self) -> list:
        """What a checksum is taken over: all but where the question comes from."""
        return [self.task, self.story, self.question, self.answer, self.supporting]


@lru_cache(maxsize=1 << 17)
def tokenize(text: str) -> tuple[str, ...]:
    """The words of a sentence in lower case, without punctuation; `guest-room` is one word."""
    return tuple(WORD.findall(text.lower()))


def fingerprint(questions: Iterable[Question]) -> str:
    """The sha256 of all questions in their order: the checksum of a data set."""
    digest = hashlib.sha256()
    for asked in questions:
        digest.update(json.dumps(asked.content(), ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def by_story(questions: Iterable[Question]) -> list[list[Question]]:
    """The questions in groups: those that follow one another over one growing story."""
    stories: list[list[Question]] = []
    told: tuple[str, ...] = ()
    for asked in questions:
        grows = stories and asked.story[: len(told)] == told
        if grows and len(stories[-1]) < QUESTIONS_A_STORY.get(asked.task, inf):
            stories[-1].append(asked)
        else:
            stories.append([asked])
        told = asked.story
    return stories
