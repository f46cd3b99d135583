"""The layout of `babi_qa` on the Hugging Face hub: a row is a story with its questions in between, in JSON lines.

    {"story": {"id": ["1", "2"], "type": [0, 1], "text": ["Ines went to the cellar.", "Where is Ines?"],
               "supporting_ids": [[], ["1"]], "answer": ["", "cellar"]}}

A line of type 0 or `context` is a sentence, one of type 1 or `question` a question; ids count from 1, as in bAbI's own
files. A story may be a list of lines too, each with these five fields. `parquet` has the same rows in that format.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from symshift.data.formats.json_rows import json_line, rows_of
from symshift.data.formats.row import Row, build, short_repr
from symshift.data.question import Question, by_story
from symshift.errors import InputError, errors_at

FIELDS = ("id", "type", "text", "supporting_ids", "answer")
TYPES = {0: "context", 1: "question", "context": "context", "question": "question"}


def parse(content: bytes, name: str, task: int) -> list[Row]:
    """Parse a file of JSON.

    Raises:
        InputError: Names the first line at fault.
    """
    return questions_of(rows_of(content, name), name, task)


def dump(questions: Sequence[Question]) -> bytes:
    """Return the content of a file of JSON lines."""
    return "".join(json_line({"story": story}) for story in stories(questions)).encode()


def questions_of(rows: Iterable[tuple[str, dict[str, Any]]], name: str, task: int) -> list[Row]:
    """Return the questions of nested stories.

    Args:
        rows: Where each story is in its file, and its fields.
        name: What errors call the file.
        task: The task that the questions get.

    Raises:
        InputError: Names the first story at fault.
    """
    questions: list[Row] = []
    for where, row in rows:
        with errors_at(f"{name}, {where}"):
            split = str(row.get("split") or "")
            questions += [Row(where, question, split) for question in _questions(_lines(row.get("story")), task)]
    return questions


def stories(questions: Iterable[Question]) -> Iterator[dict[str, list[Any]]]:
    """Yield each story with the questions on it, as one nested row."""
    for group in by_story(questions):
        lines: list[tuple[Any, ...]] = []
        ids: list[str] = []
        for question in group:
            for sentence in question.story[len(ids) :]:
                ids.append(str(len(lines) + 1))
                lines.append((ids[-1], 0, sentence, [], ""))
            supporting = [ids[index] for index in question.supporting]
            lines.append((str(len(lines) + 1), 1, question.question, supporting, question.answer))
        yield {field: [line[column] for line in lines] for column, field in enumerate(FIELDS)}


def _lines(story: Any) -> list[dict[str, Any]]:
    """Return the lines of a story, whether it is a list of them or has a list for each field."""
    if isinstance(story, dict):
        columns: dict[str, Any] = {field: story.get(field) for field in FIELDS}
        for field, values in columns.items():
            if not isinstance(values, list):
                raise InputError(f"the story has no list {field!r}; {', '.join(FIELDS)} are right")
        if len({len(values) for values in columns.values()}) > 1:
            raise InputError(f"the lists of the story differ in length; each line has {', '.join(FIELDS)}")
        return [dict(zip(FIELDS, line, strict=True)) for line in zip(*columns.values(), strict=True)]
    if not isinstance(story, list) or not all(isinstance(line, dict) for line in story):
        raise InputError(f"the story is {short_repr(story)}; an object with lists of {', '.join(FIELDS)} is right")
    return story


def _questions(lines: Sequence[dict[str, Any]], task: int) -> Iterator[Question]:
    sentences: list[Any] = []
    index_of: dict[str, int] = {}
    count = 0
    for line in lines:
        if _kind(line.get("type")) == "context":
            if line.get("id") is not None:
                if (number := str(line["id"])) in index_of:
                    raise InputError(f"the id {short_repr(number)} stands twice; each sentence has one of its own")
                index_of[number] = len(sentences)
            sentences.append(line.get("text"))
            continue
        count += 1
        indices = _indices(line.get("supporting_ids"), index_of)
        yield build(sentences, line.get("text"), line.get("answer"), indices, task)
    if not count:
        raise InputError("the story has no line of type question")


def _indices(supporting: Any, index_of: Mapping[str, int]) -> list[int]:
    """Return the indices of the sentences that have these ids."""
    if supporting is None:
        return []
    if not isinstance(supporting, list):
        raise InputError(f"the field supporting_ids has {short_repr(supporting)}; a list of ids is right")
    for number in supporting:
        if not isinstance(number, int | str) or str(number) not in index_of:
            raise InputError(f"the supporting id {short_repr(number)} is of no sentence before the question")
    return [index_of[str(number)] for number in supporting]


def _kind(value: Any) -> str:
    known = isinstance(value, int | str) and not isinstance(value, bool)
    if not known or value not in TYPES:
        raise InputError(f"the type {short_repr(value)} is unknown; 0 or context, and 1 or question, are right")
    return TYPES[value]
