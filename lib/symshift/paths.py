"""Where the workbook lies, how a path from a person is read, and how files are written."""

import contextlib
import os
import re
import secrets
import tempfile
import time
from pathlib import Path

from symshift.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
DRAFT_BYTES = 6  # random ones, at the end of a draft's name
OLD_DRAFT = 3600.0  # seconds after which a draft's writer is dead


def user_path(path: str | Path) -> Path:
    """Return the path that a person means: `~` is the home folder.

    Raises:
        InputError: It is no path, or names a home folder that is not there.
    """
    with contextlib.suppress(TypeError, RuntimeError):
        if path:
            return Path(path).expanduser()
    raise InputError(f"{str(path)[:80]!r} is no path; the name of a file or folder would be right")


def relative_note(name: str) -> str:
    """Say where a path that an environment variable names was looked for; an empty string where it is absolute.

    The kernel of a notebook runs in the folder of the notebook, so that a relative path is another one there.
    """
    path = os.path.expanduser(name)
    if os.path.isabs(path):
        return ""
    return f" (looked for as {os.path.abspath(path)}; for notebooks an absolute path is right)"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that, whatever happens, it has all of `data` or is as it was before.

    Raises:
        OSError: It cannot be written; its draft is gone.
    """
    make_folder(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(DRAFT_BYTES)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    remove_drafts(path, older_than=OLD_DRAFT)


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file that a person names, as `write_atomically` does.

    Raises:
        InputError: It cannot be written.
    """
    try:
        write_atomically(user_path(path), data)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be written ({getattr(error, 'strerror', None) or error})") from None


def check_writable(path: str | Path) -> None:
    """Refuse the name of a file that could not be written, before the work that fills it.

    Raises:
        InputError: It is a folder, or lies in no folder that can be written to.
    """
    file = user_path(path).absolute()
    if file.is_dir():
        raise InputError(f"{path}: is a folder; the name of a file would be right")
    folder = next(folder for folder in file.parents if folder.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError(f"{path}: cannot be written; {folder} is no folder that can be written to")


def prepare_folder(folder: Path) -> None:
    """Make a folder, and see, before the work that fills it, whether files can be written there.

    Raises:
        OSError: They cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that their names outlast a power cut."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        _sync_folder(path.parent)


def read_text(path: Path) -> str:
    """The text of a file that a person wrote, without the byte order mark that some editors put before it.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: is not UTF-8; save the file as UTF-8 text") from None


def remove(path: Path) -> None:
    """Remove a file, if there is one, and the drafts that killed writes left."""
    with contextlib.suppress(NotADirectoryError):  # a file stands where its folder should be
        path.unlink(missing_ok=True)
    remove_drafts(path)


def remove_drafts(path: Path, older_than: float = 0.0) -> None:
    """Remove what killed writes of a file left, where it is older than this many seconds; no other hidden file."""
    draft_name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{2 * DRAFT_BYTES}}}")
    for draft in path.parent.glob(".*"):
        if draft_name.fullmatch(draft.name):
            with contextlib.suppress(OSError):  # another process removes them too
                if time.time() - draft.stat().st_mtime >= older_than:
                    draft.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power cut, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
