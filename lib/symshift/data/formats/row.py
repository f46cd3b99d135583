"""One question of a file: the checks that every format shares, and how a text is cut into sentences."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from symshift.data.answer_items import END
from symshift.data.question import Question
from symshift.data.words import normalize_answer, tokenize
from symshift.errors import InputError

SOURCE = "file"
SENTENCE_END = re.compile(r"(?<=[.!?।])\s+|(?<=。)(?![」』])\s*")


class Row(NamedTuple):
    """A question, where it is in its file (`line 3`), and the split that the file puts it in, if it has any."""

    where: str
    question: Question
    split: str = ""


def sentences(text: str) -> list[str]:
    """Cut a story into sentences: at line breaks where it has any, else behind full stops.

    A space follows a full stop, but for `。`, which also ends a sentence where no space follows.
    """
    parts = text.strip().splitlines() if "\n" in text.strip() else SENTENCE_END.split(text.strip())
    return [part.strip() for part in parts if part.strip()]


def build(story: Sequence[Any], question: Any, answer: Any, supporting: Sequence[Any] = (), task: int = 0) -> Question:
    """Check the fields of a question.

    Args:
        story: The sentences.
        question: The question.
        answer: The answer.
        supporting: Indices of sentences, from 0.
        task: The task that the question gets.

    Raises:
        InputError: A field is of another type, a text has no word, or an index is none of the story's.
    """
    for name, text in (*(("sentence", sentence) for sentence in story), ("question", question)):
        if not isinstance(text, str):
            raise InputError(f"the {name} {short_repr(text)} is no text")
        if not tokenize(text):
            raise InputError(f"the {name} {text[:40]!r} has no word")
    if not story:
        raise InputError("the story has no sentence")
    check_answer(answer)
    for index in supporting:
        if type(index) is not int or not 0 <= index < len(story):
            right = f"a sentence's index, from 0 to {len(story) - 1}, is right"
            raise InputError(f"the supporting fact {short_repr(index)} is none of the story; {right}")
    lines = tuple(sentence.strip() for sentence in story)
    return Question(lines, question.strip(), answer, tuple(supporting), task, SOURCE)


def check_answer(answer: Any) -> None:
    """Refuse what is no answer, and what networks say at the end of a list.

    Raises:
        InputError: It is no text, empty, or what networks say at the end.
    """
    if not isinstance(answer, str) or not answer.strip():
        raise InputError(f"the answer {short_repr(answer)} is no text; a word, or several joined by commas, is right")
    if normalize_answer(answer) == END:
        raise InputError(f"the answer {END!r} ends a list where answers are said item by item; spell it otherwise")


def short_repr(value: Any) -> str:
    """Return a value as errors show it: text alone in quotes; NaN is a cell that a table left empty."""
    if isinstance(value, float) and value != value:
        return "(empty)"
    return repr(value[:40]) if isinstance(value, str) else f"{value!r:.40}"
