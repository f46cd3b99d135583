"""The store of runs: outputs/runs/<id>/ with run.json, curve.csv and weights.safetensors.

run.json is written last and atomically, so it exists if and only if the run is finished. It has the checksums of the
other two files. A run that failed leaves error.json instead. `SYMSHIFT_OUTPUTS` or the argument `outputs` moves the
store.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import ROOT, remove_drafts, user_path, write_atomically
from symshift.runs import tensor_file
from symshift.runs.record import LaterVersionError, check_record
from symshift.runs.tensor_file import sha256

# of the table of an empty store
COLUMNS = ["id", "model", "task", "examples", "updates", "patience", "solved", "seed", "error_test", "stories", "data"]
FILES = ("weights", "weights.safetensors"), ("curve", "curve.csv")  # that run.json has a checksum of
_reported: set[str] = set()  # damaged records that this process has named


class Store:
    """Runs on disk.

    Args:
        outputs: The folder that has `runs/` and `checkpoints/`; by default `SYMSHIFT_OUTPUTS`, or outputs/ of the
            repository.
    """

    def __init__(self, outputs: str | Path | None = None):
        self.outputs = user_path(outputs or os.environ.get("SYMSHIFT_OUTPUTS") or ROOT / "outputs")

    def prepare(self) -> None:
        """Make sure, before hours of training, that runs can be written.

        Raises:
            InputError: They cannot.
        """
        folder = self.outputs / "runs"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise InputError(f"outputs {str(self.outputs)!r}: runs cannot be kept there ({error.strerror})") from None

    def path(self, run: object) -> Path:
        """Return the folder of a run.

        Raises:
            InputError: This is no run id.
        """
        if not isinstance(run, str) or not re.fullmatch("[0-9a-f]{12}", run):
            raise InputError(f"run {str(run)[:40]!r} is no id; an id is 12 hex digits, such as 0a1b2c3d4e5f")
        return self.outputs / "runs" / run

    def has(self, run: str) -> bool:
        """Return whether a run is finished; one whose record is damaged is not."""
        if not (self.path(run) / "run.json").exists():
            return False
        try:
            self.record(run)
        except InputError as error:
            return isinstance(error.__cause__, LaterVersionError)
        return True

    def has_weights(self, run: str) -> bool:
        """Return whether the run can answer; of many runs only the record is here."""
        return (self.path(run) / "weights.safetensors").exists()

    def write(
        self,
        run: str,
        record: Mapping[str, Any],
        curve: pd.DataFrame,
        weights: Mapping[str, Tensor],
        words: Mapping[str, str],
    ) -> None:
        """Write a finished run; the record comes last.

        Args:
            run: Its id.
            record: What run.json says; the checksums of the other files are added.
            curve: One row per validation.
            weights: The parameters by name.
            words: `vocabulary` as JSON and the number of `sentences`, stored with the weights.

        Raises:
            InputError: The files cannot be written.
        """
        folder = self.path(run)
        contents = {"weights": tensor_file.dump(weights, words), "curve": curve.to_csv(index=False).encode()}
        sums = {"sha256": {name: sha256(content) for name, content in contents.items()}}
        try:
            for name, file in FILES:
                write_atomically(folder / file, contents[name])
            (folder / "error.json").unlink(missing_ok=True)
            write_atomically(folder / "run.json", json.dumps({**record, **sums}, indent=1).encode() + b"\n")
            for file in (*dict(FILES).values(), "run.json", "error.json"):
                remove_drafts(folder / file)
        except OSError as error:
            raise InputError(
                f"run {run} is trained, but {folder} cannot be written ({error.strerror}); mend that and start the "
                "same training again"
            ) from None

    def fail(self, run: str, error: Mapping[str, Any]) -> None:
        """Note a failed attempt."""
        write_atomically(self.path(run) / "error.json", json.dumps(error, indent=1).encode() + b"\n")

    def attempts(self, run: str) -> int:
        """Return how many attempts have failed."""
        path = self.path(run) / "error.json"
        if not path.exists():
            return 0
        with _naming(f"run {run}: error.json"):
            return int(json.loads(path.read_text())["attempts"])

    def record(self, run: str) -> dict[str, Any]:
        """Return a finished run's record.

        Raises:
            InputError: There is no such run, its record is damaged, or a later version wrote it.
        """
        path = self.path(run) / "run.json"
        if not path.exists():
            near = [other for other in self._ids() if other.startswith(run[:3])]
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"run {run!r} is not among the finished runs of {self.outputs.name}/runs{hint}")
        with _naming(f"run {run}: run.json"):
            record = json.loads(path.read_text())
            check_record(record)
        return record

    def curve(self, run: str) -> pd.DataFrame:
        """Return the learning curve: one row per validation."""
        content = self._content(run, "curve", "curve.csv")
        with _naming(f"run {run}: curve.csv"):
            return pd.read_csv(content).astype({"update": int})

    def weights(self, run: str) -> tuple[dict[str, Tensor], dict[str, str]]:
        """Return the weights chosen on validation, and the vocabulary and number of sentences beside them.

        Raises:
            InputError: They are not here, damaged, not finite or no floats.
        """
        if self.path(run).exists() and not self.has_weights(run):
            self.record(run)
            raise InputError(
                f"run {run} has no weights here, only its record; to ask it, remove the folder runs/{run} of the store "
                "and train it again"
            )
        content = self._content(run, "weights", "weights.safetensors")
        with _naming(f"run {run}: weights.safetensors"):
            weights, words = tensor_file.load(content)
            for name, tensor in weights.items():
                if tensor.dtype not in (torch.float32, torch.float64) or not tensor.isfinite().all():
                    raise ValueError(f"{name} is not finite numbers")
            return weights, words

    def runs(self) -> pd.DataFrame:
        """Return one row per finished run: its id, its config, its seed, its errors in percent (`error_test`, ...).

        A damaged record is left out, with a line on stderr that names it.
        """
        rows = []
        for run in self._ids():
            try:
                rows.append(_row(run, self.record(run)))
            except InputError as error:
                if str(error) not in _reported:
                    _reported.add(str(error))
                    print(f"left out: {error}", file=sys.stderr)
        return pd.DataFrame(rows, columns=None if rows else COLUMNS)

    def _content(self, run: str, name: str, file: str) -> Path:
        """Check a file against the checksum in the record, where this has one."""
        expected = self.record(run).get("sha256", {})
        path = self.path(run) / file
        with _naming(f"run {run}: {file}"):
            if expected and sha256(path.read_bytes()) != expected[name]:
                raise ValueError("its checksum is another")
        return path

    def _ids(self) -> list[str]:
        names = [path.parent.name for path in (self.outputs / "runs").glob("*/run.json")]
        return sorted(name for name in names if re.fullmatch("[0-9a-f]{12}", name))


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Turn whatever fails within into one line that names the file: these libraries promise no type of error."""
    try:
        yield
    except LaterVersionError as error:
        raise InputError(f"{file} {error}; get this version of symshift to read it") from error
    except Exception as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = f" ({error})" if type(error) is ValueError else ""
        message = f"{file}{where} is not as training wrote it{reason}; remove the run to train it again"
        raise InputError(message) from None


def _row(run: str, record: dict[str, Any]) -> dict[str, Any]:
    row = {"id": run, **record["config"], "seed": record["seed"]}
    for group in ("error", "facts", "chosen"):
        row |= {f"{group}_{name}": value for name, value in record.get(group, {}).items()}
    stories = {name: record["provenance"][name] for name in ("stories", "data")}
    return row | stories | {name: record[name] for name in ("seconds", "updates_per_second", "restarts")}
