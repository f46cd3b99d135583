"""The text format of bAbI's own files (Weston et al., 2015).

A line is `ID sentence`, or `ID question<TAB>answer<TAB>supporting IDs`; supporting IDs may be left out. IDs start at 1
in each story, and questions take IDs too; a `Question` holds the sentences alone and counts them from 0.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import BufferedIOBase

from symshift.data.formats.row import SOURCE, Row, check_answer
from symshift.data.question import Question, by_story
from symshift.data.words import tokenize
from symshift.errors import InputError

LONGEST_LINE = 10_000  # bytes
ANSWERED = re.compile(r"\?\s{2,}\S|\?\s+\S+(?:\s+\d+)+$")  # spaces in place of the tabs of a question
LONGEST_ID = 9  # digits
MAX_SENTENCES = 30_000_000  # of the stories of all questions of a file; a story is kept once per question
NO_SPACE_BEFORE_TAB = {0, 4, 15, 16, 17, 18, 19, 20}
NEXT_LINE_AFTER_CR = re.compile(rb"\r[0-9]+ ")
QUESTION_FORM = "`ID question<TAB>answer<TAB>supporting IDs`"


def dump(questions: Iterable[Question]) -> bytes:
    """Return the content of a file; questions over one growing story share its lines."""
    lines = [f"{line} {text}\n" for story in by_story(questions) for line, text in enumerate(_lines(story), 1)]
    return "".join(lines).encode()


def _lines(story: list[Question]) -> Iterator[str]:
    """Yield sentences and questions of a story in their order, without IDs."""
    ids: list[int] = []
    for questions_before, question in enumerate(story):
        for sentence in question.story[len(ids) :]:
            ids.append(len(ids) + questions_before + 1)
            yield sentence
        space = "" if question.task in NO_SPACE_BEFORE_TAB else " "
        supporting = " ".join(str(ids[index]) for index in question.supporting)
        yield f"{question.question}{space}\t{_spelled_answer(question)}" + (f"\t{supporting}" if supporting else "")


def _spelled_answer(question: Question) -> str:
    """Return the answer as the story spells it: a word that the story has with a capital only is a name."""
    words = {word for sentence in question.story for word in sentence.rstrip(".").split()}
    if question.answer in words:
        return question.answer
    return next((word for word in sorted(words) if word.lower() == question.answer), question.answer)


def rows(lines: BufferedIOBase, name: str, task: int, source: str = SOURCE, strict: bool = False) -> list[Row]:
    """Parse the lines of a file.

    Args:
        lines: The file, open for reading bytes.
        name: What errors call the file.
        task: The task that the questions get.
        source: The source that the questions get.
        strict: Want a full stop, a question mark and supporting IDs, as the official files have them.

    Raises:
        InputError: Names the first line at fault.
    """
    questions: list[Row] = []
    sentences: list[str] = []
    story: tuple[str, ...] | None = None  # shared by questions with no sentence between them
    index_of: dict[int, int] = {}
    number = previous_id = total = 0
    for number, raw in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), 1):
        try:
            line_id, text = split_id(raw, previous_id)
            previous_id = line_id
            if line_id == 1:
                sentences, index_of, story = [], {}, None
            if "\t" not in text:
                index_of[line_id] = len(sentences)
                sentences.append(_sentence(text, strict))
                story = None
                continue
            if not sentences:
                raise InputError("a question before the first sentence of its story; a line `ID sentence` is right")
            question, answer, supporting = _fields(text, strict)
            indices = tuple(_index(supporting_id, index_of, line_id) for supporting_id in supporting.split())
            if story is None:
                story = tuple(sentences)
                total += len(story)
            if total > MAX_SENTENCES:
                raise InputError("the story is too long for so many questions; begin a new story, with ID 1, before it")
            questions.append(Row(f"line {number}", Question(story, question, answer, indices, task, source)))
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
    if not questions:
        raise InputError(
            f"{name}, line {number + 1}: the file ends and holds no question; a question is a line {QUESTION_FORM}"
        )
    return questions


def split_id(raw: bytes, previous_id: int) -> tuple[int, str]:
    """Split a line into its ID, which is 1 or one more than the previous, and its text.

    Raises:
        InputError: The line is too long, ends with CR alone, is not UTF-8 or not `ID text`, or the ID is another one.
    """
    if NEXT_LINE_AFTER_CR.search(raw):
        raise InputError("lines end with CR alone, as of an old Mac; save the file with the line ends LF or CRLF")
    if len(raw) > LONGEST_LINE:
        raise InputError(f"longer than {LONGEST_LINE} bytes; a line holds one sentence")
    try:
        line_id, _, text = raw.removeprefix(BOM_UTF8).decode().rstrip("\r\n").partition(" ")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save the file as UTF-8 text") from None
    if not (line_id.isdecimal() and len(line_id) <= LONGEST_ID and text.strip()):
        json = raw.lstrip()[:1] in (b"{", b"[")
        way = "; a name that ends in .json or .jsonl says so" if json else ""
        raise InputError(f"{raw[:40]!r} is {'JSON, not' if json else 'not'} `ID text`{way}")
    if int(line_id) not in (1, previous_id + 1):
        right = f"{previous_id + 1} or, for a new story, 1 would be right"
        raise InputError(f"ID {line_id} after ID {previous_id}; {right}")
    return int(line_id), text


def _fields(text: str, strict: bool) -> tuple[str, str, str]:
    """Split a question line into question, answer and supporting IDs."""
    fields = [field.strip() for field in text.split("\t")]
    if not strict:
        fields += [""] * (3 - len(fields))
    if len(fields) != 3 or not all(fields[: 3 if strict else 2]):
        right = "each of them" if strict else "the supporting IDs or without"
        raise InputError(f"a question line is {QUESTION_FORM}, with {right}")
    question, answer, supporting = fields
    if strict and not question.endswith("?"):
        raise InputError(f"the question {question[-40:]!r} does not end with '?'")
    if not tokenize(question):
        raise InputError(f"the question {question[-40:]!r} has no word")
    check_answer(answer)
    return question, answer, supporting


def _sentence(text: str, strict: bool) -> str:
    """Check a sentence of the story."""
    sentence = text.strip()
    if sentence.endswith("?") or ANSWERED.search(sentence) or (strict and "?" in sentence):
        raise InputError(f"a question without its tab; {QUESTION_FORM} would be right")
    if strict and not sentence.endswith("."):
        raise InputError(f"the sentence ends with {sentence[-20:]!r}, not with a full stop")
    if not tokenize(sentence):
        raise InputError(f"the sentence {sentence[-40:]!r} has no word")
    return sentence


def _index(supporting_id: str, index_of: dict[int, int], line_id: int) -> int:
    """Return the index of the sentence that a supporting ID points to."""
    number = int(supporting_id) if supporting_id.isdecimal() and len(supporting_id) <= LONGEST_ID else -1
    if number in index_of:
        return index_of[number]
    fault = "a question" if 0 < number <= line_id else "no earlier line"
    raise InputError(
        f"supporting ID {supporting_id[:20]} points to {fault}; the ID of a sentence of the story would be right"
    )
