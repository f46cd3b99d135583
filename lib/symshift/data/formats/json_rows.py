"""Rows of a JSON file: one object on each line, one list of objects, or a single object over several lines."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symshift.errors import InputError, repeated
from symshift.paths import user_path, write_file

JsonRow = tuple[str, dict[str, Any]]  # where it is in its file, as in `line 3`, and its fields


def read_rows(path: str) -> list[JsonRow]:
    """Read the objects of a file.

    Args:
        path: The file; `~` is the home folder.

    Raises:
        InputError: The file cannot be read, or has other content; the first line at fault is named.
    """
    try:
        return rows_of(user_path(path).read_bytes(), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def write_rows(rows: Iterable[Mapping[str, Any]], path: str) -> None:
    """Write objects as JSON lines.

    Args:
        rows: The objects.
        path: The file; `~` is the home folder.

    Raises:
        InputError: A text has no UTF-8, or the file cannot be written.
    """
    lines = [json_line(row) for row in rows]
    for number, line in enumerate(lines, 1):
        check_encodable(line, f"{path}, line {number}")
    write_file(path, "".join(lines).encode())


def json_line(row: Mapping[str, Any]) -> str:
    """Return an object as a line of a file."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def check_encodable(text: str, what: str) -> None:
    """Refuse a text with half of a character (a lone surrogate), which JSON can name and UTF-8 cannot hold.

    Raises:
        InputError: It has one.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what}: {text[error.start]!r} is no character; take it out") from None


def rows_of(content: bytes, name: str) -> list[JsonRow]:
    """Return the objects in the content of a file.

    Args:
        content: What the file holds.
        name: What errors call the file.

    Raises:
        InputError: It holds something else; the first line at fault is named.
    """
    text = decode(content, name)
    rows = _list(text, name) if text.lstrip().startswith("[") else _lines(text, name)
    checked = [(where, _object(row, name, where)) for where, row in rows]
    if not checked:
        raise InputError(f"{name}, line 1: holds no object; write one JSON object on each line")
    return checked


def decode(content: bytes, name: str) -> str:
    """Return the text of a file.

    Raises:
        InputError: It is not UTF-8; the line at fault is named.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + content[: error.start].count(b"\n")
        raise InputError(f"{name}, line {line}: is not UTF-8; save the file as UTF-8 text") from None


def _list(text: str, name: str) -> Iterator[tuple[str, Any]]:
    try:
        yield from ((f"row {number}", row) for number, row in enumerate(json.loads(text, object_pairs_hook=_fields), 1))
    except InputError as error:
        raise InputError(f"{name}: an object {error}") from None
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise InputError(f"{name}, line {line}: the list is not JSON; mend it, or write an object a line") from None


def _lines(text: str, name: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line, object_pairs_hook=_fields)
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
        except (ValueError, RecursionError):
            try:  # one object over several lines
                yield "line 1", json.loads(text, object_pairs_hook=_fields)
                return
            except InputError as error:
                fault = f"line 1: {error}"
            except (ValueError, RecursionError):
                fault = f"line {number}: {line.strip()[:40]!r} is not JSON; write one object on each line"
            raise InputError(f"{name}, {fault}") from None


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object, of which JSON itself would take the last of one name."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = repeated([name for name, _ in pairs])[0]
        raise InputError(f"has the field {twice[:40]!r} twice; once is right")
    return fields


def _object(row: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{name}, {where}: {str(row)[:40]!r} is no object; {{...}} with named fields is right")
    return row
