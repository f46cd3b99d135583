"""One model of an ensemble: its seed, its attempt, its learning curve."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_SEED = 1_000_000  # exclusive
ATTEMPT_OFFSET = MAX_SEED  # attempt n of seed s starts from seed s + n * ATTEMPT_OFFSET


class BestValidation(NamedTuple):
    """The validation that a model's weights are chosen by.

    Attributes:
        error: In percent.
        loss: In nats.
        update: When it was.
    """

    error: float
    loss: float
    update: int


NO_VALIDATION = BestValidation(math.inf, math.inf, 0)


@dataclass
class Replica:
    """A model in training.

    Attributes:
        seed: The seed that a person chose.
        attempt: How many attempts with this seed have failed before.
        best: The best validation.
        curve: One row per validation.
    """

    seed: int
    attempt: int = 0
    best: BestValidation = NO_VALIDATION
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
        better = rank < (self.best.error, self.best.loss)
        if better:
            self.best = BestValidation(*rank, update)
        return better
