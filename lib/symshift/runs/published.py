"""Published runs: one table of records, one file of learning curves, and weights.

`runs.csv` has a row for each run, sorted by id, and a column for each entry of a record: `config.dim` is the entry
`dim` of the group `config`. A cell is a value in JSON, or a text without quotes where JSON would not read it as another
value; an empty cell is no entry. `curves.csv.gz` has the lines of all learning curves as training wrote them, with the
run's id before each. `weights/` has a safetensors file for each run that can answer questions.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from symshift.errors import InputError, repeated
from symshift.runs.file_errors import Remedy
from symshift.runs.record import check_record

NOT_PLAIN = "a record has values that a table cannot hold"


class Table(NamedTuple):
    """The group and name of each column, the name empty where there is no group, and the cells of each run."""

    columns: list[tuple[str, str]]
    rows: dict[str, list[str]]
    records: dict[str, dict[str, Any]]  # of the runs whose records were read and checked so far


class PublishedRuns:
    """Read the published runs of a folder; its files are read once, and again when they change.

    Args:
        folder: The folder `published` of a store, which need not exist.
    """

    record_name, curve_name = "published/runs.csv", "published/curves.csv.gz"
    weights_name = "published/weights/{run}.safetensors"
    remedy = Remedy("`symshift export` wrote it", "take the file from git again")

    def __init__(self, folder: Path):
        self.table = folder / "runs.csv"
        self.curves = folder / "curves.csv.gz"
        self._weights = folder / "weights"

    def has(self, run: str) -> bool:
        """Return whether the table has a run, damaged or not.

        Raises:
            ValueError: The file is no such table.
        """
        return run in self._read().rows

    def ids(self) -> Iterable[str]:
        """Return the ids in the table.

        Raises:
            ValueError: The file is no such table.
        """
        return self._read().rows

    def columns(self) -> list[str]:
        """Return the columns of the table but for the first, which is the id.

        Raises:
            ValueError: The file is no such table.
        """
        return [f"{group}.{name}" if name else group for group, name in self._read().columns]

    def record(self, run: str) -> dict[str, Any]:
        """Return the record of a run.

        Raises:
            KeyError: The table has no such run.
            LaterVersionError: It has what this version does not know.
            ValueError: The file is no such table, or the row no record.
        """
        table = self._read()
        if run not in table.records:
            record = _record(table.columns, table.rows[run])
            check_record(record)
            table.records[run] = record
        return {name: dict(value) if isinstance(value, dict) else value for name, value in table.records[run].items()}

    def curve(self, run: str) -> bytes:
        """Return the learning curve of a run, as curve.csv has it.

        Raises:
            KeyError: The file has no such run.
            OSError: The file cannot be read, or is damaged.
            ValueError: It is no table.
        """
        header, curves = _read_curves(self.curves, *_version(self.curves))
        return header + curves[run]

    def weights_path(self, run: str) -> Path:
        """Return where the weights of a run are, if they are published."""
        return self._weights / f"{run}.safetensors"

    def _read(self) -> Table:
        return _read_table(self.table, *_version(self.table))


def flat_record(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the cells of a record by their columns.

    Raises:
        InputError: A table cannot hold the record, such as one with lists.
    """
    cells: dict[str, str] = {}
    for name, value in record.items():
        entries = {f"{name}.{key}": entry for key, entry in value.items()} if isinstance(value, dict) else {name: value}
        cells |= {column: _cell(entry) for column, entry in entries.items()}
    if _record([_split(column) for column in cells], list(cells.values())) != record:
        raise InputError(NOT_PLAIN)
    return cells


def table_bytes(rows: Mapping[str, Mapping[str, str]], columns: Sequence[str] = ()) -> bytes:
    """Return the table of rows, sorted by id.

    Args:
        rows: The cells of each run by their columns.
        columns: The columns of the table before; they keep their order, and new ones stand behind their neighbours.
    """
    columns = list(columns)
    for row in rows.values():
        position = 0
        for column in row:
            if column not in columns:
                columns.insert(position, column)
            position = columns.index(column) + 1
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", *columns])
    writer.writerows([run, *(row.get(column, "") for column in columns)] for run, row in sorted(rows.items()))
    return text.getvalue().encode()


def curves_bytes(curves: Mapping[str, bytes]) -> bytes:
    """Return the file of learning curves, each given as curve.csv has it; equal curves give equal bytes.

    Raises:
        InputError: Curves have different columns.
    """
    lines: list[bytes] = []
    for run, curve in sorted(curves.items()):
        header, *validations = curve.splitlines(keepends=True)
        lines = lines or [b"id," + header]
        if lines[0] != b"id," + header:
            raise InputError(f"run {run}: its curve has other columns than {lines[0].decode().strip()}")
        lines += [run.encode() + b"," + line for line in validations]
    return gzip.compress(b"".join(lines), mtime=0)


def _version(path: Path) -> tuple[int, int]:
    """Return what changes when a file does; zeros where it does not exist."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _read_table(path: Path, modified: int, _size: int) -> Table:
    """Read the table; its time and size are arguments so that a changed file is read again."""
    if not modified:
        return Table([], {}, {})
    with path.open(newline="", encoding="utf-8") as file:
        columns, *rows = list(csv.reader(file)) or [[]]
    if columns[:1] != ["id"]:
        raise ValueError("its first column is not id")
    ids = [row[0] for row in rows if row]
    if len(set(ids)) < len(ids):
        raise ValueError(f"has the run {repeated(ids)[0]} twice")
    return Table([_split(column) for column in columns[1:]], {row[0]: row[1:] for row in rows if row}, {})


@lru_cache(maxsize=2)
def _read_curves(path: Path, modified: int, _size: int) -> tuple[bytes, dict[str, bytes]]:
    """Return the header of every curve, and the other lines by run."""
    try:
        header, *lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True) if modified else [b"id,"]
    except (EOFError, zlib.error) as error:  # of a file that is cut off, or changed
        raise gzip.BadGzipFile(str(error)) from None
    curves: dict[str, list[bytes]] = {}
    for line in lines:
        run, _, validation = line.partition(b",")
        curves.setdefault(run.decode(), []).append(validation)
    return header.removeprefix(b"id,"), {run: b"".join(validations) for run, validations in curves.items()}


def _split(column: str) -> tuple[str, str]:
    group, _, name = column.partition(".")
    return group, name


def _record(columns: Sequence[tuple[str, str]], cells: Sequence[str]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if len(cells) != len(columns):
        raise ValueError(f"has {len(cells)} cells for {len(columns)} columns")
    for (group, name), cell in zip(columns, cells, strict=True):
        if cell and name:
            record.setdefault(group, {})[name] = _value(cell)
        elif cell:
            record[group] = _value(cell)
    return record


@lru_cache(maxsize=100_000)
def _value(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _cell(value: Any) -> str:
    if not isinstance(value, str | int | float | None):
        raise InputError(NOT_PLAIN)
    if isinstance(value, str) and value and value.isprintable() and _value(value) == value:
        return value
    return json.dumps(value)
