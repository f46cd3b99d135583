"""Questions as JSON lines: a line is an object with story, question, answer and, where known, supporting and split.

    {"story": ["Ines went to the cellar."], "question": "Where is Ines?", "answer": "cellar", "supporting": [0]}

`story` is a list of sentences, or one text; `supporting` has their indices, from 0. Other fields are left out. One JSON
list of such objects is read too.
"""

from collections.abc import Sequence
from typing import Any

from symshift.data.formats.json_rows import json_line, rows_of
from symshift.data.formats.row import Row, build, sentences, short_repr
from symshift.data.question import Question
from symshift.errors import InputError, errors_at

FIELDS = ("story", "question", "answer")


def parse(content: bytes, name: str, task: int) -> list[Row]:
    """Parse a file.

    Raises:
        InputError: Names the first line at fault.
    """
    rows = []
    for where, fields in rows_of(content, name):
        with errors_at(f"{name}, {where}"):
            rows.append(Row(where, _question(fields, task), str(fields.get("split") or "")))
    return rows


def dump(questions: Sequence[Question]) -> bytes:
    """Return the content of a file."""
    return "".join(json_line(_fields(question)) for question in questions).encode()


def _fields(question: Question) -> dict[str, Any]:
    fields = {"story": question.story, "question": question.question, "answer": question.answer}
    return fields | ({"supporting": question.supporting} if question.supporting else {})


def _question(fields: dict[str, Any], task: int) -> Question:
    if missing := [name for name in FIELDS if name not in fields]:
        raise InputError(f"has no field {missing[0]!r}; {', '.join(FIELDS)} are right")
    story = sentences(fields["story"]) if isinstance(fields["story"], str) else fields["story"]
    supporting = [] if fields.get("supporting") is None else fields["supporting"]
    for field, values in (("story", story), ("supporting", supporting)):
        if not isinstance(values, list):
            raise InputError(f"the field {field} is {short_repr(values)}; a list is right")
    answer = fields["answer"]
    if isinstance(answer, list) and all(isinstance(word, str) for word in answer):
        answer = ",".join(answer)
    return build(story, fields["question"], answer, supporting, task)
