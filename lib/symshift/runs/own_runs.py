"""Runs that were trained here: a folder for each, <id>/ with run.json, curve.csv and weights.safetensors.

run.json is written last and atomically, so it exists if and only if the run is finished. It has the checksums of the
other two files. A run that failed leaves error.json instead.
"""

import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symshift.errors import InputError
from symshift.paths import remove_drafts, write_atomically
from symshift.runs.file_errors import Remedy, translate_file_errors
from symshift.runs.record import check_record


class OwnRuns:
    """Read and write the runs of a folder.

    Args:
        folder: The folder `runs` of a store, which need not exist.
    """

    record_name, curve_name, weights_name = "run.json", "curve.csv", "weights.safetensors"
    remedy = Remedy("training wrote it", "remove the run to train it again")

    def __init__(self, folder: Path):
        self.folder = folder

    def path(self, run: object) -> Path:
        """Return the folder of a run, or its future folder.

        Raises:
            InputError: This is no run id.
        """
        if not isinstance(run, str) or not re.fullmatch("[0-9a-f]{12}", run):
            raise InputError(f"run {str(run)[:40]!r} is no id; an id is 12 hex digits, such as 0a1b2c3d4e5f")
        return self.folder / run

    def ids(self) -> list[str]:
        """Return the ids of the finished runs, sorted."""
        names = [path.parent.name for path in self.folder.glob("*/run.json")]
        return sorted(name for name in names if re.fullmatch("[0-9a-f]{12}", name))

    def has(self, run: str) -> bool:
        """Return whether a run has a record, damaged or not."""
        return self.record_path(run).exists()

    def record_path(self, run: str) -> Path:
        """Return the file of a run's record."""
        return self.path(run) / self.record_name

    def record(self, run: str) -> dict[str, Any]:
        """Return the record of a run.

        Raises:
            LaterVersionError: It has what this version does not know.
            OSError: It cannot be read.
            ValueError: It is no record.
        """
        record = json.loads(self.record_path(run).read_text())
        check_record(record)
        return record

    def curve(self, run: str) -> bytes:
        """Return the learning curve of a run.

        Raises:
            OSError: It cannot be read.
        """
        return (self.path(run) / self.curve_name).read_bytes()

    def weights_path(self, run: str) -> Path:
        """Return where the weights of a run are."""
        return self.path(run) / self.weights_name

    def write(self, run: str, record: bytes, curve: bytes, weights: bytes) -> None:
        """Write the files of a finished run; the record comes last.

        Raises:
            InputError: They cannot be written; they lie in the folder for temporary files if that is possible.
        """
        files = {self.weights_name: weights, self.curve_name: curve, self.record_name: record}
        folder = self.path(run)
        try:
            _write_files(folder, files)
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
        with translate_file_errors(f"run {run}: error.json", self.remedy):
            return int(json.loads(path.read_text())["attempts"])


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a run, its record as the last."""
    for file, content in files.items():
        if file == OwnRuns.record_name:
            (folder / "error.json").unlink(missing_ok=True)
        write_atomically(folder / file, content)
    for file in (*files, "error.json"):
        remove_drafts(folder / file)


def _rescue(run: str, files: Mapping[str, bytes]) -> str:
    """Write a run to the folder for temporary files, and say how it comes from there; empty if that fails too."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="symshift-")) / run
        _write_files(folder, files)
    except OSError:
        return ""
    return f"its files are in {folder} for now; make room, move this folder to runs/"
