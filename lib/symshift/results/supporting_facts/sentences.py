"""How sure a reader with temporal attention is of each sentence, and the F1 of any threshold on that."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from symshift.cpu import single_threaded_cpu
from symshift.data import Question
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.runs.reader import Reader
from symshift.training.data import Data
from symshift.training.supporting_facts import log_share, score_rule

RULES = {
    "attention": "attention",
    "share": "share of the story's largest attention",
    "chance": "sigmoid of the alignment",
}
THRESHOLDS = tuple(np.linspace(0, 0.99, 100))


@single_threaded_cpu()
@torch.no_grad()
def sentence_attention(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """Tabulate how strongly each sentence is attended to.

    Args:
        reader: A trained model with temporal attention.
        questions: The questions to read.

    Returns:
        One row per sentence read: `question`, its index in `questions`; `sentence`, its number in the story;
        `attention`; `share`, its part of the story's largest attention; `chance`, the sigmoid of its alignment; and
        `fact`, whether it supports the answer.

    Raises:
        InputError: The reader has no temporal attention.
    """
    if not reader.network.explains_answers:
        raise InputError(
            "reader has no temporal attention; load a run of prehoc, posthoc or one with +prehoc, +posthoc"
        )
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    left_out = torch.tensor([max(0, len(question.story) - reader.sentences) for question in questions])
    parts = []
    for bucket, indices in zip(encoded.buckets, encoded.indices, strict=True):
        alignment = reader.forward(bucket).alignment
        assert alignment is not None  # as of each network that explains answers
        positions = bucket.sentence_mask.nonzero(as_tuple=True)
        row, sentence = positions
        question = indices[row]
        values = {
            "question": question,
            "sentence": 1 + sentence + left_out[question],
            "attention": alignment.softmax(-1)[positions],
            "share": log_share(alignment).exp()[positions],
            "chance": alignment.double().sigmoid()[positions],
            "fact": bucket.supporting[positions],
        }
        parts.append(pd.DataFrame({name: value.numpy() for name, value in values.items()}))
    return pd.concat(parts).sort_values(["question", "sentence"], ignore_index=True)


def validation_questions(reader: Reader, stories: Data, seed: int) -> list[Question]:
    """Return the training questions that a seed set aside for validation, by which its share was chosen."""
    encoded = encode(stories.train, reader.vocabulary, reader.sentences)
    validation = stories.split(encoded, [seed]).valid[0].tolist()
    return [question for question, chosen in zip(stories.train, validation, strict=True) if chosen]


def f1_by_threshold(sentences: pd.DataFrame, thresholds: Sequence[float] = THRESHOLDS) -> pd.DataFrame:
    """Score the rule that every sentence above a threshold is a fact.

    Args:
        sentences: `sentence_attention`.
        thresholds: From 0 to 1, one row each.

    Returns:
        F1 in percent: one row per threshold, one column for each of RULES.
    """
    fact = torch.tensor(sentences.fact.to_numpy())
    columns = {rule: torch.tensor(sentences[rule].to_numpy()) for rule in RULES}
    rows = [{rule: score_rule(values > x, fact).f1 for rule, values in columns.items()} for x in thresholds]
    return pd.DataFrame(rows, index=pd.Index(thresholds, name="threshold"))
