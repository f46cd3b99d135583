"""Questions with a word left out, made from books."""

import importlib
import sys
from pathlib import Path

import pytest

from symshift.data import tokenize
from symshift.data.cbt import builder
from symshift.data.cbt.builder import TaggedBook, blanks, books, sentences
from symshift.data.cbt.format import BLANK, Cloze, read, write
from symshift.data.haystack import BOOKS
from symshift.errors import InputError
from symshift.paths import ROOT

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file .*textblob:ResourceWarning")

TEXT = """CHAPTER I

“Who are you?” said Toad. ‘I don’t know,’ said she;
“do you?” The cat's _odd_ friend sat by the well-kept door. 'Well!' cried Alice, 'it's late.'
They ran to-day.
"""
TURNS = [
    "The miller gave {0} a lamp and a rope .",
    "` Where is the ladder ? ' asked {0} .",
    "Now {0} met {1} at the bridge near the barn .",
    "Then {1} took the lantern from the table , and the dog barked .",
]
PEOPLE = ("Anna", "Bertram", "Clothilde", "Dorothea", "Edgar")
STORY = [TURNS[line % 4].format(PEOPLE[line % 5], PEOPLE[(line + 2) % 5]) for line in range(60)]
needs_books = pytest.mark.skipif(not (ROOT.parent / "shared" / "data" / BOOKS).exists(), reason="needs the books")


def are_sound(asked: Cloze, book: list[str]) -> None:
    """The question is from the book, and its candidates are ten words of the twenty sentences."""
    place = next(place for place in range(len(book)) if tuple(book[place : place + 20]) == asked.story) + 20
    (word,) = set(book[place].split()) - set(asked.question.split()) or {asked.answer}
    assert word.lower() == asked.answer
    assert asked.question.split().count(BLANK) == 1
    assert asked.question.replace(BLANK, word, 1).lower() == book[place].lower()
    told = {word for sentence in asked.story for word in tokenize(sentence)}
    assert set(asked.candidates) <= told
    assert len(asked.candidates) == len(set(asked.candidates)) == 10
    assert asked.answer in asked.candidates


def test_sentences_splits_plain_text() -> None:
    assert sentences(TEXT) == [
        "CHAPTER I",
        "`` Who are you ? ''",
        "said Toad .",
        "' I do n't know , ' said she ; '' do you ? ''",
        "The cat 's odd friend sat by the well-kept door .",
        "' Well ! '",
        "cried Alice , ' it 's late . '",
        "They ran to-day .",
    ]


def test_tagged_book_names_are_never_lower_case() -> None:
    book = TaggedBook.of(["Anna saw the Dog .", "` Come , Bertram ! '", "The dog barked at the barn ."])
    assert [book.words("names", line) for line in range(3)] == [{"anna": 0}, {"bertram": 3}, {}]
    assert book.words("nouns", 2) == {"dog": 1, "barn": 5}


@pytest.mark.parametrize(("kind", "names"), [("names", 5), ("nouns", 0)])
def test_blanks_prefers_candidates_of_answers_kind(kind: str, names: int) -> None:
    made = blanks([STORY], kind, 100)
    assert len(made) > 20
    people = {name.lower() for name in PEOPLE}
    for asked in made:
        are_sound(asked, STORY)
        assert (asked.answer in people) == (kind == "names")
        assert len(people & set(asked.candidates)) >= names
    assert made == blanks([STORY], kind, 100)
    assert blanks([STORY], kind, 10) == made[:10] != blanks([STORY], kind, 10, seed=1)


def test_blanks_stay_within_one_book() -> None:
    for asked in blanks([STORY[:25], STORY[30:55]], "nouns", 100):
        assert any(asked.story == tuple(STORY[at : at + 20]) for at in (*range(5), *range(30, 35)))


def test_blanks_write_then_read(tmp_path: Path) -> None:
    made = blanks([STORY], "names", 10)
    write(made, tmp_path / "names.txt")
    assert [asked.content() for asked in read(tmp_path / "names.txt")] == [asked.content() for asked in made]


@needs_books
@pytest.mark.parametrize("kind", ["names", "nouns"])
def test_blanks_of_real_books(kind: str) -> None:
    test = books("test")
    assert [len(book) > 1000 for book in test] == [True] * 5
    assert all("_BOOK_TITLE_" not in sentence for book in test for sentence in book)
    book = test[1]
    made = blanks([book], kind, 20)
    assert len(made) == 20
    for asked in made:
        are_sound(asked, book)


@needs_books
def test_books_of_valid_and_test_differ() -> None:
    valid, test = books("valid"), books("test")
    assert not {tuple(book[:5]) for book in valid} & {tuple(book[:5]) for book in test}
    with pytest.raises(InputError, match="part 'train': one of valid, test would be right"):
        books("train")


def test_blanks_refuses_what_gives_no_question(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kind 'verbs': one of names, nouns"):
        blanks([STORY], "verbs")
    with pytest.raises(InputError, match="count 0: a whole number above 0"):
        blanks([STORY], "names", 0)
    with pytest.raises(InputError, match="cannot be read"):
        books("test", tmp_path / "nowhere.tar.gz")
    for none in ([], [STORY[:20]], [21 * ["It rained ."]]):
        with pytest.raises(InputError, match="books: no 21 sentences in a row share one of their names"):
            blanks(none, "names")


def test_builder_names_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textblob.en", None)
    with pytest.raises(InputError, match=r"^no textblob.en: pip install .* -e '.\[cloze\]'$"):
        importlib.reload(builder)
