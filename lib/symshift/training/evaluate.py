"""Errors in percent and losses in nats of the models of an ensemble.

A question counts as wrong if any row of it is: it has several rows where answers are said item by item.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.data.encoding import Batch, EncodedQuestions
from symshift.training.ensemble import Ensemble
from symshift.training.splits import TRAIN_AND_VALID, TrainValSplits

SENTENCES_AT_ONCE = 4096


class Scores(NamedTuple):
    """Error in percent of the questions, and loss in nats a row, of each model."""

    errors: list[float]
    losses: list[float]


def evaluate_split(
    ensemble: Ensemble, weights: Float[Tensor, "model parameter"], splits: TrainValSplits, split: str
) -> Scores:
    """Evaluate each model on its own `train` or `valid` questions."""
    questions = splits.questions
    loss = torch.zeros(len(weights), dtype=torch.double, device=weights.device)
    count = loss.clone()
    row_counts = loss.new_zeros(len(weights), len(questions))  # rows of each question
    wrong_counts = torch.zeros_like(row_counts)  # how many of them are answered wrongly
    parts = zip(questions.buckets, questions.indices, splits.rows[split], splits.sizes[split], strict=True)
    for bucket, indices, rows, sizes in parts:
        if rows.shape[-1] == 0:
            continue
        mask = torch.arange(rows.shape[-1], device=rows.device) < sizes.unsqueeze(-1)
        batch = bucket.take(rows)
        losses, answers = evaluate(ensemble, weights, batch, len(questions.words))
        row_counts.scatter_add_(-1, indices[rows], mask.double())
        wrong_counts.scatter_add_(-1, indices[rows], ((answers != batch.answer) & mask).double())
        loss += torch.where(mask, losses, 0).sum(-1)
        count += mask.sum(-1)
    errors = 100 * (wrong_counts > 0).double().sum(-1) / (row_counts > 0).sum(-1)
    return Scores(errors.tolist(), (loss / count).tolist())


def all_errors(
    ensemble: Ensemble,
    weights: Float[Tensor, "1 parameter"],
    splits: TrainValSplits,
    tests: Mapping[str, EncodedQuestions],
) -> dict[str, float]:
    """Return the errors of one model in percent: on its own splits, and on each test set."""
    errors = {split: evaluate_split(ensemble, weights, splits, split).errors[0] for split in TRAIN_AND_VALID}
    for name, encoded in tests.items():
        wrong = torch.zeros(len(encoded), dtype=torch.double, device=weights.device)
        for bucket, indices in zip(encoded.buckets, encoded.indices, strict=True):
            _, answers = evaluate(ensemble, weights, bucket, len(encoded.words))
            wrong.scatter_add_(0, indices, (answers[0] != bucket.answer).double())
        errors[name] = 100 * (wrong > 0).double().mean().item()
    return errors


def evaluate(
    ensemble: Ensemble, weights: Float[Tensor, "model parameter"], batch: Batch, words: int
) -> tuple[Float[Tensor, "model batch"], Int[Tensor, "model batch"]]:
    """Call `Ensemble.evaluate` on parts of the batch, so that memory stays small."""
    losses, answers = zip(*(ensemble.evaluate(weights, part, words) for part in slices(batch)), strict=True)
    return torch.cat(losses, -1), torch.cat(answers, -1)


def slices(batch: Batch) -> list[Batch]:
    """Cut a batch into parts of at most `SENTENCES_AT_ONCE` sentences."""
    step = max(1, SENTENCES_AT_ONCE // batch.story.shape[-2])
    axis = batch.answer.ndim - 1
    return [Batch(*part) for part in zip(*(field.split(step, axis) for field in batch), strict=True)]
