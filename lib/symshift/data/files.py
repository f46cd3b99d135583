"""The bAbI file format (Weston et al., 2015): reading questions from a file and writing them to one.

A line is `ID sentence`, or `ID question<TAB>answer<TAB>supporting IDs`. IDs start at 1 in each story, and questions
take IDs too; a `Question` holds the sentences alone and counts them from 0. Its answer is lower case, one class.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import BufferedIOBase, BytesIO
from pathlib import Path

from symshift.data.question import Question, by_story
from symshift.errors import InputError
from symshift.paths import write_atomically

LONGEST_LINE = 10_000
LONGEST_ID = 10  # digits
NO_SPACE_BEFORE_TAB = {0, 4, 15, 16, 17, 18, 19, 20}


def read(path: str | Path, task: int = 0) -> list[Question]:
    """The questions of a file of one's own in the bAbI format."""
    try:
        with open(path, "rb") as lines:
            return parse(lines, str(path), task, "file")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a file in the bAbI format") from None


def write(questions: Iterable[Question], file: str | Path) -> None:
    """Write questions in the official format, all or, where one could not be read again, none; those over one growing
    story share its lines."""
    lines = [f"{line} {text}\n" for story in by_story(questions) for line, text in enumerate(_lines(story), 1)]
    written = "".join(lines).encode()
    parse(BytesIO(written), str(file), 0, "file")
    write_atomically(Path(file), written)


def _lines(story: list[Question]) -> Iterator[str]:
    """Sentences and questions of a story in their order, without IDs."""
    ids: list[int] = []
    for asked_before, asked in enumerate(story):
        for sentence in asked.story[len(ids) :]:
            ids.append(len(ids) + asked_before + 1)
            yield sentence
        space = "" if asked.task in NO_SPACE_BEFORE_TAB else " "
        supporting = " ".join(str(ids[place]) for place in asked.supporting)
        yield f"{asked.question}{space}\t{_spelled(asked)}\t{supporting}"


def parse(lines: BufferedIOBase, name: str, task: int, source: str) -> list[Question]:
    """The questions in the lines of a file; the first line at fault is named in an `InputError`."""
    questions: list[Question] = []
    sentences: list[str] = []
    index: dict[int, int] = {}
    number = previous = 0
    for number, raw in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), 1):
        try:
            line, text = numbered(raw, previous)
            if line == 1:
                sentences, index = [], {}
            previous = line
            if "\t" in text:
                question, answer, supporting = _fields(text)
                places = tuple(_place(given, index, line) for given in supporting.split())
                questions.append(Question(tuple(sentences), question, answer, places, task, source))
            else:
                index[line] = len(sentences)
                sentences.append(_sentence(text))
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
    if not questions:
        form = "`ID question<TAB>answer<TAB>supporting IDs`"
        raise InputError(f"{name}, line {number + 1}: the file ends and holds no question; a question is a line {form}")
    return questions


def numbered(raw: bytes, previous: int) -> tuple[int, str]:
    """The ID of a line and its text; an ID is 1 or one more than the previous."""
    if len(raw) > LONGEST_LINE:
        raise InputError(f"longer than {LONGEST_LINE} bytes; a line holds one sentence")
    try:
        number, _, text = raw.removeprefix(BOM_UTF8).decode().rstrip("\r\n").partition(" ")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save the file as UTF-8 text") from None
    if not (number.isdecimal() and len(number) < LONGEST_ID and text.strip()):
        raise InputError(f"{raw[:40]!r} is not `ID text`")
    if int(number) not in (1, previous + 1):
        raise InputError(f"ID {number} after ID {previous}; {previous + 1} or, for a new story, 1 would be right")
    return int(number), text


def _fields(text: str) -> tuple[str, str, str]:
    """Question, answer and supporting IDs of a question line."""
    fields = [field.strip() for field in text.split("\t")]
    if len(fields) != 3 or not all(fields):
        raise InputError("a question line is `ID question<TAB>answer<TAB>supporting IDs`, with each of them")
    question, answer, supporting = fields
    if not question.endswith("?"):
        raise InputError(f"the question {question[-40:]!r} does not end with '?'")
    return question, answer.lower(), supporting


def _sentence(text: str) -> str:
    """A sentence of the story, which ends with a full stop."""
    sentence = text.strip()
    if "?" in sentence:
        raise InputError("a question without its tab; `ID question<TAB>answer<TAB>supporting IDs` would be right")
    if not sentence.endswith("."):
        raise InputError(f"the sentence ends with {sentence[-20:]!r}, not with a full stop")
    return sentence


def _place(given: str, index: dict[int, int], line: int) -> int:
    """The sentence that a supporting ID points to."""
    if given.isdecimal() and int(given) in index:
        return index[int(given)]
    fault = "a question" if given.isdecimal() and 0 < int(given) <= line else "no earlier line"
    raise InputError(f"supporting ID {given} points to {fault}; the ID of a sentence of the story would be right")


def _spelled(asked: Question) -> str:
    """The answer as the story spells it: a word found with a capital only is a name."""
    words = {word for sentence in asked.story for word in sentence.rstrip(".").split()}
    if asked.answer in words:
        return asked.answer
    return next((word for word in sorted(words) if word.lower() == asked.answer), asked.answer)
