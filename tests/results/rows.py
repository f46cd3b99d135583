"""Rows as a store gives them, without the runs."""

from symshift.config import configure


def run(
    model: str, task: int, seed: int, error: float, valid: float = 0.0, stories: str = "official", **changed
) -> dict:
    """A run of a preset; `changed` are overrides."""
    config = configure({"model": model, "task": task, **changed}).flat()
    errors = {"error_valid": valid, "error_test": error}
    return {"id": f"{model}{seed}", **config, "seed": seed, **errors, "stories": stories}
