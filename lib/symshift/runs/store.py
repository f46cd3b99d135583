"""The store of runs: those trained here, in outputs/runs/, and the published ones, in outputs/published/, read as one.

A run that was trained here stands before a published one of the same id. `SYMSHIFT_OUTPUTS` or the argument `outputs`
moves the store.
"""

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import ROOT, prepare_folder, user_path
from symshift.runs import tensor_file
from symshift.runs.file_errors import Remedy, translate_file_errors
from symshift.runs.own_runs import OwnRuns
from symshift.runs.published import PublishedRuns
from symshift.runs.record import LaterVersionError
from symshift.runs.tensor_file import sha256

# of the table of an empty store
COLUMNS = ["id", "model", "task", "examples", "updates", "patience", "solved", "seed", "error_test", "stories", "data"]
_reported: set[str] = set()  # damaged records that this process has named


class Store:
    """Runs on disk.

    Args:
        outputs: The folder that has `runs/`, `published/` and `checkpoints/`; by default `SYMSHIFT_OUTPUTS`, or
            outputs/ of the repository.
    """

    def __init__(self, outputs: str | Path | None = None):
        self.outputs = user_path(outputs or os.environ.get("SYMSHIFT_OUTPUTS") or ROOT / "outputs")
        self.own = OwnRuns(self.outputs / "runs")
        self.published = PublishedRuns(self.outputs / "published")

    def prepare(self) -> None:
        """Make sure, before hours of training, that runs can be written.

        Raises:
            InputError: They cannot.
        """
        try:
            prepare_folder(self.own.folder)
        except OSError as error:
            raise InputError(f"outputs {str(self.outputs)!r}: runs cannot be kept there ({error.strerror})") from None

    def path(self, run: object) -> Path:
        """Return the folder of a run that is not published, or its future folder.

        Raises:
            InputError: This is no run id.
        """
        return self.own.path(run)

    def has(self, run: str) -> bool:
        """Return whether a run is finished; one whose record is damaged is not.

        Raises:
            InputError: This is no run id.
        """
        self.path(run)
        try:
            if not self.record_exists(run):
                return False
            self.record(run)
        except InputError as error:
            return isinstance(error.__cause__, LaterVersionError)
        return True

    def record_exists(self, run: str) -> bool:
        """Return whether there is a record of a run, damaged or not."""
        return self.own.has(run) or self._is_published(run)

    def has_weights(self, run: str) -> bool:
        """Return whether the run can answer; of many runs only the record is here."""
        return self._part(run).weights_path(run).exists()

    def write(
        self,
        run: str,
        record: Mapping[str, Any],
        curve: pd.DataFrame,
        weights: Mapping[str, Tensor],
        metadata: Mapping[str, str],
    ) -> None:
        """Write a finished run; the record comes last.

        Args:
            run: Its id.
            record: What run.json says; the checksums of the other files are added.
            curve: One row per validation.
            weights: The parameters by name.
            metadata: `vocabulary` as JSON and the number of `sentences` that are read; stored with the weights.

        Raises:
            InputError: The files cannot be written; they lie in the folder for temporary files if that is possible.
        """
        contents = {"weights": tensor_file.dump(weights, metadata), "curve": curve.to_csv(index=False).encode()}
        sums = {"sha256": {name: sha256(content) for name, content in contents.items()}}
        self.own.write(run, record=json.dumps({**record, **sums}, indent=1).encode() + b"\n", **contents)

    def fail(self, run: str, error: Mapping[str, Any]) -> None:
        """Note a failed attempt.

        Raises:
            InputError: It cannot be written; the training would begin with this attempt again.
        """
        self.own.fail(run, error)

    def attempts(self, run: str) -> int:
        """Return how many attempts have failed.

        Raises:
            InputError: The file that counts them is damaged.
        """
        return self.own.attempts(run)

    def record(self, run: str) -> dict[str, Any]:
        """Return a finished run's record.

        Raises:
            InputError: There is no such run, its record is damaged, or a later version wrote it.
        """
        if self.record_exists(run):
            return self._record(self._part(run), run)
        near = [other for other in self._ids() if other.startswith(run[:3])]
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"run {run!r} is not among the finished runs of {self.outputs}{hint}")

    def record_path(self, run: str) -> Path:
        """Return the file that has a finished run's record: its own, or the table of published runs."""
        return self.own.record_path(run) if self.own.has(run) else self.published.table

    def curve(self, run: str) -> pd.DataFrame:
        """Return the learning curve: one row per validation.

        Raises:
            InputError: There is no such run, or its record or its curve is damaged.
        """
        record, part = self.record(run), self._part(run)
        with translate_file_errors(f"run {run}: {part.curve_name}", part.remedy):
            content = part.curve(run)
            _check_sum(record, "curve", content)
            return pd.read_csv(io.BytesIO(content)).astype({"update": int})

    def weights(self, run: str) -> tuple[dict[str, Tensor], dict[str, str]]:
        """Return the weights chosen on validation, and the vocabulary and number of sentences beside them.

        Raises:
            InputError: There is no such run, its record is damaged, or its weights are not here, damaged, not finite or
                no floats.
        """
        record = self.record(run)
        path = self._part(run).weights_path(run)
        if not path.exists():
            own = self.own.has(run)
            remedy = f"remove the folder runs/{run} of the store" if own else "name other outputs"
            raise InputError(f"run {run} has no weights here, only its record; to ask it, {remedy} and train it again")
        with self.translate_weights_errors(run):
            _check_sum(record, "weights", path.read_bytes())
            weights, metadata = tensor_file.load(path)
            for name, tensor in weights.items():
                if tensor.dtype not in (torch.float32, torch.float64) or not tensor.isfinite().all():
                    raise ValueError(f"{name} is not finite numbers")
            return weights, metadata

    @contextmanager
    def translate_weights_errors(self, run: str) -> Iterator[None]:
        """Raise any error of reading a run's weights as an `InputError` of one line that names their file.

        Raises:
            InputError: They cannot be read.
        """
        part = self._part(run)
        with translate_file_errors(f"run {run}: {part.weights_name.format(run=run)}", part.remedy):
            yield

    def remedy(self, run: str) -> Remedy:
        """Return what to do where a file of a run is damaged."""
        return self._part(run).remedy

    def runs(self) -> pd.DataFrame:
        """Return one row per finished run: its id, its config, its seed, its errors in percent (`error_test`, ...).

        A damaged record is left out, with a line on stderr that names it.
        """
        rows = []
        own = set(self.own_ids())
        for run in self._ids():
            try:
                rows.append(_row(run, self._record(self.own if run in own else self.published, run)))
            except InputError as error:
                report_left_out(error)
        return pd.DataFrame(rows, columns=None if rows else COLUMNS)

    def require_runs(self) -> pd.DataFrame:
        """Return `runs`, of a store that must have some.

        Raises:
            InputError: It has none.
        """
        runs = self.runs()
        if runs.empty:
            raise InputError(f"outputs {str(self.outputs)!r} has no finished run; name the folder that holds runs/")
        return runs

    def own_ids(self) -> list[str]:
        """Return the ids of the finished runs that have a folder of their own, sorted."""
        return self.own.ids()

    def published_ids(self) -> list[str]:
        """Return the ids of the published runs, sorted.

        Raises:
            InputError: Their table is damaged.
        """
        with translate_file_errors(self.published.record_name, self.published.remedy):
            return sorted(self.published.ids())

    def _ids(self) -> list[str]:
        """Return the ids of all runs, without the published ones where their table is damaged; this is reported."""
        try:
            return sorted({*self.own_ids(), *self.published_ids()})
        except InputError as error:
            report_left_out(error)
            return self.own_ids()

    def _part(self, run: str) -> OwnRuns | PublishedRuns:
        """Return the part of the store that has the files of a run."""
        return self.own if self.own.has(run) else self.published

    def _record(self, part: OwnRuns | PublishedRuns, run: str) -> dict[str, Any]:
        self.path(run)  # a person may have edited the ids of published runs
        with translate_file_errors(f"run {run}: {part.record_name}", part.remedy):
            return part.record(run)

    def _is_published(self, run: str) -> bool:
        with translate_file_errors(self.published.record_name, self.published.remedy):
            return self.published.has(run)


def _check_sum(record: dict[str, Any], name: str, content: bytes) -> None:
    """Compare a file's content with the checksum in the record, where this has one."""
    expected = record.get("sha256", {})
    if expected and sha256(content) != expected[name]:
        raise ValueError("its checksum is another")


def report_left_out(error: InputError) -> None:
    """Name what is left out of a table, once in a process."""
    if str(error) not in _reported:
        _reported.add(str(error))
        print(f"left out: {error}", file=sys.stderr)


def _row(run: str, record: dict[str, Any]) -> dict[str, Any]:
    row = {"id": run, **record["config"], "seed": record["seed"]}
    for group in ("error", "facts", "chosen"):
        row |= {f"{group}_{name}": value for name, value in record.get(group, {}).items()}
    stories = {name: record["provenance"][name] for name in ("stories", "data")}
    stories["code"] = record["provenance"].get("code", "")
    return row | stories | {name: record[name] for name in ("seconds", "updates_per_second", "restarts")}
