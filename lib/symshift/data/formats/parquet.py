"""The layout of `babi_qa` in Parquet, as the Hugging Face hub serves it; it needs the extra `parquet` (pyarrow)."""

import io
from collections.abc import Sequence
from typing import Any

from symshift.data.formats import babi_qa
from symshift.data.formats.row import Row
from symshift.data.question import Question
from symshift.errors import InputError


def parse(content: bytes, name: str, task: int) -> list[Row]:
    """Parse a file.

    Raises:
        InputError: The file is no Parquet, has no column story, or names the first row at fault; or pyarrow is missing.
    """
    pyarrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError):
        raise InputError(f"{name}: is not Parquet, or damaged; get the file again") from None
    if "story" not in table.column_names:
        columns = ", ".join(table.column_names)[:80]
        raise InputError(f"{name}: has the columns {columns}; `story`, in the layout of babi_qa, is right")
    rows = table.select([column for column in ("story", "split") if column in table.column_names]).to_pylist()
    return babi_qa.questions_of(((f"row {number}", row) for number, row in enumerate(rows, 1)), name, task)


def dump(questions: Sequence[Question]) -> bytes:
    """Return the content of a file.

    Raises:
        InputError: Pyarrow is missing.
    """
    pyarrow, parquet = _pyarrow()
    text, texts = pyarrow.string(), pyarrow.list_(pyarrow.string())
    types = {"id": text, "type": pyarrow.int64(), "text": text, "supporting_ids": texts, "answer": text}
    story = pyarrow.struct([(field, pyarrow.list_(types[field])) for field in babi_qa.FIELDS])
    table = pyarrow.table({"story": pyarrow.array(list(babi_qa.stories(questions)), story)})
    content = io.BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install -c constraints.txt -e '.[parquet]'") from None
    return pyarrow, parquet
