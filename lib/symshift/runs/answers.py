"""Answers of trained readers to a set of questions."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import torch

from symshift.cpu import single_threaded_cpu
from symshift.data import Question
from symshift.data.answer_items import END, ask_next, has_ended, join_items
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.runs.reader import Reader, load
from symshift.runs.store import Store

ANSWER = ["right", "given", "probability", "symbolic"]


@single_threaded_cpu()
@torch.no_grad()
def answers(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """Answer many questions at once.

    Args:
        reader: The trained network.
        questions: Questions of any lengths.

    Returns:
        One row per question, in their order: the `right` answer, the one `given`, its `probability`, and the `symbolic`
        part of this probability. Where answers are said item by item, these are products over the items and the end,
        which no symbol says.

    Raises:
        InputError: The network fails, or the probability of an answer is no number.
    """
    items: list[list[str]] = [[] for _ in questions]
    probability, symbolic = [1.0] * len(questions), [1.0] * len(questions)
    unfinished = list(range(len(questions)))  # the questions whose answers have not ended
    while unfinished:
        next_questions = [ask_next(questions[number], items[number]) for number in unfinished]
        for number, item in zip(unfinished, _items(reader, next_questions, unfinished), strict=True):
            items[number].append(item.word)
            probability[number] *= item.probability
            symbolic[number] *= item.probability if item.word == END else item.symbolic
        unfinished = [number for number in unfinished if reader.vocabulary.by_item and not has_ended(items[number])]
    return pd.DataFrame(
        {
            "right": [question.answer for question in questions],
            "given": list(map(join_items, items)),
            "probability": probability,
            "symbolic": symbolic,
        }
    )


def percent_wrong(table: pd.DataFrame) -> float:
    """Return how many of the rows of `answers` are wrong, in percent."""
    return float(100 * (table.given != table.right).mean())


class _Item(NamedTuple):
    """An item of an answer, or a whole answer: the likeliest word, its probability, and the symbolic part of that."""

    word: str
    probability: float
    symbolic: float


def _items(reader: Reader, questions: Sequence[Question], numbers: Sequence[int]) -> list[_Item]:
    """Answer each question once; `numbers` are those by which an error names them, from 0."""
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    items: dict[int, _Item] = {}
    for bucket, indices in zip(encoded.buckets, encoded.indices, strict=True):
        semantic, symbolic = reader.forward(bucket).component_probabilities(bucket.symbols, len(encoded.words))
        probability, words = (semantic + symbolic)[:, 1:].max(-1)
        if not probability.isfinite().all():
            number = 1 + numbers[int(indices[~probability.isfinite()][0])]
            raise InputError(f"question {number} has an answer that is no number")
        symbolic_part = symbolic[:, 1:].gather(-1, words.unsqueeze(-1)).squeeze(-1)
        columns = (indices.tolist(), words.tolist(), probability.tolist(), symbolic_part.tolist())
        for index, word, *parts in zip(*columns, strict=True):
            items[index] = _Item(encoded.words[1 + word], *parts)
    return [items[index] for index in range(len(questions))]


def answers_of_runs(
    runs: Sequence[str], questions: Sequence[Question], outputs: str | Path | None = None
) -> pd.DataFrame:
    """Answer the questions with every run that has weights in the store.

    Args:
        runs: Ids of runs.
        questions: Questions of any lengths.
        outputs: The folder of the store, as in `Store`.

    Returns:
        The rows of `answers` for each run, with its id as `run`. The index is the question's.

    Raises:
        InputError: There is no such run, it cannot be loaded, or it fails as in `answers`.
    """
    store = Store(outputs)
    tables = [answers(load(run, outputs), questions).assign(run=run) for run in runs if store.has_weights(run)]
    return pd.concat(tables or [pd.DataFrame(columns=[*ANSWER, "run"])])
