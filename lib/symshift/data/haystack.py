"""Facts among distractors, as in BABILong (Kuratov et al., 2024, arXiv 2406.10149): stories of any length.

Distractors are sentences of books, of any other prose, or generated chatter. Sentences that could be read as facts,
those with a name of bAbI or a move in them, are left out. With unseen names: hide what `renaming.zero_shot` returns.
"""

import re
import tarfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from symshift.data.babi.generator.words import MOVES
from symshift.data.babi.official import ROOT
from symshift.data.question import Question, tokenize
from symshift.data.renaming import UNSEEN
from symshift.errors import InputError

BOOKS = "cbt-books.tar.gz"
PART = re.compile(r"/data/cbt_(\w+)\.txt$")
TITLE = re.compile(r"_BOOK_TITLE_.*")
NAMES = {word for names in UNSEEN.values() for pair in names.items() for word in pair}
SUBJECTS = ("The old clock", "A grey cat", "The wind", "A tall tree", "The river", "A distant bell", "The moon")
VERBS = ("waits", "sings", "turns", "sleeps", "shines", "trembles", "whispers", "rests")
MANNERS = ("quietly", "in the rain", "all night", "near the wall", "once more", "under the bridge", "without end")


def hide(questions: Sequence[Question], distractors: Sequence[str], count: int, seed: int = 0) -> list[Question]:
    """Spread each story at random among so many distractors that follow one another; supporting facts move along."""
    if count and not distractors:
        raise InputError("distractors: none given; sentences of `books`, `prose` or `chatter` would be right")
    rng = Random(f"haystack, seed {seed}")
    return [_hidden(asked, distractors, count, rng) for asked in questions]


def prose(text: str) -> list[str]:
    """The sentences of a text that cannot be taken for facts, each with a full stop as its only mark."""
    sentences = re.split(r"(?<=[.!?])['\"”’)]*\s+|\n", text)
    return list(_harmless(" ".join(re.findall(r"[\w',;-]+", sentence)) for sentence in sentences))


def books(place: str | Path | None = None) -> list[str]:
    """The sentences of the books of the Children's Book Test, from an archive or the one beside the repository."""
    return [sentence for text in texts(place).values() for sentence in prose(TITLE.sub("", text))]


def texts(place: str | Path | None = None) -> dict[str, str]:
    """The texts of that archive by part (valid, test): book after book, a line a sentence and a line a title."""
    path = Path(place or ROOT.parent / "shared" / "data" / BOOKS)
    try:
        with tarfile.open(path) as archive:
            found = {member: PART.search(member.name) for member in archive}
            return {part[1]: archive.extractfile(file).read().decode() for file, part in found.items() if part}
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"{path}: cannot be read ({type(error).__name__}); name the archive {BOOKS}") from None


def chatter(count: int, seed: int = 0) -> list[str]:
    """So many generated sentences in which nothing happens."""
    rng = Random(f"chatter, seed {seed}")
    return [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(MANNERS)}." for _ in range(count)]


def _harmless(sentences: Iterable[str]) -> Iterable[str]:
    for sentence in sentences:
        words = tokenize(sentence)
        if words and not NAMES & set(words) and not any(f"{move} the" in sentence for move in MOVES):
            yield f"{sentence}."


def _hidden(asked: Question, distractors: Sequence[str], count: int, rng: Random) -> Question:
    length = len(asked.story) + count
    places = sorted(rng.sample(range(length), len(asked.story)))
    start = rng.randrange(len(distractors)) if count else 0
    story = [distractors[(start + number) % len(distractors)] for number in range(count)]
    for place, sentence in zip(places, asked.story, strict=True):
        story.insert(place, sentence)
    return replace(asked, story=tuple(story), supporting=tuple(places[line] for line in asked.supporting))
