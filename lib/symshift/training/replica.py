"""One model of an ensemble: its seed, its attempt, its learning curve."""

import math
from dataclasses import dataclass, field

MAX_SEED = 1_000_000  # exclusive
ATTEMPT_OFFSET = MAX_SEED  # attempt n of seed s starts from seed s + n * ATTEMPT_OFFSET


@dataclass
class Replica:
    """A model in training.

    Attributes:
        seed: The seed that a person chose.
        attempt: How many attempts with this seed have failed before.
        best: Validation error in percent, validation loss in nats, and update of the best validation.
        curve: One row per validation.
    """

    seed: int
    attempt: int = 0
    best: tuple[float, float, int] = (math.inf, math.inf, 0)
    curve: list[dict[str, int | float]] = field(default_factory=list)

    @property
    def rng_seed(self) -> int:
        """The seed of its weights, examples and dropout."""
        return self.seed + self.attempt * ATTEMPT_OFFSET

    @property
    def validated_at(self) -> int:
        """The update of its last validation."""
        return int(self.curve[-1]["update"]) if self.curve else 0

    def validate(self, update: int, loss: float, valid_error: float, valid_loss: float) -> bool:
        """Note a validation, and return whether it is the best."""
        self.curve.append({"update": update, "loss": loss, "valid_error": valid_error, "valid_loss": valid_loss})
        rank = valid_error, math.inf if math.isnan(valid_loss) else valid_loss
        better = rank < self.best[:2]
        if better:
            self.best = (*rank, update)
        return better
