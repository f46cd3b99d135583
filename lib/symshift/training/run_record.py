"""What run.json says of a finished run."""

from dataclasses import dataclass
from typing import Any

RULE = "fewest validation errors, among equals the lowest validation loss"


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes:
        config: Every setting by name, flat.
        seed: The seed that a person chose.
        errors: Errors in percent by the name of the split or test set.
        chosen_update: The update whose weights were chosen.
        updates: How many updates the model trained.
        restarts: How many attempts failed before.
        seconds: How long the whole ensemble trained by then.
        model_updates: Updates by then, summed over the models of the ensemble.
        ensemble_size: How many models it began with.
        provenance: Code, libraries, machine and stories.
        facts: How well the model names supporting facts, in percent; None for a network that names none.
    """

    config: dict[str, Any]
    seed: int
    errors: dict[str, float]
    chosen_update: int
    updates: int
    restarts: int
    seconds: float
    model_updates: int
    ensemble_size: int
    provenance: dict[str, str | bool]
    facts: dict[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as it is stored."""
        record: dict[str, Any] = {
            "config": self.config,
            "seed": self.seed,
            "error": {name: round(error, 4) for name, error in self.errors.items()},
            "chosen": {"update": self.chosen_update, "rule": RULE},
            "updates": self.updates,
            "restarts": self.restarts,
            "seconds": round(self.seconds, 1),
            "updates_per_second": round(self.model_updates / max(self.seconds, 1e-9), 1),
            "stacked": self.ensemble_size,
            "provenance": self.provenance,
        }
        return record if self.facts is None else record | {"facts": self.facts}
