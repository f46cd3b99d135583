"""How well a network with temporal attention names the facts that support an answer, in percent.

Palma 2020, section 4. Two rules decide which sentences are named. The paper's: those with an attention above one
half, so never more than one of a story; its best F1 is `ceiling`. The calibrated: those with an attention above a share
of the story's largest, the share with the best F1 on validation, so as many as belong together. Counts run over all
sentences of all questions, where the released code takes the mean over batches.

A threshold on sigmoid(alignment), over all stories, is no such rule: an alignment is made from the memory as it was at
its sentence, which knows nothing of a later sentence that made it void; only beside that one it is seen to be less.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.data import Question
from symshift.data.encoding import Batch, Encoded
from symshift.training.data import TrainValSplits, slices
from symshift.training.ensemble import Ensemble


class SentenceScores(NamedTuple):
    """All sentences of a set of questions, in one row: how sure a model is of each, and which are facts."""

    attention: Float[Tensor, " sentence"]
    relative: Float[Tensor, " sentence"]  # log of its share of the story's largest attention
    supporting: Bool[Tensor, " sentence"]


def scores(
    stack: Ensemble, weights: Float[Tensor, "1 parameter"], parts: TrainValSplits, test: Encoded
) -> dict[str, float]:
    """One model's `f1_paper` and, by the calibrated rule, `f1`, `precision` and `recall` on the test, and the
    `share` of the largest attention that validation chose."""
    valid = zip(parts.questions.buckets, parts.rows["valid"], parts.sizes["valid"], strict=True)
    chosen = named(stack, weights, (bucket.take(rows[0, : sizes[0]]) for bucket, rows, sizes in valid))
    threshold = calibrate(chosen.relative, chosen.supporting)
    tested = named(stack, weights, test.buckets)
    _, _, f1_paper = score(tested.attention > 0.5, tested.supporting)
    precision, recall, f1 = score(tested.relative > threshold, tested.supporting)
    return {"f1_paper": f1_paper, "f1": f1, "precision": precision, "recall": recall, "share": math.exp(threshold)}


def named(stack: Ensemble, weights: Float[Tensor, "1 parameter"], batches: Iterable[Batch]) -> SentenceScores:
    """The real sentences of all batches."""
    found = [
        [x[(part.story > 0).any(-1)] for x in (alignment.softmax(-1), relative(alignment), part.supporting)]
        for batch in batches
        for part in slices(batch)
        for alignment in stack.align(weights, part)
    ]
    return SentenceScores(*(torch.cat(column).cpu() for column in zip(*found, strict=True)))


def relative(alignment: Float[Tensor, "batch sentence"]) -> Float[Tensor, "batch sentence"]:
    """The logarithm of each sentence's attention over the story's largest."""
    return (alignment - alignment.amax(-1, keepdim=True)).double()


def calibrate(relative: Float[Tensor, " sentence"], supporting: Bool[Tensor, " sentence"]) -> float:
    """The threshold with the best F1, half way between two, or minus infinity."""
    order = relative.argsort(descending=True, stable=True)
    ranked, right = relative[order], supporting[order].cumsum(0)
    f1 = 2 * right / (torch.arange(1, len(ranked) + 1) + right[-1])
    following = torch.cat((ranked[1:], ranked.new_full((1,), -torch.inf)))
    best = torch.where(ranked > following, f1, -1).argmax()
    return ((ranked[best] + following[best]) / 2).item()


def score(said: Bool[Tensor, " sentence"], supporting: Bool[Tensor, " sentence"]) -> tuple[float, float, float]:
    """Precision, recall and F1 in percent; 0 where nothing is said, or nothing is to be said."""
    right, count, facts = (int(x.sum()) for x in (said & supporting, said, supporting))
    return tuple(100 * hit / max(1, of) for hit, of in ((right, count), (right, facts), (2 * right, count + facts)))


def ceiling(questions: Sequence[Question]) -> float:
    """The best F1 in percent of a rule that names one fact a question."""
    return best_of_one(len(questions), sum(len(asked.supporting) for asked in questions))


def best_of_one(questions: int, facts: int) -> float:
    """2 N / (N + facts) in percent, for N questions with so many facts together."""
    return 200 * questions / (questions + facts)
