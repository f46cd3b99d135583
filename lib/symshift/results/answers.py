"""All answers of a trained reader to a set of questions."""

from collections.abc import Sequence

import pandas as pd
import torch

from symshift.arithmetic import lean
from symshift.models.noise import QUIET
from symshift.results.reader import Reader
from symshift.stories import Question
from symshift.stories.encoding import encode


@lean()
@torch.no_grad()
def answers(reader: Reader, questions: Sequence[Question]) -> pd.DataFrame:
    """A row each question, in their order: the right answer, the one given, its probability, and the symbolic part of
    this probability."""
    encoded = encode(questions, reader.vocabulary, reader.sentences)
    rows = []
    for bucket, places in zip(encoded.buckets, encoded.places, strict=True):
        semantic, symbolic = reader.network(bucket, QUIET).halves(bucket.symbols, len(encoded.words))
        probability, given = (semantic + symbolic)[:, 1:].max(-1)
        named = symbolic[:, 1:].gather(-1, given.unsqueeze(-1)).squeeze(-1)
        rows += zip(places.tolist(), given.tolist(), probability.tolist(), named.tolist(), strict=True)
    table = pd.DataFrame(sorted(rows), columns=["right", "given", "probability", "symbolic"])
    given = [encoded.words[1 + word] for word in table.given]
    return table.assign(right=[asked.answer for asked in questions], given=given)
