"""What a reader makes of a question, as the playground shows it: one pass through the network, no widget, no figure."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from symshift.data import Question
from symshift.runs.reader import Answer, Reader

ANSWERS = 4  # likeliest answers that are shown


class Word(NamedTuple):
    """A word of the text as the network read it.

    Attributes:
        text: The word.
        alpha: How much it is a symbol, from 0 to 1, mean over embedding tables; None of networks without symbols.
        unseen: Training never had it.
    """

    text: str
    alpha: float | None
    unseen: bool


@dataclass(frozen=True)
class View:
    """A reader's answer to a question, and what led to it.

    Attributes:
        name: Name of the model.
        question: The question with its story.
        answer: The answer.
        lines: The sentences that were read, then the question.
        shares: Attention of each hop over the sentences, or how well each fits a read of a tensor-product memory: a row
            sums to 1, and the index is named hop or read. None of networks that have neither.
        facts: Indices of the `lines` that are known to support the answer.
        notes: What to say of unknown words and of sentences left out, one line each.
    """

    name: str
    question: Question
    answer: Answer
    lines: tuple[tuple[Word, ...], ...]
    shares: pd.DataFrame | None
    facts: frozenset[int]
    notes: tuple[str, ...]


def build_view(name: str, reader: Reader, question: Question) -> View:
    """Ask a reader a question, and collect what led to its answer.

    Args:
        name: Name of the model, as it is shown.
        reader: A trained model.
        question: The question with its story.
    """
    answer = reader.ask(question.story, question.question, question.supporting)
    shares = answer.matches if answer.attention is None else answer.attention
    words = answer.words.to_dict("records")
    left_out = max(0, len(question.story) - reader.sentences)
    return View(
        name=name,
        question=question,
        answer=answer,
        lines=tuple(tuple(map(_word, line)) for _, line in groupby(words, itemgetter("sentence"))),
        shares=None if shares is None else shares.astype(float),
        facts=frozenset(fact - left_out for fact in question.supporting if fact >= left_out),
        notes=tuple(_notes(name, answer, left_out)),
    )


def _word(row: Mapping[Hashable, Any]) -> Word:
    return Word(row["word"], float(np.mean(row["alpha"])) if "alpha" in row else None, row["unseen"])


def _notes(name: str, answer: Answer, left_out: int) -> Iterator[str]:
    if left_out:
        yield f"The first {left_out} sentences are left out: {name} reads the last {answer.words.sentence.max()}."
    effect = "known by its symbol alone" if answer.has_symbols else "read as a blank, and cannot be answered"
    for word in answer.unseen:
        yield f"{word} is an unknown word, {effect}."
