"""Where the workbook lies, and how it writes."""

import os
from pathlib import Path

from symshift.errors import InputError

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


def read_text(path: Path) -> str:
    """The text of a file that a person wrote.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: is not UTF-8; save the file as UTF-8 text") from None


def remove(path: Path) -> None:
    """The file goes, if there is one, and with it what a kill left of a write."""
    for file in (path, *path.parent.glob(f".{path.name}.*")):
        file.unlink(missing_ok=True)
