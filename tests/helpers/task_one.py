"""A model that answers task 1 without a mistake, whatever the names and the verbs are."""

from collections.abc import Sequence

from symshift.data import tokenize


def last_room(story: Sequence[str], question: str) -> str:
    """Answer by the last sentence that begins with the person of the question."""
    person = tokenize(question)[-1]
    return next(words[-1] for words in map(tokenize, reversed(story)) if words[0] == person)
