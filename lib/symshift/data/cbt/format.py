"""The Children's Book Test (Hill et al., 2016, arXiv 1511.02301): which of ten words was left out of a sentence?

In its files a question is 21 numbered lines, sentences that follow one another in a book, and an empty line after them.
The last one has `XXXXX` for the word left out: `21 sentence<TAB>answer<TAB><TAB>candidates`, with `|` between the ten
candidates, of which the answer is one. Words are lower case here, so that two candidates may be the same word.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import BufferedIOBase, BytesIO
from itertools import chain
from pathlib import Path

from symshift.data.formats.babi import LONGEST_LINE, split_id
from symshift.data.formats.json_rows import check_encodable
from symshift.data.question import Question
from symshift.data.words import fold, tokenize
from symshift.errors import InputError
from symshift.paths import user_path, write_file

BLANK = "XXXXX"
CONTEXT_LENGTH = 20  # sentences before the one with the blank
CANDIDATES = 10
FORM = "`21 sentence<TAB>answer<TAB><TAB>candidates`"


@dataclass(frozen=True, slots=True)
class Cloze(Question):
    """Sentences of a book, the next one with `BLANK` for a word, that word, and the candidates to choose from."""

    candidates: tuple[str, ...]

    def content(self) -> list:
        """Return what a checksum is taken over."""
        return [*Question.content(self), self.candidates]


def read(path: str | Path) -> list[Cloze]:
    """Read the questions of a file of the test.

    Raises:
        InputError: The file cannot be read; the first line at fault is named.
    """
    try:
        with user_path(path).open("rb") as lines:
            return parse(lines, str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        fault = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {fault}; give a file of the Children's Book Test") from None


def parse(lines: BufferedIOBase, name: str) -> list[Cloze]:
    """Parse the questions in the lines of a file.

    Raises:
        InputError: Names the first line at fault.
    """
    questions: list[Cloze] = []
    context: list[str] = []
    number = 0
    for number, raw in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), 1):
        try:
            text = _text(raw, len(context))
            if len(context) == CONTEXT_LENGTH:
                questions.append(_cloze(tuple(context), text))
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
        context = [*context, text] if text else []
    if not questions or len(context) not in (0, CONTEXT_LENGTH + 1):
        raise InputError(f"{name}, line {number + 1}: the file ends before a line {FORM}")
    return questions


def write(questions: Iterable[Cloze], file: str | Path) -> None:
    """Write questions over twenty sentences in the format of the test: all, or none if one could not be read again.

    Raises:
        InputError: A question could not be read again, or the file cannot be written.
    """
    lines = []
    for cloze in questions:
        last = f"{cloze.question}\t{cloze.answer}\t\t{'|'.join(cloze.candidates)}"
        lines += [f"{line} {text}\n" for line, text in enumerate((*cloze.story, last), 1)]
        lines.append("\n")
    text = "".join(lines)
    check_encodable(text, str(file))
    parse(BytesIO(text.encode()), str(file))
    write_file(file, text.encode())


def word(text: str) -> str:
    """Return a candidate or answer as the words of stories are read: `Mr.` is `mr`."""
    return " ".join(tokenize(text)) or fold(text)


def windows(cloze: Cloze, width: int = 5) -> Cloze:
    """Return the story as windows around the candidates in it, and the question as the window around the blank.

    This is the window memory of the paper.

    Args:
        cloze: The question.
        width: Words per window, an odd number.

    Raises:
        InputError: The width is not an odd number above 0.
    """
    if width < 1 or width % 2 == 0:
        raise InputError(f"width {width!r}: an odd number above 0 would be right")
    words = list(chain(*(tokenize(text) for text in (*cloze.story, cloze.question))))
    question_start = len(words) - len(tokenize(cloze.question))
    blank = words.index(BLANK.lower(), question_start)

    def window(center: int) -> str:
        return " ".join(words[max(0, center - width // 2) : center + width // 2 + 1])

    story = tuple(window(index) for index in range(question_start) if words[index] in cloze.candidates)
    return replace(cloze, story=story, question=window(blank))


def candidates_first(cloze: Cloze) -> Cloze:
    """Return the question as networks read it: the candidates as the first sentence, then the windows of the story."""
    windowed = windows(cloze)
    return replace(windowed, story=(" ".join(cloze.candidates), *windowed.story))


def _text(raw: bytes, lines_before: int) -> str:
    """Return the text of a line after so many lines of a question; an empty line ends a question."""
    if not raw.strip() and lines_before in (0, CONTEXT_LENGTH + 1):
        return ""
    if lines_before == CONTEXT_LENGTH + 1:
        raise InputError(f"{raw[:40]!r} after line 21 of a question; an empty line would be right")
    number, text = split_id(raw, lines_before)
    if number != lines_before + 1:
        raise InputError(f"ID {number} after ID {lines_before}; {lines_before + 1} would be right")
    if lines_before < CONTEXT_LENGTH and "\t" in text:
        raise InputError(f"a tab in sentence {number} of a question; the form {FORM} is for sentence 21")
    return text.strip()


def _cloze(context: tuple[str, ...], text: str) -> Cloze:
    """Return a question from its line 21."""
    fields = [field.strip() for field in text.split("\t")]
    if len(fields) != 4 or fields[2] or not all(fields[:2]):
        raise InputError(f"{text[:40]!r} is not {FORM}")
    question = fields[0]
    answer = word(fields[1])
    candidates = tuple(map(word, fields[3].split("|")))
    if (blanks := tokenize(question).count(BLANK.lower())) != 1:
        raise InputError(f"{blanks or 'no'} {BLANK} in {question[-40:]!r}; one, for the word left out, would be right")
    if len(candidates) != CANDIDATES or not all(candidates):
        raise InputError(
            f"{fields[3][:60]!r} are not {CANDIDATES} candidates; as many words with | between would be right"
        )
    if answer not in candidates:
        raise InputError(f"the answer {answer!r} is no candidate; one of {fields[3][:80]!r} would be right")
    return Cloze(context, question, answer, (), 0, "file", candidates)
