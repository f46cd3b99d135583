"""Errors in percent and losses in nats of the models of an ensemble."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.data.encoding import Batch, Encoded
from symshift.training.ensemble import Ensemble
from symshift.training.splits import SPLITS, TrainValSplits

SENTENCES_AT_ONCE = 4096


class Scores(NamedTuple):
    """Error in percent and loss in nats of each model."""

    errors: list[float]
    losses: list[float]


def evaluate_split(
    ensemble: Ensemble, weights: Float[Tensor, "model parameter"], splits: TrainValSplits, split: str
) -> Scores:
    """Evaluate each model on its own `train` or `valid` questions."""
    questions = splits.questions
    wrong = torch.zeros(len(weights), dtype=torch.double, device=weights.device)
    loss, count = wrong.clone(), wrong.clone()
    for bucket, rows, sizes in zip(questions.buckets, splits.rows[split], splits.sizes[split], strict=True):
        if rows.shape[-1] == 0:
            continue
        mask = torch.arange(rows.shape[-1], device=rows.device) < sizes.unsqueeze(-1)
        batch = bucket.take(rows)
        losses, answers = evaluate(ensemble, weights, batch, len(questions.words))
        wrong += ((answers != batch.answer) & mask).sum(-1)
        loss += torch.where(mask, losses, 0).sum(-1)
        count += mask.sum(-1)
    return Scores((100 * wrong / count).tolist(), (loss / count).tolist())


def all_errors(
    ensemble: Ensemble, weights: Float[Tensor, "1 parameter"], splits: TrainValSplits, tests: Mapping[str, Encoded]
) -> dict[str, float]:
    """Return the errors of one model in percent: on its own splits, and on each test set."""
    errors = {split: evaluate_split(ensemble, weights, splits, split).errors[0] for split in SPLITS}
    for name, encoded in tests.items():
        wrong = [
            evaluate(ensemble, weights, bucket, len(encoded.words))[1][0] != bucket.answer for bucket in encoded.buckets
        ]
        errors[name] = 100 * torch.cat(wrong).double().mean().item()
    return errors


def evaluate(
    ensemble: Ensemble, weights: Float[Tensor, "model parameter"], batch: Batch, words: int
) -> tuple[Float[Tensor, "model batch"], Int[Tensor, "model batch"]]:
    """Call `Ensemble.evaluate` with a slice of the batch at a time."""
    losses, answers = zip(*(ensemble.evaluate(weights, part, words) for part in slices(batch)), strict=True)
    return torch.cat(losses, -1), torch.cat(answers, -1)


def slices(batch: Batch) -> list[Batch]:
    """Cut a batch into parts of at most `SENTENCES_AT_ONCE` sentences."""
    step = max(1, SENTENCES_AT_ONCE // batch.story.shape[-2])
    axis = batch.answer.ndim - 1
    return [Batch(*part) for part in zip(*(field.split(step, axis) for field in batch), strict=True)]
