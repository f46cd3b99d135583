"""How well a network with temporal attention predicts the facts that support an answer, in percent.

Palma 2020, section 4. Two rules decide which sentences are predicted. The paper's, which it does not print, but its
released code has: those with an attention above one half, so never more than one of a story (in that code two at a tie,
for one half is enough); its best F1 is `ceiling`. The calibrated: those with an attention above a share of the story's
largest, the share with the best F1 on validation, so as many as belong together. Counts run over all sentences of all
questions, where the released code takes the mean over batches.

No rule thresholds sigmoid(alignment) over all stories. An alignment is computed when its sentence is read, so it cannot
know that a later sentence supersedes it; only attention relative to other sentences shows that.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.data import Question
from symshift.data.encoding import Batch, EncodedQuestions
from symshift.training.ensemble import Ensemble
from symshift.training.evaluate import slices
from symshift.training.splits import TrainValSplits


class SentenceScores(NamedTuple):
    """All sentences of a set of questions, in one row.

    Attributes:
        attention: The share of the story's attention.
        log_share: The logarithm of this attention over the story's largest.
        supporting: Which sentences are supporting facts.
    """

    attention: Float[Tensor, " sentence"]
    log_share: Float[Tensor, " sentence"]
    supporting: Bool[Tensor, " sentence"]


class RuleScore(NamedTuple):
    """How well a rule predicts facts, in percent."""

    precision: float
    recall: float
    f1: float


def score_model(
    ensemble: Ensemble, weights: Float[Tensor, "1 parameter"], splits: TrainValSplits, test: EncodedQuestions
) -> dict[str, float]:
    """Score one model's predictions of supporting facts.

    Returns:
        `f1_paper` by the paper's rule; `f1`, `precision` and `recall` by the calibrated rule, all on the test and in
        percent; the `share` of the largest attention that validation chose.
    """
    valid = zip(splits.questions.buckets, splits.rows["valid"], splits.sizes["valid"], strict=True)
    selected = sentence_scores(ensemble, weights, (bucket.take(rows[0, : sizes[0]]) for bucket, rows, sizes in valid))
    threshold = calibrate(selected.log_share, selected.supporting)
    tested = sentence_scores(ensemble, weights, test.buckets)
    f1_paper = score_rule(tested.attention > 0.5, tested.supporting).f1
    precision, recall, f1 = score_rule(tested.log_share > threshold, tested.supporting)
    return {"f1_paper": f1_paper, "f1": f1, "precision": precision, "recall": recall, "share": math.exp(threshold)}


def sentence_scores(
    ensemble: Ensemble, weights: Float[Tensor, "1 parameter"], batches: Iterable[Batch]
) -> SentenceScores:
    """Collect the real sentences of all batches."""
    parts = []
    for batch in batches:
        for part in slices(batch):
            alignment = ensemble.alignment(weights, part)[0]
            scores = (alignment.softmax(-1), log_share(alignment), part.supporting)
            parts.append([score[part.sentence_mask] for score in scores])
    return SentenceScores(*(torch.cat(column).cpu() for column in zip(*parts, strict=True)))


def log_share(alignment: Float[Tensor, "batch sentence"]) -> Float[Tensor, "batch sentence"]:
    """Return the logarithm of each sentence's attention over the story's largest."""
    return (alignment - alignment.amax(-1, keepdim=True)).double()


def calibrate(log_shares: Float[Tensor, " sentence"], supporting: Bool[Tensor, " sentence"]) -> float:
    """Return the threshold with the best F1.

    It is half way between two values, or minus infinity where it is best to predict every sentence.
    """
    order = log_shares.argsort(descending=True, stable=True)
    ranked, hits = log_shares[order], supporting[order].cumsum(0)
    f1 = 2 * hits / (torch.arange(1, len(ranked) + 1) + hits[-1])
    following = torch.cat((ranked[1:], ranked.new_full((1,), -torch.inf)))
    best = torch.where(ranked > following, f1, -1).argmax()
    return ((ranked[best] + following[best]) / 2).item()


def score_rule(predicted: Bool[Tensor, " sentence"], supporting: Bool[Tensor, " sentence"]) -> RuleScore:
    """Return how well a rule predicts facts; 0 where nothing is predicted, or nothing supports."""
    hits = int((predicted & supporting).sum())
    predictions, facts = int(predicted.sum()), int(supporting.sum())
    return RuleScore(
        precision=100 * hits / max(1, predictions),
        recall=100 * hits / max(1, facts),
        f1=100 * 2 * hits / max(1, predictions + facts),
    )


def ceiling(questions: Sequence[Question]) -> float:
    """Return the best F1 in percent of a rule that predicts one fact per question."""
    return f1_ceiling(len(questions), sum(len(question.supporting) for question in questions))


def f1_ceiling(questions: int, facts: int) -> float:
    """Return the best F1 in percent of one predicted fact per question: 2 N / (N + facts) for N questions."""
    return 200 * questions / (questions + facts)
