"""What run.json says of a finished run."""

from typing import Any

RULE = "fewest validation errors, among equals the lowest validation loss"


def run_record(
    *,
    config: dict[str, Any],
    seed: int,
    errors: dict[str, float],
    chosen_update: int,
    updates: int,
    restarts: int,
    seconds: float,
    model_updates: int,
    ensemble_size: int,
    provenance: dict[str, str | bool],
    facts: dict[str, float] | None,
) -> dict[str, Any]:
    """Return the record of a finished run as it is stored.

    Args:
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
        facts: How well the model names supporting facts, in percent, but `share`, from 0 to 1; None where the network
            names none, or the test has none.
    """
    record: dict[str, Any] = {
        "config": config,
        "seed": seed,
        "error": {name: round(error, 4) for name, error in errors.items()},
        "chosen": {"update": chosen_update, "rule": RULE},
        "updates": updates,
        "restarts": restarts,
        "seconds": round(seconds, 1),
        "updates_per_second": round(model_updates / max(seconds, 1e-9), 1),
        "stacked": ensemble_size,
        "provenance": provenance,
    }
    return record if facts is None else record | {"facts": facts}
