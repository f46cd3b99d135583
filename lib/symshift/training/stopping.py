"""When a model has trained enough, and when it starts again from another seed."""

from symshift.config import TrainingConfig
from symshift.training.replica import Replica

MAX_ATTEMPTS = 5  # the last goes on, however far behind


def has_finished(replica: Replica, update: int, training: TrainingConfig) -> bool:
    """Return whether a model stops: validation is solved, or without progress for long, or no update is left."""
    last = replica.curve[-1]
    solved = last["valid_error"] == 0 and last["valid_loss"] < training.solved
    stale = update - replica.best[2] >= training.patience
    return solved or stale or update >= training.updates


class RestartPolicy:
    """When an attempt of a seed has failed.

    As in the symbol-shift paper, a model whose weights are no longer finite starts again from another seed. So does,
    where a preset asks for it, one that validation shows far behind at the update `restart_at`.
    """

    def __init__(self, training: TrainingConfig):
        self.training = training

    def failure(self, replica: Replica, update: int, finite: bool) -> str:
        """Return why this attempt has failed; an empty string where it goes on."""
        if not finite:
            return "weights are not finite"
        behind = replica.best[0] > self.training.restart_above
        if behind and self._is_restart_update(update) and replica.attempt + 1 < MAX_ATTEMPTS:
            return f"best validation error {replica.best[0]:.1f} %"
        return ""

    def _is_restart_update(self, update: int) -> bool:
        """Whether this is the first validation at `restart_at` or after it."""
        previous = max(update - self.training.evaluate_every, 0)
        return previous < self.training.restart_at <= update
