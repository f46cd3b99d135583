"""A question as a text that a person edits, one sentence per line and the question last, and a word of it renamed."""

import reprlib

from symshift.data.question import Question
from symshift.data.renaming import ALL_NAMES, UNSEEN, rename
from symshift.data.words import tokenize
from symshift.errors import InputError

OWN = "own"  # the source of a question that a person wrote
PEOPLE = {*UNSEEN["people"], *UNSEEN["people"].values()}


def as_text(question: Question) -> str:
    """Return the story, one sentence per line, and the question as the last line."""
    return "\n".join((*question.story, question.question))


def from_text(text: str) -> Question:
    """Return the question of a text in the form of `as_text`, without answer and supporting facts.

    Raises:
        InputError: A line has no word, or there is no story; empty lines are left out.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        if not tokenize(line):
            raise InputError(f"line {number} is {line[:40]!r}; write a sentence with a word")
    if len(lines) < 2:
        raise InputError("the story is empty; write one sentence a line, and the question as the last line")
    return Question(tuple(lines[:-1]), lines[-1], "", (), 0, OWN)


def words(question: Question) -> list[str]:
    """Return the words that can be renamed: people, then rooms and objects, then others, each as they first appear."""
    distinct = dict.fromkeys(word for line in (*question.story, question.question) for word in tokenize(line))
    return sorted(distinct, key=lambda word: (word not in PEOPLE, word not in ALL_NAMES))


def rename_word(question: Question, old: str, new: str | None) -> Question:
    """Rename a word in story, question and answer.

    Args:
        question: Story, question and answer.
        old: The word to rename.
        new: Another word; None, which a notebook's parameter may be, is refused.

    Raises:
        InputError: The new name is not one word, or the story has it already.
    """
    new_words = tokenize(new) if isinstance(new, str) else []
    if len(new_words) != 1:
        raise InputError(f"the new name is {reprlib.repr(new)}; it wants one word")
    if new_words[0] in words(question):
        raise InputError(f"the new name is {reprlib.repr(new)}, which the story has already; take another")
    return rename([question], {old: new_words[0]})[0]
