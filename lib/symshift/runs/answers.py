"""Answers of trained readers to a set of questions."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import torch

from symshift.cpu import single_threaded_cpu
from symshift.data import Question
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.ops.rng import NO_RNG
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
        part of this probability.

    Raises:
        InputError: An answer is no number.
    """
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    rows: list[tuple[int, int, float, float]] = []  # of each question its index, and what is answered
    for bucket, indices in zip(encoded.buckets, encoded.indices, strict=True):
        semantic, symbolic = reader.network(bucket, NO_RNG).component_probabilities(bucket.symbols, len(encoded.words))
        probability, words = (semantic + symbolic)[:, 1:].max(-1)
        if not probability.isfinite().all():
            raise InputError(f"question {1 + int(indices[~probability.isfinite()][0])} has an answer that is no number")
        symbolic_part = symbolic[:, 1:].gather(-1, words.unsqueeze(-1)).squeeze(-1)
        columns = (indices, words, probability, symbolic_part)
        rows += zip(*(column.tolist() for column in columns), strict=True)
    rows.sort()
    return pd.DataFrame(
        {
            "right": [question.answer for question in questions],
            "given": [encoded.words[1 + word] for _, word, _, _ in rows],
            "probability": [probability for _, _, probability, _ in rows],
            "symbolic": [symbolic for _, _, _, symbolic in rows],
        }
    )


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
    """
    store = Store(outputs)
    tables = [answers(load(run, outputs), questions).assign(run=run) for run in runs if store.has_weights(run)]
    return pd.concat(tables or [pd.DataFrame(columns=[*ANSWER, "run"])])
