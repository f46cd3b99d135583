"""The store of runs: outputs/runs/<id>/ with run.json, curve.csv and weights.safetensors, and outputs/published/.

run.json is written last and atomically, so it exists if and only if the run is finished. It has the checksums of the
other two files. A run that failed leaves error.json instead. Published runs lie together in the files of
`symshift.runs.published`; a run with a folder of its own stands before a published one of the same id.
`SYMSHIFT_OUTPUTS` or the argument `outputs` moves the store.
"""

import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import ROOT, remove_drafts, user_path, write_atomically
from symshift.runs import tensor_file
from symshift.runs.published import PublishedRuns
from symshift.runs.record import LaterVersionError, check_record
from symshift.runs.tensor_file import sha256

# of the table of an empty store
COLUMNS = ["id", "model", "task", "examples", "updates", "patience", "solved", "seed", "error_test", "stories", "data"]
FILES = ("weights", "weights.safetensors"), ("curve", "curve.csv")  # that run.json has a checksum of
_reported: set[str] = set()  # damaged records that this process has named


class Remedy(NamedTuple):
    """What wrote the files of a run, and what to do where one of them is damaged."""

    origin: str
    action: str


RUN_REMEDY = Remedy("training wrote it", "remove the run to train it again")
PUBLISHED_REMEDY = Remedy("`symshift export` wrote it", "take the file from git again")


