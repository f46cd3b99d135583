"""The bAbI file format (Weston et al., 2015): read questions from a file and write them to one.

A line is `ID sentence`, or `ID question<TAB>answer<TAB>supporting IDs`; supporting IDs may be left out. IDs start at 1
in each story, and questions take IDs too; a `Question` holds the sentences alone and counts them from 0.
"""

import warnings
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedIOBase, BytesIO
from pathlib import Path

from symshift.data.question import Question, by_story
from symshift.data.words import tokenize
from symshift.errors import InputError, InputWarning
from symshift.paths import user_path, write_atomically

LONGEST_LINE = 10_000  # bytes
LONGEST_ID = 9  # digits
MAX_SENTENCES = 30_000_000  # of the stories of all questions of a file; a story is kept once per question
NO_SPACE_BEFORE_TAB = {0, 4, 15, 16, 17, 18, 19, 20}
QUESTION_FORM = "`ID question<TAB>answer<TAB>supporting IDs`"
NAMES_NOTHING = {"yes", "no", "maybe", "none", "nothing", "nobody", "nowhere", "never"}
NAMES_NOTHING |= {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}


def read(path: str | Path, task: int = 0) -> list[Question]:
    """Read the questions of a file in the bAbI format.

    Sentences may end without a full stop, questions without a question mark, and supporting IDs may be left out.
    An `InputWarning` names the first answer of several words, and the first that no story says while others do: a
    network can only answer those that it was trained on.

    Args:
        path: the file; `~` is the home folder.
        task: the task that the questions get.

    Raises:
        InputError: the file cannot be read; the first line at fault is named.
    """
    try:
        with user_path(path).open("rb") as lines:
            questions, numbers = _parse(lines, str(path), task, "file", strict=False)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or error
        raise InputError(f"{str(path)[:200]!r}: {fault}; give a file in the bAbI format") from None
    if doubt := _doubtful_answers(questions, numbers):
        warnings.warn(f"{path}, {doubt}", InputWarning, stacklevel=2)
    return questions


def write(questions: Iterable[Question], file: str | Path) -> None:
    """Write questions in the official format; those over one growing story share its lines.

    Args:
        questions: the questions.
        file: the file to write; `~` is the home folder.

    Raises:
        InputError: a question could not be read again; then nothing is written.
    """
    lines = [f"{line} {text}\n" for story in by_story(questions) for line, text in enumerate(_lines(story), 1)]
    encoded = "".join(lines).encode()
    parse(BytesIO(encoded), str(file), 0, "file", strict=False)
    write_atomically(user_path(file), encoded)


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


def parse(lines: BufferedIOBase, name: str, task: int, source: str, strict: bool = True) -> list[Question]:
    """Parse the lines of a file.

    Args:
        lines: the file, open for reading bytes.
        name: what errors call the file.
        task: the task that the questions get.
        source: the source that the questions get.
        strict: want a full stop, a question mark and supporting IDs, as the official files have them.

    Raises:
        InputError: names the first line at fault.
    """
    return _parse(lines, name, task, source, strict)[0]


def _parse(lines: BufferedIOBase, name: str, task: int, source: str, strict: bool) -> tuple[list[Question], list[int]]:
    """Return the questions and the number of the line of each."""
    questions: list[Question] = []
    numbers: list[int] = []
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
            question, answer, supporting = _fields(text, strict)
            indices = tuple(_index(supporting_id, index_of, line_id) for supporting_id in supporting.split())
            if story is None:
                story = tuple(sentences)
                total += len(story)
            if total > MAX_SENTENCES:
                raise InputError("the story is too long for so many questions; begin a new story, with ID 1, before it")
            questions.append(Question(story, question, answer, indices, task, source))
            numbers.append(number)
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
    if not questions:
        raise InputError(
            f"{name}, line {number + 1}: the file ends and holds no question; a question is a line {QUESTION_FORM}"
        )
    return questions, numbers


def split_id(raw: bytes, previous_id: int) -> tuple[int, str]:
    """Split a line into its ID, which is 1 or one more than the previous, and its text."""
    if len(raw) > LONGEST_LINE:
        raise InputError(f"longer than {LONGEST_LINE} bytes; a line holds one sentence")
    try:
        line_id, _, text = raw.removeprefix(BOM_UTF8).decode().rstrip("\r\n").partition(" ")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save the file as UTF-8 text") from None
    if not (line_id.isdecimal() and len(line_id) <= LONGEST_ID and text.strip()):
        json = raw.lstrip()[:1] in (b"{", b"[")
        way = "; docs/howto/own-stories.md says how to write it as bAbI does" if json else ""
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
    return question, answer, supporting


def _sentence(text: str, strict: bool) -> str:
    """Check a sentence of the story."""
    sentence = text.strip()
    if sentence.endswith("?") or (strict and "?" in sentence):
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


def _doubtful_answers(questions: Sequence[Question], numbers: Sequence[int]) -> str:
    """Return what is doubtful about the answers, from the first line in doubt; nothing if none is."""
    story_words = {word for question in questions for word in tokenize(" ".join(question.story[-1:]))}
    story_words |= {word for story in by_story(questions) for text in story[-1].story for word in tokenize(text)}
    for question, number in zip(questions, numbers, strict=True):
        if any(" " in item for item in question.answer.split(",")):
            return (
                f"line {number}: the answer {question.answer[:60]!r} is several words; a network answers it only if it "
                "was trained on it. Join them by a hyphen, in the story too, if they are one name"
            )
    in_stories = [story_words.issuperset(question.answer.split(",")) for question in questions]
    for question, number, in_story in zip(questions, numbers, in_stories, strict=True):
        if any(in_stories) and not in_story and question.answer not in NAMES_NOTHING:
            return (
                f"line {number}: no story says the answer {question.answer[:60]!r}, while others are said; a network "
                "answers it only if it was trained on it. Spell it as the story does if it names something there"
            )
    return ""
