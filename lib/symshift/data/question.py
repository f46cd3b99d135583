"""A question over a short story, as the bAbI text gives it (Weston et al., 2015)."""

import hashlib
import json
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

from symshift.data.words import normalize_answer
from symshift.errors import InputError

QUESTIONS_PER_STORY = {4: 1, 16: 1, 17: 8, 19: 1}  # of tasks in which two stories in a row may be equal


@dataclass(frozen=True, slots=True)
class Question:
    """A question over a story.

    Args:
        story: The sentences.
        question: The question.
        answer: One class: a word, or several joined by commas. It is read as words of a story are (`Cellar.` is
            `cellar`); empty where it is not known.
        supporting: Indices of the sentences that support the answer.
        task: The number of a task; 0 for other stories.
        source: Where the question is from: official, generated, file or own.
    """

    story: tuple[str, ...]
    question: str
    answer: str
    supporting: tuple[int, ...]
    task: int
    source: str

    def __post_init__(self) -> None:
        """Read the answer as words of a story are read.

        Raises:
            InputError: An argument is of another kind.
        """
        for name in ("question", "answer", "source"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise InputError(f"{name} of a Question is {reprlib.repr(value)}; a text is right")
        if not isinstance(self.story, tuple) or not all(isinstance(sentence, str) for sentence in self.story):
            raise InputError(f"story of a Question is {reprlib.repr(self.story)}; a tuple of sentences is right")
        if not isinstance(self.supporting, tuple) or not all(isinstance(index, int) for index in self.supporting):
            raise InputError(
                f"supporting of a Question is {reprlib.repr(self.supporting)}; a tuple of indices is right"
            )
        if not isinstance(self.task, int):
            raise InputError(f"task of a Question is {reprlib.repr(self.task)}; 1 to 20 is right, or 0 for own stories")
        object.__setattr__(self, "answer", normalize_answer(self.answer))

    def content(self) -> list:
        """Return what a checksum is taken over: all but where the question comes from."""
        return [self.task, self.story, self.question, self.answer, self.supporting]


def list_questions(name: str, questions: Any) -> list[Question]:
    """Return questions of any iterable as a list.

    Args:
        name: What errors call them.
        questions: The questions.

    Raises:
        InputError: There is something else.
    """
    right = "a list of questions, as `symshift.data.read` returns it, is right"
    if isinstance(questions, str | bytes) or not isinstance(questions, Iterable):
        raise InputError(f"{name} is {reprlib.repr(questions)}; {right}")
    entries: list[Any] = list(questions)
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Question):
            raise InputError(f"{name} has {reprlib.repr(entry)} as number {number}; {right}")
    return entries


def fingerprint(questions: Iterable[Question]) -> str:
    """Return the sha256 of all questions in their order: the checksum of a data set."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(json.dumps(question.content(), ensure_ascii=False).encode(errors="surrogatepass") + b"\n")
    return digest.hexdigest()


def by_story(questions: Iterable[Question]) -> list[list[Question]]:
    """Group questions that follow one another over one growing story."""
    groups: list[list[Question]] = []
    story: tuple[str, ...] = ()
    for question in questions:
        grows = groups and question.story[: len(story)] == story
        if grows and len(groups[-1]) < QUESTIONS_PER_STORY.get(question.task, inf):
            groups[-1].append(question)
        else:
            groups.append([question])
        story = question.story
    return groups
