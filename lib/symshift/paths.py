"""Where the workbook lies, and how it writes."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_atomically(path: Path, data: bytes) -> None:
    """The file has all of `data` or is as it was before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def remove(path: Path) -> None:
    """The file goes, if there is one, and with it what a kill left of a write."""
    for file in (path, *path.parent.glob(f".{path.name}.*")):
        file.unlink(missing_ok=True)
