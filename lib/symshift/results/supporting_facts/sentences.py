"""How sure a reader with temporal attention is of each sentence, and what F1 any threshold on that would have."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from symshift.data import Question
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.ops.rng import NO_RNG
from symshift.runs.reader import Reader
from symshift.training.data import Data
from symshift.training.supporting_facts import log_share, score

RULES = {
    "attention": "attention",
    "share": "share of the story's largest attention",
    "chance": "sigmoid of the alignment",
}
THRESHOLDS = tuple(np.linspace(0, 0.99, 100))


@torch.no_grad()
def explained(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """A row each sentence that was read: its place in `questions`, its number in the story, its attention, the share of
    the story's largest that this is, its chance (the sigmoid of its alignment), and whether it supports the answer."""
    if not reader.network.explains_answers:
        raise InputError(
            "reader has no temporal attention; load a run of prehoc, posthoc or one with +prehoc, +posthoc"
        )
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    left_out = torch.tensor([max(0, len(asked.story) - reader.sentences) for asked in questions])
    parts = []
    for bucket, places in zip(encoded.buckets, encoded.indices, strict=True):
        alignment = reader.network(bucket, NO_RNG).alignment
        row, sentence = at = (bucket.story > 0).any(-1).nonzero(as_tuple=True)
        question = places[row]
        values = {
            "question": question,
            "sentence": 1 + sentence + left_out[question],
            "attention": alignment.softmax(-1)[at],
            "share": log_share(alignment).exp()[at],
            "chance": alignment.double().sigmoid()[at],
            "fact": bucket.supporting[at],
        }
        parts.append(pd.DataFrame({name: value.numpy() for name, value in values.items()}))
    return pd.concat(parts).sort_values(["question", "sentence"], ignore_index=True)


def held(reader: Reader, stories: Data, seed: int) -> list[Question]:
    """The training questions that a seed kept to select on, which chose its share."""
    encoded = encode(stories.train, reader.vocabulary, reader.sentences)
    mine = stories.split(encoded, [seed]).valid[0].tolist()
    return [asked for asked, kept in zip(stories.train, mine, strict=True) if kept]


def by_threshold(sentences: pd.DataFrame, thresholds: Sequence[float] = THRESHOLDS) -> pd.DataFrame:
    """F1 in percent of naming the sentences above a threshold, by threshold: a column for each of RULES."""
    fact = torch.tensor(sentences.fact.to_numpy())
    columns = {rule: torch.tensor(sentences[rule].to_numpy()) for rule in RULES}
    rows = [{rule: score(values > x, fact)[2] for rule, values in columns.items()} for x in thresholds]
    return pd.DataFrame(rows, index=pd.Index(thresholds, name="threshold"))
