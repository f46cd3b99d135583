"""The files of a folder, a tar or a zip archive of a stranger: listed and read within limits, whatever it holds."""

import tarfile
import zipfile
from functools import lru_cache
from pathlib import Path

from symshift.errors import InputError

LARGEST_FILE = 150_000_000  # bytes
MAX_FILES = 10_000


def files_in(path: Path) -> tuple[str, ...]:
    """List the files of an archive or a folder among which official ones may be; nothing where nothing is.

    Of a folder these are its `qa*.txt` and those of the folders in it. Of an archive they are its first MAX_FILES
    regular files, of a tar those before the first one that is larger than LARGEST_FILE.

    Raises:
        InputError: The archive or the folder cannot be read.
    """
    try:
        if path.is_dir():
            # not deeper: a folder may hold all sorts of things
            inner = (file for folder in sorted(path.iterdir()) if folder.is_dir() for file in folder.glob("qa*.txt"))
            return tuple(file.relative_to(path).as_posix() for file in (*sorted(path.glob("qa*.txt")), *inner))
        if path.is_file():
            status = path.stat()
            return _files_in_archive(path, status.st_mtime_ns, status.st_size)
        return ()
    except OSError as error:
        raise _unreadable(path, error) from None


def read_file(path: Path, name: str) -> bytes:
    """Read a file of an archive or folder.

    Raises:
        InputError: The file cannot be read, or is too large.
    """
    try:
        if path.is_dir():
            with (path / name).open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as zipped, zipped.open(name) as member:
                content = member.read(LARGEST_FILE + 1)
        else:
            with tarfile.open(path) as archive:
                # in their order: getmember reads all of a compressed archive, and what it finds needs another pass
                info = next(entry for entry in archive if entry.name == name)
                extracted = archive.extractfile(info)
                content = extracted.read(LARGEST_FILE + 1) if extracted else b""
    except Exception as error:  # the libraries of archives promise no type of error
        raise _unreadable(path, error) from None
    if len(content) > LARGEST_FILE:
        raise InputError(f"{path}: {name} is larger than {LARGEST_FILE:,} bytes, which no official file is")
    return content


@lru_cache(maxsize=8)
def _files_in_archive(path: Path, _modified: int, _size: int) -> tuple[str, ...]:
    """List the files of an archive; a changed archive is listed again."""
    names: list[str] = []
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as zipped:
                return tuple(info.filename for info in zipped.infolist()[:MAX_FILES] if not info.is_dir())
        with tarfile.open(path) as archive:
            for member in archive:
                if member.size > LARGEST_FILE or len(names) >= MAX_FILES:
                    break  # beyond it is nothing official
                if member.isfile():
                    names.append(member.name)
    except Exception as error:  # the libraries of archives promise no type of error
        raise _unreadable(path, error) from None
    return tuple(names)


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: cannot be read ({type(error).__name__}); get it again, as a folder, tar or zip archive")
