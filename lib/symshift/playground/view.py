"""What a reader makes of a question, as the playground shows it: one pass through the network, no widget, no figure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pandas as pd

from symshift.data import Question
from symshift.runs.reader import Answer, Reader


class Word(NamedTuple):
    """A word as it was read. `alpha`, between 0 and 1, is its mean over the tables of networks that have more than one
    a word, None of networks without symbols."""

    text: str
    alpha: float | None
    unseen: bool


@dataclass(frozen=True)
class View:
    """A reader's answer to a question, and what it was made of.

    `lines`: the sentences that were read, then the question. `shares`: the attention of each hop over the sentences, or
    how well each fits a read of a tensor-product memory; a row sums to 1, and the index is named hop or read. None of
    networks that have neither. `facts`: the places in `lines` of what is known to support the answer. `notes`: what is
    to be said of unknown words and of sentences left out, a line each."""

    name: str
    asked: Question
    answer: Answer
    lines: tuple[tuple[Word, ...], ...]
    shares: pd.DataFrame | None
    facts: frozenset[int]
    notes: tuple[str, ...]


def look(name: str, reader: Reader, asked: Question) -> View:
    """What the reader of this name makes of a question."""
    answer = reader.ask(asked.story, asked.question, asked.supporting)
    shares = answer.matches if answer.attention is None else answer.attention
    words = answer.words.to_dict("records")
    left_out = max(0, len(asked.story) - reader.sentences)
    return View(
        name,
        asked,
        answer,
        tuple(tuple(map(_word, line)) for _, line in groupby(words, itemgetter("sentence"))),
        None if shares is None else shares.astype(float),
        frozenset(fact - left_out for fact in asked.supporting if fact >= left_out),
        tuple(_notes(name, answer, left_out)),
    )


def _word(row: dict[str, object]) -> Word:
    return Word(row["word"], float(np.mean(row["alpha"])) if "alpha" in row else None, row["unseen"])


def _notes(name: str, answer: Answer, left_out: int) -> Iterator[str]:
    if left_out:
        yield f"The first {left_out} sentences are left out: {name} reads the last {answer.words.sentence.max()}."
    known = "known by its symbol alone" if "alpha" in answer.words else "read as a blank, and cannot be answered"
    for word in answer.unseen:
        yield f"{word} is an unknown word, {known}."
