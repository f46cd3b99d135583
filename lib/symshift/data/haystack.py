"""Facts among distractors, as in BABILong (Kuratov et al., 2024, arXiv 2406.10149): stories of any length.

Distractors are sentences of books, of any other prose, or generated chatter. Sentences that could be read as facts,
those with a name of bAbI or a move in them, are left out. For unseen names, hide what `renaming.zero_shot` returns.
"""

import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from symshift.constraints import check_value
from symshift.data.babi.generator.words import MOVES
from symshift.data.question import Question
from symshift.data.renaming import ALL_NAMES
from symshift.data.words import MARKS, clean, tokenize
from symshift.errors import InputError
from symshift.paths import ROOT, user_path

BOOKS = "cbt-books.tar.gz"
BOOKS_OF_PART = re.compile(r"/data/cbt_(\w+)\.txt$")
TITLE = re.compile(r"_BOOK_TITLE_.*")
SENTENCE_END = re.compile(r"(?<=[.!?।])['\"”’)]*\s+|\n")
PLAIN = re.compile(rf"[\w{MARKS}',;-]+")  # words and the marks that stand within a sentence
LARGEST_FILE = 100_000_000  # bytes
SUBJECTS = ("The old clock", "A grey cat", "The wind", "A tall tree", "The river", "A distant bell", "The moon")
VERBS = ("waits", "sings", "turns", "sleeps", "shines", "trembles", "whispers", "rests")
MANNERS = ("quietly", "in the rain", "all night", "near the wall", "once more", "under the bridge", "without end")


def hide(questions: Sequence[Question], distractors: Sequence[str], count: int, seed: int = 0) -> list[Question]:
    """Spread each story at random among distractors; supporting facts move along.

    Args:
        questions: Questions of any tasks.
        distractors: Sentences, as `books`, `prose` or `chatter` return.
        count: How many distractors a story gets, which follow one another in `distractors`.
        seed: Equal seeds give equal stories.

    Raises:
        InputError: There are no distractors, or the count is below 0.
    """
    check_value("count", count, int)
    if count and not distractors:
        raise InputError("distractors: none given; sentences of `books`, `prose` or `chatter` would be right")
    rng = Random(f"haystack, seed {seed}")
    return [_hide_one(question, distractors, count, rng) for question in questions]


def prose(text: str) -> list[str]:
    """Return the sentences of a text that cannot be taken for facts, each with a full stop as its only mark."""
    sentences = (" ".join(PLAIN.findall(clean(sentence))) for sentence in SENTENCE_END.split(text))
    return list(_without_facts(sentences))


def books(path: str | Path | None = None) -> list[str]:
    """Return the sentences of the books of the Children's Book Test.

    Args:
        path: Their archive; by default the one beside the repository.

    Raises:
        InputError: The archive cannot be read.
    """
    return [sentence for text in texts(path).values() for sentence in prose(TITLE.sub("", text))]


def texts(path: str | Path | None = None) -> dict[str, str]:
    """Return the texts of the Children's Book Test by part (valid, test).

    A text has book after book, a line per sentence or title.

    Args:
        path: Their archive; by default the one beside the repository.

    Raises:
        InputError: The archive cannot be read.
    """
    archive_path = user_path(path) if path else ROOT.parent / "shared" / "data" / BOOKS
    try:
        with tarfile.open(archive_path) as archive:
            return dict(_parts(archive))
    except Exception as error:  # the libraries of archives promise no type of error
        fault = type(error).__name__
        raise InputError(f"{archive_path}: cannot be read ({fault}); name the archive {BOOKS}") from None


def _parts(archive: tarfile.TarFile) -> Iterator[tuple[str, str]]:
    for member in archive:
        part = BOOKS_OF_PART.search(member.name)
        if part and member.isfile() and member.size <= LARGEST_FILE and (file := archive.extractfile(member)):
            yield part[1], file.read().decode()


def chatter(count: int, seed: int = 0) -> list[str]:
    """Return so many generated sentences in which nothing happens."""
    rng = Random(f"chatter, seed {seed}")
    return [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(MANNERS)}." for _ in range(count)]


def _without_facts(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        words = tokenize(sentence)
        if words and ALL_NAMES.isdisjoint(words) and not any(f"{move} the" in sentence for move in MOVES):
            yield f"{sentence}."


def _hide_one(question: Question, distractors: Sequence[str], count: int, rng: Random) -> Question:
    length = len(question.story) + count
    new_index = sorted(rng.sample(range(length), len(question.story)))
    start = rng.randrange(len(distractors)) if count else 0
    story = [distractors[(start + number) % len(distractors)] for number in range(count)]
    for index, sentence in zip(new_index, question.story, strict=True):
        story.insert(index, sentence)
    return replace(question, story=tuple(story), supporting=tuple(new_index[index] for index in question.supporting))
