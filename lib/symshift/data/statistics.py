"""Measures of a set of questions, and a test whether two sets could have been drawn alike.

Questions of one story are alike, so whole stories are the units of the test: they are shuffled between the two sets,
and a measure's p-value is the share of shuffles in which it differs as much (a permutation test on the chi-square
distance), then the share in which any measure has one as low (Westfall and Young's adjustment for several measures).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import log2

import numpy as np

from symshift.data.question import Question, by_story
from symshift.data.renaming import UNSEEN
from symshift.data.words import tokenize

NAMES = {name for names in UNSEEN.values() for name in names}


def kind(question: Question) -> str:
    """Return the question without the names in it, as `where is _`."""
    return " ".join("_" if word in NAMES else word for word in tokenize(question.question))


MEASURES: dict[str, Callable[[Question], Hashable]] = {
    "answer": lambda question: question.answer,
    "sentences": lambda question: len(question.story),
    "gap": lambda question: len(question.story) - 1 - max(question.supporting, default=-1),
    "facts": lambda question: len(question.supporting),
    "kind": kind,
}


def measure(questions: Iterable[Question]) -> list[dict[str, Counter]]:
    """Count for each story how often its questions have which value of each measure, and which words it has.

    Returns:
        One dict per story, by measure: `answer`, `sentences` so far, `gap` (sentences since the last supporting fact),
        supporting `facts`, `kind` of question, `word` of the sentences.
    """
    return [
        {name: Counter(map(value_of, story)) for name, value_of in MEASURES.items()}
        | {"word": Counter(word for sentence in story[-1].story for word in tokenize(sentence))}
        for story in by_story(questions)
    ]


def compare(
    one: Sequence[Question], other: Sequence[Question], shuffles: int = 2000, seed: int = 0
) -> dict[str, float]:
    """Test whether two sets of questions could have been drawn alike.

    Args:
        one: questions.
        other: Questions of the other set.
        shuffles: How many times stories are shuffled between the sets.
        seed: Equal seeds give equal shuffles.

    Returns:
        The p-value of each measure, adjusted for there being several.
    """
    first = len(by_story(one))
    stories = measure(one) + measure(other)
    rng = np.random.default_rng(seed)
    member = np.zeros((1 + shuffles, len(stories)), dtype=np.float32)
    member[0, :first] = 1
    for row in member[1:]:
        row[rng.permutation(len(stories))[:first]] = 1
    tables = {name: _table([story[name] for story in stories]) for name in stories[0]}
    p_values = np.stack([_p_values(_distances(member, table)) for table in tables.values()])
    least = p_values.min(0)
    return {name: float((least <= p).mean()) for name, p in zip(tables, p_values[:, 0], strict=True)}


def _table(counts: list[Counter]) -> np.ndarray:
    """Tabulate stories by values; numbers above 8 are rounded to a quarter of an octave, so that few cells are rare."""
    values = dict.fromkeys(_rounded(value) for story in counts for value in story)
    column = {value: index for index, value in enumerate(values)}
    table = np.zeros((len(counts), len(column)), dtype=np.float32)
    for row, story in zip(table, counts, strict=True):
        for value, count in story.items():
            row[column[_rounded(value)]] += count
    return table


def _rounded(value: Hashable) -> Hashable:
    return int(4 * log2(value)) if isinstance(value, int) and value > 8 else str(value)


def _distances(member: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return for each choice of stories the chi-square distance from the other stories."""
    total = table.sum(0)
    inside = member @ table
    one, other = (part / part.sum(1, keepdims=True) for part in (inside, total - inside))
    return ((one - other) ** 2 / total).sum(1)


def _p_values(distances: np.ndarray) -> np.ndarray:
    """Return for each distance the share of all that are as large."""
    rounded = np.round(distances / max(distances.max(), 1e-12), 6)
    return 1 - np.searchsorted(np.sort(rounded), rounded) / len(rounded)
