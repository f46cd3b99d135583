"""The Children's Book Test: its format read and written, malformed files refused, questions as windows and as ids."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import fingerprint, tokenize
from symshift.data.cbt.format import Cloze, candidates_first, read, windows, word, write
from symshift.data.encoding import Vocabulary, encode
from symshift.errors import InputError

LINES = [
    *(f"{line} The miller 's hens were asleep ." for line in range(1, 17)),
    "17 Then Anna called Mr. Toad , and the well-fed Dog came too .",
    "18 ` Toad , ' said Anna , ` bring me a lamp ! '",
    "19 The lamp and the ladder stood in the barn .",
    "20 Toad ran over the bridge to the barn , and a Hen ran after Toad .",
    "21 At the door he gave XXXXX the lamp and sat down .\tAnna\t\tAnna|Dog|Hen|Toad|barn|bridge|hens|ladder|lamp|Mr.",
]
SAMPLE = "".join(f"{line}\n" for line in LINES) + "\n"
WORDS = st.text("abcdefgh", min_size=1, max_size=6)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Two questions in a file, in the form of the official ones."""
    file = tmp_path / "cbtest_NE_sample.txt"
    file.write_text(2 * SAMPLE)
    return file


def test_read_returns_context_blank_and_candidates(sample: Path) -> None:
    first, second = read(sample)
    assert first == second
    assert first == Cloze(
        tuple(line.partition(" ")[2] for line in LINES[:20]),
        "At the door he gave XXXXX the lamp and sat down .",
        "anna",
        (),
        0,
        "file",
        ("anna", "dog", "hen", "toad", "barn", "bridge", "hens", "ladder", "lamp", "mr"),
    )


@pytest.mark.parametrize(("text", "written"), [("Mr.", "mr"), ("well-fed", "well-fed"), ("n't", "n't"), ("!", "!")])
def test_word_reads_candidates_as_stories(text: str, written: str) -> None:
    assert word(text) == written


def test_fingerprint_sees_candidates(sample: Path) -> None:
    asked = read(sample)[0]
    assert fingerprint([asked]) != fingerprint([replace(asked, candidates=asked.candidates[::-1])])


@given(told=st.lists(WORDS, min_size=20, max_size=20), words=st.lists(WORDS, min_size=10, max_size=10), last=WORDS)
@settings(deadline=None, max_examples=15)
def test_write_then_read_returns_the_questions(
    told: list[str], words: list[str], last: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked = Cloze(tuple(told), f"XXXXX {last} .", words[3], (), 0, "file", tuple(words))
    file = tmp_path_factory.mktemp("cloze") / "questions.txt"
    write([asked, asked], file)
    assert read(file) == [asked, asked]


def test_write_refuses_half_a_character(tmp_path: Path) -> None:
    cloze = Cloze(("A \ud800 b .",) * 20, "XXXXX .", "a", (), 0, "file", tuple("abcdefghij"))
    with pytest.raises(InputError, match=r"own.txt: '.ud800' is no character; take it out$"):
        write([cloze], tmp_path / "own.txt")
    assert not list(tmp_path.iterdir())


def test_read_takes_windows_line_ends(sample: Path) -> None:
    asked = read(sample)
    sample.write_bytes((2 * SAMPLE).rstrip().replace("\n", "\r\n").encode())
    assert read(sample) == asked


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("\t\tAnna|", "\tAnna|", 21, "is not `21 sentence<TAB>answer<TAB><TAB>candidates`"),
        ("\tAnna\t\t", "\t\t\t", 21, "is not `21 sentence"),
        ("Dog|", "", 21, "are not 10 candidates"),
        ("Dog|", "Dog||", 21, "are not 10 candidates"),
        ("Dog|Hen", "|Hen", 21, "'Anna||Hen|Toad|barn|bridge|hens|ladder|lamp|Mr.' are not 10"),
        ("\tAnna\t", "\tFrog\t", 21, "the answer 'frog' is no candidate"),
        ("XXXXX", "Anna", 21, "no XXXXX"),
        ("sat down", "XXXXX sat", 21, "2 XXXXX"),
        ("17 Then", "18 Then", 17, "ID 18 after ID 16"),
        ("17 Then", "1 Then", 17, "ID 1 after ID 16; 17 would be right"),
        ("17 Then", "Then", 17, "`ID text`"),
        ("18 `", "\n18 `", 18, "`ID text`"),
        ("too .", "too .\tAnna", 17, "a tab in sentence 17"),
        ("|Mr.\n", "|Mr.\n22 And so on .\n", 22, "an empty line would be right"),
        ("a lamp !", "a\x85 lamp ! \udcff", 18, "is not UTF-8"),
    ],
)
def test_read_refuses_malformed_lines(sample: Path, old: str, new: str, line: int, fault: str) -> None:
    assert old in SAMPLE
    sample.write_bytes(SAMPLE.replace(old, new, 1).encode(errors="surrogateescape"))
    with pytest.raises(InputError) as error:
        read(sample)
    assert str(error.value).startswith(f"{sample}, line {line}: ")
    assert fault in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("lines", "at"), [(0, 1), (7, 8), (20, 21)])
def test_read_refuses_cut_files(sample: Path, lines: int, at: int) -> None:
    sample.write_text("".join(f"{line}\n" for line in LINES[:lines]))
    with pytest.raises(InputError, match=f"line {at}: the file ends before a line `21 sentence"):
        read(sample)
    if lines:
        sample.write_text(SAMPLE + sample.read_text())
        with pytest.raises(InputError, match=f"line {22 + at}: the file ends"):
            read(sample)


def test_read_refuses_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "nowhere.txt")


def test_windows_around_candidates_and_blank(sample: Path) -> None:
    asked = read(sample)[0]
    near = windows(asked, 3)
    met = [word for line in asked.story for word in tokenize(line) if word in asked.candidates]
    assert [tokenize(window)[1] for window in near.story] == met
    assert near.question == "gave xxxxx the"
    assert near.story[16:19] == ("then anna called", "called mr toad", "mr toad and")
    assert replace(near, story=asked.story, question=asked.question) == asked
    with pytest.raises(InputError, match="width 4: an odd number"):
        windows(asked, 4)


def test_windows_cross_sentences() -> None:
    asked = Cloze(("Anna ran .", "A dog"), "XXXXX sat by a dog .", "dog", (), 0, "file", ("anna", "dog"))
    assert windows(asked).story == ("anna ran a", "ran a dog xxxxx sat")
    assert windows(asked).question == "a dog xxxxx sat by"


def test_candidates_first_are_first_symbols(sample: Path) -> None:
    asked = read(sample)[0]
    told = candidates_first(asked)
    assert told.story == (" ".join(asked.candidates), *windows(asked).story)
    assert replace(told, story=asked.story, question=asked.question) == asked
    (batch,) = (encoded := encode([told], Vocabulary.of([told], 70), 70)).buckets
    assert [encoded.words[known] for known in batch.symbols[0, :10]] == list(asked.candidates)
