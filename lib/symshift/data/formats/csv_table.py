"""Questions as CSV: a header with story, question, answer and, where known, supporting and split, and a row for each.

The sentences of a story stand in one cell, each on a line of its own, or behind one another with full stops between
them, or as pandas writes a list: `['John left.', 'Zoe slept.']`. `supporting` has their indices, from 0: `0 2` or
`[0, 2]`. Other columns are left out.
"""

import ast
import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from symshift.data.formats.json_rows import decode
from symshift.data.formats.row import Row, build, sentences, short_repr
from symshift.data.question import Question
from symshift.errors import InputError, errors_at, repeated

FIELDS = ("story", "question", "answer")
LONGEST_CELL = 10_000_000  # characters
TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
LIST = re.compile(rf"\[\s*{TEXT}(?:\s*,\s*{TEXT})*\s*,?\s*\]")  # of Python; arrays of numpy have no commas


def parse(content: bytes, name: str, task: int) -> list[Row]:
    """Parse a file.

    Raises:
        InputError: Names the first line at fault.
    """
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        rows = [_row(fields, line, name, task) for line, fields in _records(decode(content, name), name)]
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise InputError(f"{name}, line {1 + len(content.splitlines())}: holds no question; a row for each is right")
    return rows


def dump(questions: Sequence[Question]) -> bytes:
    """Return the content of a file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FIELDS, "supporting"])
    for question in questions:
        supporting = " ".join(map(str, question.supporting))
        # a line break at the end, so that one sentence with several full stops stays one
        writer.writerow(["\n".join(question.story) + "\n", question.question, question.answer, supporting])
    return text.getvalue().encode()


def _records(text: str, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the fields of each row, with the line that it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            if not header:
                header = _header(cells, name)
            elif cells:
                if len(cells) != len(header):
                    columns = f"{len(cells)} cells, while the header has {len(header)}"
                    raise InputError(f"{name}, line {line}: has {columns}; a cell with a comma wants quotes")
                yield line, dict(zip(header, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: is not CSV ({error})") from None


def _header(cells: Sequence[str], name: str) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    if missing := [field for field in FIELDS if field not in header]:
        raise InputError(f"{name}, line 1: the header has no {missing[0]!r}; {', '.join(FIELDS)} with commas are right")
    if twice := repeated(header):
        raise InputError(f"{name}, line 1: the header has the column {twice[0][:40]!r} twice")
    return header


def _row(fields: dict[str, str], line: int, name: str, task: int) -> Row:
    with errors_at(f"{name}, line {line}"):
        supporting = [_index(word) for word in re.findall(r"[^\s,\[\]]+", fields.get("supporting", ""))]
        question = build(_story(fields["story"]), fields["question"], fields["answer"], supporting, task)
    return Row(f"line {line}", question, fields.get("split", "").strip())


def _story(cell: str) -> list[Any]:
    """Return the sentences of a cell, which `build` checks."""
    text = cell.strip(" \t")
    if text.startswith("[") and text.endswith("]"):
        return _list(text)
    lines = text.splitlines() if "\n" in text else sentences(text)
    return [line for line in lines if line.strip()]


def _list(text: str) -> list[Any]:
    """Read a list as JSON, or one of texts as Python writes it."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    with contextlib.suppress(ValueError, SyntaxError):
        if LIST.fullmatch(text):
            return ast.literal_eval(text)
    right = "['John left.', 'Zoe slept.'] or the sentences alone, each on a line, are right"
    raise InputError(f"the story {short_repr(text)} is no list of texts; {right}")


def _index(word: str) -> int | str:
    return int(word) if word.isdecimal() and len(word) < 10 else word
