"""Where the workbook lies, how a path from a person is read, and how files are written."""

import os
from pathlib import Path

from symshift.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def user_path(path: str | Path) -> Path:
    """Return the path that a person means: `~` is the home folder.

    Raises:
        InputError: it is no path, or names a home folder that is not there.
    """
    try:
        return Path(path).expanduser()
    except (TypeError, RuntimeError):
        raise InputError(f"{str(path)[:80]!r} is no path; the name of a file or folder would be right") from None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that, whatever happens, it has all of `data` or is as it was before."""
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
    """Remove a file, if there is one, and the drafts that killed writes left."""
    for file in (path, *path.parent.glob(f".{path.name}.*")):
        file.unlink(missing_ok=True)