class Store:
    """Runs on disk.

    Args:
        outputs: The folder that has `runs/`, `published/` and `checkpoints/`; by default `SYMSHIFT_OUTPUTS`, or
            outputs/ of the repository.
    """

    def __init__(self, outputs: str | Path | None = None):
        self.outputs = user_path(outputs or os.environ.get("SYMSHIFT_OUTPUTS") or ROOT / "outputs")
        self.published = PublishedRuns(self.outputs / "published")

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
        """Return the folder of a run that is not published, or its future folder.

        Raises:
            InputError: This is no run id.
        """
        if not isinstance(run, str) or not re.fullmatch("[0-9a-f]{12}", run):
            raise InputError(f"run {str(run)[:40]!r} is no id; an id is 12 hex digits, such as 0a1b2c3d4e5f")
        return self.outputs / "runs" / run

    def has(self, run: str) -> bool:
        """Return whether a run is finished; one whose record is damaged is not."""
        own = self._has_own(run)
        try:
            if not own and not self._is_published(run):
                return False
            self.record(run)
        except InputError as error:
            return isinstance(error.__cause__, LaterVersionError)
        return True

    def record_exists(self, run: str) -> bool:
        """Return whether there is a record of a run, damaged or not."""
        return self._has_own(run) or self._is_published(run)

    def has_weights(self, run: str) -> bool:
        """Return whether the run can answer; of many runs only the record is here."""
        return self._weights_path(run).exists()

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
        folder = self.path(run)
        contents = {"weights": tensor_file.dump(weights, metadata), "curve": curve.to_csv(index=False).encode()}
        sums = {"sha256": {name: sha256(content) for name, content in contents.items()}}
        files = {file: contents[name] for name, file in FILES}
        files["run.json"] = json.dumps({**record, **sums}, indent=1).encode() + b"\n"
        try:
            _write_run(folder, files)
        except OSError as error:
            remedy = _rescue(run, files) or "mend that"
            raise InputError(
                f"run {run} is trained, but {folder} cannot be written ({error.strerror}); {remedy} and start the same "
                "training again"
            ) from None

    def fail(self, run: str, error: Mapping[str, Any]) -> None:
        """Note a failed attempt.

        Raises:
            InputError: It cannot be written; the training would begin with this attempt again.
        """
        try:
            write_atomically(self.path(run) / "error.json", json.dumps(error, indent=1).encode() + b"\n")
        except OSError as fault:
            raise InputError(
                f"run {run} has to start from another seed, but {self.path(run)} cannot be written ({fault.strerror}); "
                "mend that and start the same training again"
            ) from None

    def attempts(self, run: str) -> int:
        """Return how many attempts have failed.

        Raises:
            InputError: The file that counts them is damaged.
        """
        path = self.path(run) / "error.json"
        if not path.exists():
            return 0
        with _translate_file_errors(f"run {run}: error.json"):
            return int(json.loads(path.read_text())["attempts"])

    def record(self, run: str) -> dict[str, Any]:
        """Return a finished run's record.

        Raises:
            InputError: There is no such run, its record is damaged, or a later version wrote it.
        """
        if self._has_own(run):
            return self._own_record(run)
        if self._is_published(run):
            return self._published_record(run)
        near = [other for other in self._ids() if other.startswith(run[:3])]
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"run {run!r} is not among the finished runs of {self.outputs.name}/runs{hint}")

    def record_path(self, run: str) -> Path:
        """Return the file that has a finished run's record: its own, or the table of published runs."""
        return self.path(run) / "run.json" if self._has_own(run) else self.published.table

    def curve(self, run: str) -> pd.DataFrame:
        """Return the learning curve: one row per validation.

        Raises:
            InputError: There is no such run, or its record or its curve is damaged.
        """
        record = self.record(run)
        own = self._has_own(run)
        file = "curve.csv" if own else f"published/{self.published.curves.name}"
        with _translate_file_errors(f"run {run}: {file}", self.remedy(run)):
            content = (self.path(run) / file).read_bytes() if own else self.published.curve(run)
            _check_sum(record, "curve", content)
            return pd.read_csv(io.BytesIO(content)).astype({"update": int})

    def weights(self, run: str) -> tuple[dict[str, Tensor], dict[str, str]]:
        """Return the weights chosen on validation, and the vocabulary and number of sentences beside them.

        Raises:
            InputError: There is no such run, its record is damaged, or its weights are not here, damaged, not finite or
                no floats.
        """
        record = self.record(run)
        own = self._has_own(run)
        if not self.has_weights(run):
            remedy = f"remove the folder runs/{run} of the store" if own else "name other outputs"
            raise InputError(f"run {run} has no weights here, only its record; to ask it, {remedy} and train it again")
        path = self._weights_path(run)
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
        file = self._weights_path(run).relative_to(self.path(run) if self._has_own(run) else self.outputs)
        with _translate_file_errors(f"run {run}: {file}", self.remedy(run)):
            yield

    def remedy(self, run: str) -> Remedy:
        """Return what to do where a file of a run is damaged."""
        return RUN_REMEDY if self._has_own(run) else PUBLISHED_REMEDY

    def runs(self) -> pd.DataFrame:
        """Return one row per finished run: its id, its config, its seed, its errors in percent (`error_test`, ...).

        A damaged record is left out, with a line on stderr that names it.
        """
        rows = []
        own = set(self.own_ids())
        for run in self._ids():
            try:
                rows.append(_row(run, self._own_record(run) if run in own else self._published_record(run)))
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
        names = [path.parent.name for path in (self.outputs / "runs").glob("*/run.json")]
        return sorted(name for name in names if re.fullmatch("[0-9a-f]{12}", name))

    def published_ids(self) -> list[str]:
        """Return the ids of the published runs, sorted.

        Raises:
            InputError: Their table is damaged.
        """
        with _translate_file_errors(f"published/{self.published.table.name}", PUBLISHED_REMEDY):
            return sorted(self.published.ids())

    def _ids(self) -> list[str]:
        """Return the ids of all runs, without the published ones where their table is damaged; this is reported."""
        try:
            return sorted({*self.own_ids(), *self.published_ids()})
        except InputError as error:
            report_left_out(error)
            return self.own_ids()

    def _has_own(self, run: str) -> bool:
        return (self.path(run) / "run.json").exists()

    def _own_record(self, run: str) -> dict[str, Any]:
        with _translate_file_errors(f"run {run}: run.json"):
            record = json.loads((self.path(run) / "run.json").read_text())
            check_record(record)
        return record

    def _published_record(self, run: str) -> dict[str, Any]:
        self.path(run)  # a person may have edited the table's ids
        with _translate_file_errors(f"run {run}: published/{self.published.table.name}", PUBLISHED_REMEDY):
            return self.published.record(run)

    def _is_published(self, run: str) -> bool:
        with _translate_file_errors(f"published/{self.published.table.name}", PUBLISHED_REMEDY):
            return run in self.published.ids()

    def _weights_path(self, run: str) -> Path:
        own = self.path(run) / "weights.safetensors"
        return own if self._has_own(run) else self.published.weights_path(run)


def _write_run(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a run, run.json as the last."""
    for file, content in files.items():
        if file == "run.json":
            (folder / "error.json").unlink(missing_ok=True)
        write_atomically(folder / file, content)
    for file in (*files, "error.json"):
        remove_drafts(folder / file)


def _rescue(run: str, files: Mapping[str, bytes]) -> str:
    """Write a run to the folder for temporary files, and say how it comes from there; empty if that fails too."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="symshift-")) / run
        _write_run(folder, files)
    except OSError:
        return ""
    return f"its files are in {folder} for now; make room, move this folder to runs/"


@contextmanager
def _translate_file_errors(file: str, remedy: Remedy = RUN_REMEDY) -> Iterator[None]:
    """Raise any error of reading a file as an `InputError` of one line that names it.

    The libraries that read these files promise no type of error.

    Args:
        file: The file, as the line names it.
        remedy: What wrote the file, and what to do where it is damaged.
    """
    try:
        yield
    except LaterVersionError as error:
        raise InputError(f"{file} {error}; get this version of symshift to read it") from error
    except PermissionError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from None
    except Exception as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = f" ({error})" if type(error) is ValueError else ""
        raise InputError(f"{file}{where} is not as {remedy.origin}{reason}; {remedy.action}") from None


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
