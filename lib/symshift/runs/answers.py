"""All answers of a trained reader to a set of questions."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import torch

from symshift.cpu import single_threaded_cpu
from symshift.data import Question
from symshift.data.encoding import encode
from symshift.ops.rng import NO_RNG
from symshift.runs.reader import Reader, load
from symshift.runs.store import Store

ANSWER = ["right", "given", "probability", "symbolic"]


@single_threaded_cpu()
@torch.no_grad()
def answers(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """A row each question, in their order: the right answer, the one given, its probability, and the symbolic part of
    this probability."""
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    rows = []
    for bucket, places in zip(encoded.buckets, encoded.indices, strict=True):
        semantic, symbolic = reader.network(bucket, NO_RNG).component_probabilities(bucket.symbols, len(encoded.words))
        probability, given = (semantic + symbolic)[:, 1:].max(-1)
        named = symbolic[:, 1:].gather(-1, given.unsqueeze(-1)).squeeze(-1)
        rows += zip(places.tolist(), given.tolist(), probability.tolist(), named.tolist(), strict=True)
    table = pd.DataFrame(sorted(rows), columns=ANSWER)
    given = [encoded.words[1 + word] for word in table.given]
    return table.assign(right=[asked.answer for asked in questions], given=given)


def of_runs(runs: Sequence[str], questions: Sequence[Question], outputs: str | Path | None = None) -> pd.DataFrame:
    """The same of all runs whose weights are in the store, one below the other, with the `run` of each row. The index
    is the place of the question."""
    store = Store(outputs)
    asked = [answers(load(run, outputs), questions).assign(run=run) for run in runs if store.has_weights(run)]
    return pd.concat(asked or [pd.DataFrame(columns=[*ANSWER, "run"])])
