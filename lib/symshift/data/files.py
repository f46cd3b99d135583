"""Files of questions in any of the formats of `formats/`: bAbI's own text, CSV, JSON lines, babi_qa and BABILong."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from symshift.constraints import plain
from symshift.data.formats import babi, babi_qa, babilong, csv_table, json_lines, json_rows, parquet
from symshift.data.formats.json_rows import check_encodable
from symshift.data.formats.row import Row
from symshift.data.question import Question, by_story, list_questions
from symshift.data.words import answer_items, tokenize
from symshift.errors import InputError, InputWarning, errors_at, suggest
from symshift.paths import user_path, write_file

NAMES_NOTHING = {"yes", "no", "maybe", "none", "nothing", "nobody", "nowhere", "never"}
NAMES_NOTHING |= {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
JSON_FORMATS = ("jsonl", "babi_qa", "babilong")
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
BY_SUFFIX = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "babi_qa"}  # of files to write
QUESTION_SUFFIXES = (*BY_SUFFIX, ".json")  # of files of questions, other than bAbI's text
BABI_SUFFIXES = ("", ".txt")
KNOWN_SUFFIXES = f"{', '.join((BABI_SUFFIXES[1], *QUESTION_SUFFIXES))}, or a format by format=, are right"


class Format(NamedTuple):
    """How a format is parsed, from content, name of the file and task, and written."""

    parse: Callable[[bytes, str, int], list[Row]]
    dump: Callable[[Sequence[Question]], bytes]


FORMATS = {
    "babi": Format(lambda content, name, task: babi.rows(BytesIO(content), name, task), babi.dump),
    "csv": Format(csv_table.parse, csv_table.dump),
    "jsonl": Format(json_lines.parse, json_lines.dump),
    "babi_qa": Format(babi_qa.parse, babi_qa.dump),
    "babilong": Format(babilong.parse, babilong.dump),
}
PARQUET = Format(parquet.parse, parquet.dump)


def read(path: str | Path, task: int = 0, format: str | None = None) -> list[Question]:
    """Read the questions of a file.

    An `InputWarning` names the first answer of several words, or else the first that no story says while others are
    said: a network can only answer those that it was trained on.

    Args:
        path: The file; `~` is the home folder. A name that ends in .csv or .parquet says its format, the fields of a
            .json or .jsonl file say which of its formats it has, and any other file is bAbI's text.
        task: The task that the questions get, a whole number; 0 is none.
        format: `babi`, `csv`, `jsonl`, `babi_qa` or `babilong`, whatever the name says.

    Raises:
        InputError: The file cannot be read; the first line at fault is named.
    """
    return [row.question for row in read_rows(path, task, format)]


def read_rows(path: str | Path, task: int = 0, format: str | None = None) -> list[Row]:
    """Read the questions of a file as `read` does, with the line and the split of each.

    Raises:
        InputError: The file cannot be read; the first line at fault is named.
    """
    name = str(path)
    _check_format(format)
    task = plain(task)
    if type(task) is not int or task < 0:
        raise InputError(f"task is {task!r}; a whole number, 0 for no task, is right")
    try:
        with user_path(path).open("rb") as file:
            suffix = Path(path).suffix.lower()
            if not format and suffix not in (*BABI_SUFFIXES, *QUESTION_SUFFIXES):
                _check_babi(file, name, suffix)
            if format == "babi" or (not format and suffix not in QUESTION_SUFFIXES):
                rows = babi.rows(file, name, task)
            else:
                content = file.read()
                rows = _format(suffix, format or _format_of(content, suffix, name)).parse(content, name, task)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or error
        raise InputError(f"{name[:200]!r}: {fault}; give a file of questions") from None
    if doubt := _doubtful_answers(rows):
        warnings.warn(f"{path}, {doubt}", InputWarning, stacklevel=3)
    return rows


def write(questions: Iterable[Question], file: str | Path, format: str | None = None) -> None:
    """Write questions.

    Args:
        questions: The questions. Those over one growing story share its lines in `babi` and `babi_qa`.
        file: The file to write; `~` is the home folder. .csv, .jsonl and .parquet (`babi_qa`) say their format.
        format: `babi`, `csv`, `jsonl`, `babi_qa` or `babilong`; by default what the name says: `babi` if it ends in
            .txt or in nothing.

    Raises:
        InputError: The name says no format, there is something else than questions, one could not be read again, or the
            file cannot be written; then nothing is written.
    """
    questions = _check_questions(questions)
    name, suffix = str(file), user_path(file).suffix.lower()
    _check_format(format)
    if suffix == ".json" and not format:
        raise InputError(f"{name}: .json may be jsonl, babi_qa or babilong; name one by format=")
    if not format and suffix not in (*BABI_SUFFIXES, *QUESTION_SUFFIXES):
        raise InputError(f"{name}: the ending {suffix} says no format; {KNOWN_SUFFIXES}")
    if not questions:
        raise InputError(f"{name}: there are no questions to write; at least one would be right")
    chosen = format or BY_SUFFIX.get(suffix, "babi")
    content = _format(suffix, chosen).dump(questions)
    with errors_at(f"these questions cannot be written as {chosen}"):
        again = _format(suffix, chosen).parse(content, name, 0)
    _check_again(questions, again, chosen)
    write_file(file, content)
    if chosen == "babilong" and any(question.supporting for question in questions):
        warnings.warn(f"{file}: babilong has no supporting facts; they are left out", InputWarning, stacklevel=2)


def _check_babi(file: BufferedIOBase, name: str, suffix: str) -> None:
    """Refuse a file of an unknown ending that does not begin as bAbI's text does."""
    try:
        babi.split_id(file.readline(babi.LONGEST_LINE + 1), 0)
    except InputError:
        raise InputError(f"{name}: is no bAbI text, and the ending {suffix} says no format; {KNOWN_SUFFIXES}") from None
    file.seek(0)


