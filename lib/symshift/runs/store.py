"""The store of runs: outputs/runs/<id>/ with run.json, curve.csv and weights.safetensors.

run.json is written last and atomically, so it exists if and only if the run is finished. A run that failed leaves
error.json instead. `SYMSHIFT_OUTPUTS` or the argument `outputs` moves the store."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import safetensors.torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import ROOT, write_atomically

# of the table of an empty store
COLUMNS = ["id", "model", "task", "examples", "updates", "patience", "solved", "seed", "error_test", "stories", "data"]


class Store:
    """Runs on disk. `outputs` is the folder that holds `runs/` and `checkpoints/`."""

    def __init__(self, outputs: str | Path | None = None):
        self.outputs = Path(outputs or os.environ.get("SYMSHIFT_OUTPUTS") or ROOT / "outputs")

    def prepare(self) -> None:
        """Make sure, before hours of training, that runs can be kept."""
        folder = self.outputs / "runs"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise InputError(f"outputs {str(self.outputs)!r}: runs cannot be kept there ({error.strerror})") from None

    def path(self, run: str) -> Path:
        """The folder of a run."""
        return self.outputs / "runs" / run

    def has(self, run: str) -> bool:
        """Whether the run is finished."""
        return (self.path(run) / "run.json").exists()

    def has_weights(self, run: str) -> bool:
        """Whether the run can be asked; of many runs only the record is kept."""
        return (self.path(run) / "weights.safetensors").exists()

    def write(
        self,
        run: str,
        record: Mapping[str, Any],
        curve: pd.DataFrame,
        weights: Mapping[str, Tensor],
        words: Mapping[str, str],
    ) -> None:
        """Keep a finished run; the record comes last. `words` is kept beside the weights: the vocabulary as JSON."""
        folder = self.path(run)
        write_atomically(folder / "weights.safetensors", safetensors.torch.save(dict(weights), metadata=dict(words)))
        write_atomically(folder / "curve.csv", curve.to_csv(index=False).encode())
        (folder / "error.json").unlink(missing_ok=True)
        write_atomically(folder / "run.json", json.dumps(record, indent=1).encode() + b"\n")

    def fail(self, run: str, error: Mapping[str, Any]) -> None:
        """Note a failed attempt."""
        write_atomically(self.path(run) / "error.json", json.dumps(error, indent=1).encode() + b"\n")

    def attempts(self, run: str) -> int:
        """How many attempts have failed."""
        path = self.path(run) / "error.json"
        if not path.exists():
            return 0
        with _ours(f"run {run}: error.json"):
            return int(json.loads(path.read_text())["attempts"])

    def record(self, run: str) -> dict[str, Any]:
        """The run's record."""
        if not self.has(run):
            near = [path.parent.name for path in self._records() if path.parent.name.startswith(run[:3])]
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"run {run!r} is not among the finished runs of {self.outputs.name}/runs{hint}")
        return self._read(run)[0]

    def curve(self, run: str) -> pd.DataFrame:
        """The learning curve: a row for each validation."""
        self.record(run)
        with _ours(f"run {run}: curve.csv"):
            return pd.read_csv(self.path(run) / "curve.csv").astype({"update": int})

    def weights(self, run: str) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The weights chosen on validation, and the vocabulary kept beside them."""
        self.record(run)
        path = self.path(run) / "weights.safetensors"
        if not self.has_weights(run):
            raise InputError(
                f"run {run} has no weights here, only its record; to ask it, remove the folder runs/{run} of the store "
                "and train it again"
            )
        with _ours(f"run {run}: weights.safetensors"), safetensors.safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, dict(file.metadata())  # noqa: SIM118

    def runs(self) -> pd.DataFrame:
        """A row for each finished run: its id, its config, its seed, its errors in percent (`error_test`, ...)."""
        rows = [self._read(path.parent.name)[1] for path in self._records()]
        return pd.DataFrame(rows, columns=None if rows else COLUMNS)

    def _read(self, run: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """A finished run's record, and its row of the table."""
        with _ours(f"run {run}: run.json"):
            record = json.loads((self.path(run) / "run.json").read_text())
            return record, _row(run, record)

    def _records(self) -> list[Path]:
        return sorted((self.outputs / "runs").glob("*/run.json"))


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """Whatever fails within is a file that is not as we write it."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, AttributeError, safetensors.SafetensorError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"{name}{where} is not as training wrote it; remove the run to train it again") from None


def _row(run: str, record: dict[str, Any]) -> dict[str, Any]:
    row = {"id": run, **record["config"], "seed": record["seed"]}
    for group in ("error", "facts", "chosen"):
        row |= {f"{group}_{name}": value for name, value in record.get(group, {}).items()}
    stories = {name: record["provenance"][name] for name in ("stories", "data")}
    return row | stories | {name: record[name] for name in ("seconds", "updates_per_second", "restarts")}
