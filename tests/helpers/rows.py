"""Rows as a store gives them, without the runs."""

from symshift.config import configure


def run(
    model: str,
    task: int,
    seed: int,
    error: float,
    valid: float = 0.0,
    stories: str = "official",
    data: str = "",
    **changed: object,
) -> dict:
    """A run of a preset; `changed` are overrides, `data` tells stories of one name apart."""
    config = configure({"model": model, "task": task, **changed}).flat()
    errors = {"error_valid": valid, "error_test": error}
    return {"id": f"{model}{seed}", **config, "seed": seed, **errors, "stories": stories, "data": data}
