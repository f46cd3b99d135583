"""BABILong (Kuratov et al., 2024, arXiv 2406.10149): a bAbI question about a text in which the facts are hidden.

A row of its JSON has `input` (the text), `question` and `target` (the answer). It has no supporting facts. A text is
cut into sentences at line breaks, or where it has none behind full stops.
"""

from collections.abc import Sequence

from symshift.data.formats.json_rows import json_line, rows_of
from symshift.data.formats.row import Row, build, sentences, short_repr
from symshift.data.question import Question
from symshift.errors import InputError, errors_at

FIELDS = ("target", "question", "input")


def parse(content: bytes, name: str, task: int) -> list[Row]:
    """Parse a file of JSON lines, or of one JSON list.

    Raises:
        InputError: Names the first line at fault.
    """
    rows = []
    for where, fields in rows_of(content, name):
        with errors_at(f"{name}, {where}"):
            if missing := [field for field in FIELDS if field not in fields]:
                raise InputError(f"has no field {missing[0]!r}; {', '.join(FIELDS)} are right")
            if not isinstance(fields["input"], str):
                raise InputError(f"the field input is {short_repr(fields['input'])}; a text is right")
            story = [line for line in sentences(fields["input"]) if any(char.isalnum() for char in line)]
            question = build(story, fields["question"], fields["target"], (), task)
        rows.append(Row(where, question, str(fields.get("split") or "")))
    return rows


def dump(questions: Sequence[Question]) -> bytes:
    """Return the content of a file of JSON lines."""
    rows = (
        {"target": question.answer, "question": question.question, "input": _input(question)} for question in questions
    )
    return "".join(map(json_line, rows)).encode()


def _input(question: Question) -> str:
    """Return the story on one line where it can be cut again, else a sentence a line."""
    text = " ".join(question.story)
    return text if tuple(sentences(text)) == question.story else "\n".join(question.story)
