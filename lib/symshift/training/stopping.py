"""When a model has trained enough, and when it starts again from another seed."""

from symshift.config import TrainingConfig
from symshift.training.replica import Replica

MAX_ATTEMPTS = 5  # the last goes on, however far behind


def has_finished(replica: Replica, update: int, training: TrainingConfig) -> bool:
    """Return whether a model stops: validation is solved, or without progress for long, or no update is left."""
    last = replica.curve[-1]
    solved = last["valid_error"] == 0 and last["valid_loss"] < training.solved
    stale = update - replica.best.update >= training.patience
    return solved or stale or update >= training.updates


def why_failed(replica: Replica, update: int, training: TrainingConfig, finite: bool) -> str:
    """Return why this attempt of a seed has failed; an empty string where it goes on.

    A model whose weights are no longer finite starts again from another seed, as in the TPR-RNN paper (Schlag &
    Schmidhuber 2018, section 8 and appendix A). So does, where a preset asks for it, one that the first validation from
    the update `restart_at` on shows far behind.
    """
    if not finite:
        return "weights are not finite"
    behind = replica.best.error > training.restart_above
    previous = max(update - training.evaluate_every, 0)
    is_restart_update = previous < training.restart_at <= update
    if behind and is_restart_update and replica.attempt + 1 < MAX_ATTEMPTS:
        return f"best validation error {replica.best.error:.1f} %"
    return ""
