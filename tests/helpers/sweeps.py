"""A small sweep, its command, and what it leaves."""

from pathlib import Path
from typing import Any

import yaml

from symshift.runs.store import Store

SMALL = {"dim": 5, "entity": 4, "relation": 3, "hidden": 6}
QUICK = {"batch": 4, "updates": 60, "evaluate_every": 5, "patience": 25, "restart_at": 0}
GRID = {
    "models": ["tpr-sm", "gstpr-sm"],
    "tasks": [1, 15],
    "examples": [60],
    "sources": ["generated"],
    "seeds": [0, 1],
    "overrides": SMALL | QUICK,
}


def written(folder: Path, **values: Any) -> Path:
    """The file of the small sweep; `values` change it."""
    file = folder / "sweep.yaml"
    file.write_text(yaml.safe_dump(GRID | values, sort_keys=False))
    return file


def command(file: Path, outputs: Path) -> list[str]:
    """The words that follow `python -m symshift.sweeps.run`."""
    return [str(file), "--outputs", str(outputs), "--device", "cpu"]


def contents(outputs: Path) -> dict[str, tuple]:
    """Of each run, by its id: its record but for time, its curve, its weights' bits. Nothing else must be left."""
    store, left = Store(outputs), {}
    for run in store.runs().id:
        record = store.record(run)
        kept = {name: record[name] for name in ("config", "seed", "error", "chosen", "updates", "restarts")}
        weights = {name: value.numpy().tobytes() for name, value in store.weights(run)[0].items()}
        left[run] = kept, (store.path(run) / "curve.csv").read_bytes(), weights
    assert list(outputs.glob("checkpoints/*")) == []
    assert list(outputs.glob("runs/*/error.json")) == []
    return left
