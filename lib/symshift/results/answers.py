"""All answers of a trained reader to a set of questions."""

from collections.abc import Sequence

import pandas as pd
import torch

from symshift.models.noise import QUIET
from symshift.results.reader import Reader
from symshift.stories import Question
from symshift.stories.encoding import encode


@torch.no_grad()
def answers(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """A row each question, in their order: the right answer, the one given, and its probability."""
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    rows = []
    for bucket, places in zip(encoded.buckets, encoded.places, strict=True):
        semantic, symbolic = reader.network(bucket, QUIET).halves(bucket.symbols, len(encoded.words))
        probability, given = (semantic + symbolic)[:, 1:].max(-1)
        rows += zip(places.tolist(), given.tolist(), probability.tolist(), strict=True)
    given = [encoded.words[1 + word] for _, word, _ in sorted(rows)]
    probability = [value for *_, value in sorted(rows)]
    return pd.DataFrame({"right": [q.answer for q in questions], "given": given, "probability": probability})
