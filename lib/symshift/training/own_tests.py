"""The further tests of a person's own stories: the test with other rooms, objects or people, where these are unseen."""

from collections.abc import Iterable, Sequence

from symshift.data import Question
from symshift.data.renaming import UNSEEN, words_of, zero_shot
from symshift.data.words import tokenize
from symshift.errors import InputError

PLURALS = {"room": "rooms", "object": "objects", "people": "people"}


def own_zero_shot(
    test: Sequence[Question], others: Iterable[Question], name: str
) -> tuple[dict[str, list[Question]], list[str]]:
    """Return `zero_shot` of a test for each kind of names, but for tests that are about nothing unseen.

    Args:
        test: The test questions.
        others: The questions of the other splits.
        name: What notes call the stories.

    Returns:
        The tests by kind; and notes, a line for each that is left out, or in which only some questions differ.
    """
    words = _words(test)
    taken = words | _words(others)
    tests, notes = {}, []
    for kind in UNSEEN:
        if fault := _fault(kind, words, taken):
            notes.append(f"{name} has no test with unseen {PLURALS[kind]}: {fault}.")
            continue
        try:
            tests[kind] = zero_shot(test, kind)
        except InputError:  # the test has none of these names, or asks for words that its stories do not say
            continue
        changed = sum(old != new for old, new in zip(test, tests[kind], strict=True))
        if changed < len(test):
            share = f"{changed} of {len(test)} questions have other words"
            notes.append(f"{name}: in the test with unseen {PLURALS[kind]} {share}.")
    return tests, notes


def _fault(kind: str, words: set[str], taken: set[str]) -> str:
    """Say why a test would be about nothing unseen; nothing if it is not so."""
    old_names: dict[str, str] = {}
    for old, new in UNSEEN[kind].items():
        if old not in words:
            continue
        if new in taken:
            return f"{new!r}, the word for {old!r} there, is in the stories already"
        if new in old_names:
            return f"{old_names[new]!r} and {old!r} would both be {new!r}"
        old_names[new] = old
    return ""


def _words(questions: Iterable[Question]) -> set[str]:
    """Return the words of stories, questions and answers."""
    return {word for question in questions for word in (*words_of(question), *tokenize(question.answer))}
