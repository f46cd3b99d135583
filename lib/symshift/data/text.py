"""A question as a text that a person edits, one sentence a line and the question last, and a word of it renamed."""

from symshift.data.question import Question, tokenize
from symshift.data.renaming import UNSEEN, rename
from symshift.errors import InputError

OWN = "own"  # the source of a question that a person wrote
PEOPLE = {*UNSEEN["people"], *UNSEEN["people"].values()}


def as_text(asked: Question) -> str:
    """The story, one sentence a line, and the question as the last line."""
    return "\n".join((*asked.story, asked.question))


def from_text(text: str) -> Question:
    """The question that such a text asks; its answer and supporting facts are not known. Empty lines are left out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        if not tokenize(line):
            raise InputError(f"line {number} is {line!r}; write a sentence with a word")
    if len(lines) < 2:
        raise InputError("the story is empty; write one sentence a line, and the question as the last line")
    return Question(tuple(lines[:-1]), lines[-1], "", (), 0, OWN)


def words(asked: Question) -> list[str]:
    """The words that can be renamed, people first, each in order of first appearance."""
    said = dict.fromkeys(word for line in (*asked.story, asked.question) for word in tokenize(line))
    return sorted(said, key=lambda word: word not in PEOPLE)


def renamed(asked: Question, old: str, new: str) -> Question:
    """The question with a word renamed in story, question and answer."""
    if len(tokenize(new)) != 1:
        raise InputError(f"the new name is {new!r}; it wants one word")
    name = tokenize(new)[0]
    if name in words(asked):
        raise InputError(f"the new name is {new!r}, which the story has already; take another")
    return rename([asked], {old: name})[0]
