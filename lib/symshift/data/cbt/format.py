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

from symshift.data.files import LONGEST_LINE, numbered
from symshift.data.question import Question, tokenize
from symshift.errors import InputError
from symshift.paths import write_atomically

BLANK = "XXXXX"
TOLD = 20
CANDIDATES = 10
FORM = "`21 sentence<TAB>answer<TAB><TAB>candidates`"


@dataclass(frozen=True, slots=True)
class Cloze(Question):
    """Sentences of a book, the next one with `BLANK` for a word, that word, and the words to choose from."""

    candidates: tuple[str, ...]

    def content(self) -> list:
        return [*Question.content(self), self.candidates]


def read(path: str | Path) -> list[Cloze]:
    """The questions of a file of the test."""
    try:
        with open(path, "rb") as lines:
            return parse(lines, str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a file of the Children's Book Test") from None


def parse(lines: BufferedIOBase, name: str) -> list[Cloze]:
    """The questions in the lines of a file; the first line at fault is named in an `InputError`."""
    questions: list[Cloze] = []
    told: list[str] = []
    number = 0
    for number, raw in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), 1):
        try:
            text = _text(raw, len(told))
            if len(told) == TOLD:
                questions.append(_cloze(tuple(told), text))
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
        told = [*told, text] if text else []
    if not questions or len(told) not in (0, TOLD + 1):
        raise InputError(f"{name}, line {number + 1}: the file ends before a line {FORM}")
    return questions


def write(questions: Iterable[Cloze], file: str | Path) -> None:
    """Write questions over twenty sentences in the format of the test: all, or none if one could not be read again."""
    lines = []
    for asked in questions:
        last = f"{asked.question}\t{asked.answer}\t\t{'|'.join(asked.candidates)}"
        lines += [f"{line} {text}\n" for line, text in enumerate((*asked.story, last), 1)]
        lines.append("\n")
    written = "".join(lines).encode()
    parse(BytesIO(written), str(file))
    write_atomically(Path(file), written)


def word(text: str) -> str:
    """A candidate or answer as the words of stories are written: `Mr.` is `mr`."""
    return " ".join(tokenize(text)) or text.lower()


def windows(asked: Cloze, width: int = 5) -> Cloze:
    """The story as windows of so many words, one around each candidate met, and the question as the one around the
    blank (the window memory of the paper)."""
    if width < 1 or width % 2 == 0:
        raise InputError(f"width {width!r}: an odd number above 0 would be right")
    words = list(chain(*(tokenize(text) for text in (*asked.story, asked.question))))
    question = len(words) - len(tokenize(asked.question))
    blank = words.index(BLANK.lower(), question)

    def window(place: int) -> str:
        return " ".join(words[max(0, place - width // 2) : place + width // 2 + 1])

    met = tuple(window(place) for place in range(question) if words[place] in asked.candidates)
    return replace(asked, story=met, question=window(blank))


def listed(asked: Cloze, width: int = 5) -> Cloze:
    """The question as networks read it: the candidates, as a first sentence, and then the windows of the story."""
    near = windows(asked, width)
    return replace(near, story=(" ".join(asked.candidates), *near.story))


def _text(raw: bytes, told: int) -> str:
    """The text of a line after so many lines of a question; an empty line ends a question."""
    if not raw.strip() and told in (0, TOLD + 1):
        return ""
    if told == TOLD + 1:
        raise InputError(f"{raw[:40]!r} after line 21 of a question; an empty line would be right")
    number, text = numbered(raw, told)
    if number != told + 1:
        raise InputError(f"ID {number} after ID {told}; {told + 1} would be right")
    if told < TOLD and "\t" in text:
        raise InputError(f"a tab in sentence {number} of a question; the form {FORM} is for sentence 21")
    return text.strip()


def _cloze(told: tuple[str, ...], text: str) -> Cloze:
    """A question from its line 21."""
    fields = [field.strip() for field in text.split("\t")]
    if len(fields) != 4 or fields[2] or not all(fields[:2]):
        raise InputError(f"{text[:40]!r} is not {FORM}")
    question, answer, candidates = fields[0], word(fields[1]), tuple(map(word, fields[3].split("|")))
    if (blanks := tokenize(question).count(BLANK.lower())) != 1:
        raise InputError(f"{blanks or 'no'} {BLANK} in {question[-40:]!r}; one, for the word left out, would be right")
    if len(candidates) != CANDIDATES or not all(candidates):
        raise InputError(
            f"{fields[3][:60]!r} are not {CANDIDATES} candidates; as many words with | between would be right"
        )
    if answer not in candidates:
        raise InputError(f"the answer {answer!r} is no candidate; one of {fields[3][:80]!r} would be right")
    return Cloze(told, question, answer, (), 0, "file", candidates)