def _check_questions(questions: Any) -> list[Question]:
    """Return a list of questions whose texts are UTF-8 and whose supporting facts are sentences of their stories."""
    entries = list_questions("questions", questions)
    for number, question in enumerate(entries, 1):
        check_encodable("".join((*question.story, question.question, question.answer)), f"question {number}")
        for index in question.supporting:
            if not 0 <= index < len(question.story):
                raise InputError(f"question {number}: the supporting fact {index} is none of the story")
    return entries


def _check_format(format: str | None) -> None:
    if format and format not in FORMATS:
        raise InputError(f"format {format!r} is unknown; {suggest(format, FORMATS)}")


def _format(suffix: str, name: str) -> Format:
    return PARQUET if suffix == ".parquet" and name == "babi_qa" else FORMATS[name]


def _format_of(content: bytes, suffix: str, name: str) -> str:
    """Return the format of a file of one of `QUESTION_SUFFIXES`; that of JSON shows in its first object's fields."""
    if suffix not in JSON_SUFFIXES:
        return BY_SUFFIX[suffix]
    where, fields = json_rows.rows_of(content, name)[0]
    if _is_frame(fields):
        raise InputError(f'{name}, {where}: is one object, a table of pandas; to_json(..., orient="records") is right')
    if _is_nested(fields.get("story")):
        return "babi_qa"
    if {"input", "target"} <= fields.keys():
        return "babilong"
    if "story" in fields:
        return "jsonl"
    names = ", ".join(fields)[:80] or "none"
    if "train" in fields or "test" in fields:
        right = "an object for each question, whose field split is train, valid or test, is right"
        raise InputError(f"{name}, {where}: has the fields {names}; {right}")
    raise InputError(f"{name}, {where}: has the fields {names}; those of {', '.join(JSON_FORMATS)} are in the docs")


def _is_frame(fields: Mapping[str, Any]) -> bool:
    """Return whether an object is a whole table of pandas, by column or by index, and no story of babi_qa."""
    if not fields or not all(isinstance(values, dict) and values for values in fields.values()):
        return False
    by_index = all(name.isdigit() for name in fields)
    by_column = all(name.isdigit() for values in fields.values() for name in values)
    return (by_index or by_column) and set(babi_qa.FIELDS).isdisjoint(fields.get("story", ()))


def _is_nested(story: object) -> bool:
    return isinstance(story, dict) or (isinstance(story, list) and bool(story) and isinstance(story[0], dict))


def _check_again(questions: Sequence[Question], again: Sequence[Row], format: str) -> None:
    """Compare questions with what is read of them."""
    for number, (question, row) in enumerate(zip(questions, again, strict=False), 1):
        if _fields(question, format) != _fields(row.question, format):
            raise InputError(f"question {number} cannot be written as {format}: it would be read as {_text(row)!r}")
    if len(again) != len(questions):
        raise InputError(f"{len(questions)} questions cannot be written as {format}: {len(again)} would be read")


def _fields(question: Question, format: str) -> tuple[object, ...]:
    story = tuple(sentence.strip() for sentence in question.story)
    supporting = () if format == "babilong" else question.supporting
    return story, question.question.strip(), question.answer, supporting


def _text(row: Row) -> str:
    return " | ".join((*row.question.story, row.question.question))[:80]


def _doubtful_answers(rows: Sequence[Row]) -> str:
    """Return what is doubtful about the answers: several words, or else none of a story; nothing if none is."""
    for where, question, _ in rows:
        if any(" " in item for item in answer_items(question.answer)):
            return (
                f"{where}: the answer {question.answer[:60]!r} is several words; a network answers it only if it "
                "was trained on it. Join them by a hyphen, in the story too, if they are one name"
            )
    stories = by_story(row.question for row in rows)
    story_words = {word for story in stories for text in story[-1].story for word in tokenize(text)}
    unsaid = [row for row in rows if not story_words.issuperset(answer_items(row.question.answer))]
    if len(unsaid) == len(rows):  # perhaps all are yes or no, counts or paths
        return ""
    for where, question, _ in unsaid:
        if question.answer not in NAMES_NOTHING:
            return (
                f"{where}: no story says the answer {question.answer[:60]!r}, while others are said; a network "
                "answers it only if it was trained on it. Spell it as the story does if it names something there"
            )
    return ""
