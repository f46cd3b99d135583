"""The bAbI file format: read and written byte for byte, and refused with the line at fault."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, by_story, generate, load, read, tokenize, write
from symshift.data.babi.official import fetch, file_name, find_official
from symshift.data.formats import babi
from symshift.errors import InputError, InputWarning

WORDS = st.text("abcdefgh", min_size=1, max_size=6)
STORY = """1 John went to the hallway.
2 Mary went to the office.
3 Where is John? \thallway\t1
4 John went to the office.
5 Where is John? \toffice\t4
1 Sandra went to the garden.
2 Where is Sandra? \tgarden\t1
"""


@st.composite
def fields(draw: st.DrawFn) -> list[tuple]:
    """The fields of questions over a few growing stories, of any task."""
    task = draw(st.integers(0, 20))
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        story: tuple[str, ...] = ()
        for _ in range(draw(st.integers(1, 3))):
            story += tuple(f"{word}." for word in draw(st.lists(WORDS, min_size=1, max_size=4)))
            supporting = draw(st.lists(st.sampled_from(range(len(story))), min_size=1, max_size=3))
            asked.append((story, f"{draw(WORDS)}?", draw(WORDS), tuple(supporting), task, "file"))
    return asked


@pytest.mark.filterwarnings("ignore::symshift.errors.InputWarning")
@given(drawn=fields())
@settings(deadline=None, max_examples=50)
def test_write_then_read_returns_the_questions(drawn: list[tuple], tmp_path_factory: pytest.TempPathFactory) -> None:
    asked = [Question(*values) for values in drawn]
    file = tmp_path_factory.mktemp("stories") / "questions.txt"
    write(asked, file)
    assert read(file, asked[0].task) == asked


@pytest.mark.parametrize(("question", "answer"), [("Where is John?", ""), ("?", "home"), ("Where\tis he?", "home")])
def test_write_leaves_file_where_it_could_not_be_read_again(question: str, answer: str, tmp_path: Path) -> None:
    (file := tmp_path / "questions.txt").write_text(STORY)
    with pytest.raises(InputError, match=r"questions.txt, line 2: "):
        write([Question(("John went home.",), question, answer, (0,), 1, "file")], file)
    assert file.read_text() == STORY


def test_read_skips_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "marked.txt").write_text(STORY, encoding="utf-8-sig")
    (tmp_path / "plain.txt").write_text(STORY)
    assert read(tmp_path / "marked.txt") == read(tmp_path / "plain.txt")


@pytest.mark.parametrize("task", range(1, 21))
def test_write_then_read_generated_stories(task: int, tmp_path: Path) -> None:
    asked = generate(task, 100)
    write(asked, tmp_path / "generated.txt")
    again = read(tmp_path / "generated.txt", task)
    assert [(q.story, q.question, q.answer, q.supporting) for q in again] == [
        (q.story, q.question, q.answer, q.supporting) for q in asked
    ]


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("split", ["train", "test", "fit", "valid"])
@pytest.mark.parametrize("task", [1, 3, 4, 5, 8, 17, 18, 19, 20])
def test_write_official_files_byte_for_byte(task: int, split: str, tmp_path: Path) -> None:
    write(load(task, split=split, source="official"), tmp_path / "official.txt")
    assert (tmp_path / "official.txt").read_bytes() == fetch(find_official(), file_name(task, 1000, split))


def test_read_leaves_questions_out_of_the_story(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(STORY)
    first, second, third = read(tmp_path / "own.txt")
    assert first == Question(
        ("John went to the hallway.", "Mary went to the office."), "Where is John?", "hallway", (0,), 0, "file"
    )
    assert second.story == (*first.story, "John went to the office.")
    assert second.supporting == (2,)
    assert [len(story) for story in by_story([first, second, third])] == [2, 1]


def test_read_takes_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "unix.txt").write_bytes(STORY.encode())
    (tmp_path / "windows.txt").write_bytes(STORY.replace("\n", "\r\n").encode())
    assert read(tmp_path / "windows.txt") == read(tmp_path / "unix.txt")


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("2 Mary went to the office.", "2 ...", 2, "no word"),
        ("\thallway\t1", "", 3, "tab"),
        ("\thallway\t1", "\t\t1", 3, "TAB"),
        ("\thallway\t1", "\thallway\t1\t1", 3, "TAB"),
        ("\thallway\t1", "\thallway\t" + "9" * 5000, 3, "ID 99999999999999999999 points to no earlier line"),
        ("\toffice\t4", "\toffice\t3", 5, "ID 3 points to a question"),
        ("\toffice\t4", "\toffice\t5", 5, "ID 5 points to a question"),
        ("\toffice\t4", "\toffice\t9", 5, "ID 9 points to no earlier line"),
        ("\toffice\t4", "\toffice\tfour", 5, "ID four points to no earlier line"),
        ("4 John", "6 John", 4, "ID 6 after ID 3"),
        ("4 John", "John", 4, "`ID text`"),
        ("1 Sandra", "\n1 Sandra", 6, "`ID text`"),
        ("Where is John? \thall", "? \thall", 3, "no word"),
        ("1 John", "1" * 5000 + " John", 1, "`ID text`"),
    ],
)
def test_read_refuses_malformed_lines(tmp_path: Path, old: str, new: str, line: int, fault: str) -> None:
    file = tmp_path / "twin.txt"
    assert old in STORY
    file.write_text(STORY.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}, line {line}: ")
    assert fault in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "line 1: the file ends and holds no question"),
        (b"1 John went to the hallway.\n", "line 2: the file ends and holds no question"),
        (STORY.encode("utf-16"), "line 1: is not UTF-8"),
        (STORY.replace("hallway", "caf\xe9").encode("latin-1"), "line 1: is not UTF-8"),
        (b"1 Mary went.\n2 Where is Mary?   garden\n", "line 2: a question without its tab"),
        (b"1 Mary went.\n2 Where is Mary? garden 1\n", "line 2: a question without its tab"),
        (b"1 " + b"a" * 2 * babi.LONGEST_LINE, "line 1: longer than"),
        (STORY.encode() + b"3 " + b"a" * 2 * babi.LONGEST_LINE + b".\n", "line 8: longer than"),
    ],
    ids=["empty", "no question", "utf-16", "latin-1", "spaces", "space", "long line", "long last line"],
)
def test_read_refuses_malformed_files(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "twin.txt").write_bytes(content)
    with pytest.raises(InputError, match=fault):
        read(tmp_path / "twin.txt")


def test_read_refuses_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="directory"):
        read(tmp_path)


def test_by_story_splits_equal_stories() -> None:
    again = generate(19, 1) * 3
    assert [len(story) for story in by_story(again)] == [1, 1, 1]
    assert [len(story) for story in by_story(generate(17, 24))] == [8, 8, 8]


FIELD_FILES = {
    "no facts": "1 Ines went to the cellar.\n2 Omar left.\n3 Where is Ines?\tcellar\n4 Who left?\tOmar\n",
    "no facts but a tab": "1 Ines went to the cellar.\n2 Where is Ines?\tcellar\t\n",
    "no full stop": "1 Ines goes down to the cellar\n2 Ines climbs to the roof\n3 Where is Ines?\troof\t2\n",
    "no question mark": "1 Ines went to the cellar.\n2 Where is Ines\tcellar\t1\n",
    "answer with full stop": "1 Ines went to the cellar.\n2 Where is Ines?\tCellar.\t1\n",
    "Devanagari": "1 सीता रसोई में गयी.\n2 सेतु बाग में गयी.\n3 सीता कहाँ है?\tरसोई\t1\n4 सेतु कहाँ है?\tबाग\t2\n",
    "Devanagari with danda": "1 सीता रसोई में गयी।\n2 सीता कहाँ है?\tरसोई।\t1\n",
}


@pytest.mark.parametrize("text", FIELD_FILES.values(), ids=FIELD_FILES.keys())
def test_read_takes_what_people_write(text: str, tmp_path: Path) -> None:
    """Facts, full stops and question marks may be left out, in any script, and each answer is a word of its story."""
    (tmp_path / "own.txt").write_text(text)
    for question in read(tmp_path / "own.txt"):
        assert question.answer in {word for sentence in question.story for word in tokenize(sentence)}
        assert question.supporting in ((), (0,), (1,))


@pytest.mark.parametrize(
    ("answers", "line", "doubt"),
    [
        (("Buenos Aires", "cellar"), 2, "the answer 'buenos aires' is several words"),
        (("cellar", "basement"), 4, "no story says the answer 'basement'"),
    ],
)
def test_read_warns_once_of_doubtful_answers(answers: tuple[str, str], line: int, doubt: str, tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("".join(f"1 Ines went to the cellar.\n2 Where is Ines?\t{answer}\t1\n" for answer in answers))
    with pytest.warns(InputWarning, match=f"^{file}, line {line}: {doubt}") as warned:
        read(file)
    assert len(warned) == 1


def test_read_and_write_know_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own.txt").write_text(STORY)
    write(read("~/own.txt"), "~/again.txt")
    assert read(tmp_path / "again.txt") == read(tmp_path / "own.txt")
    with pytest.raises(InputError, match=r"^'~nobody-of-this-name/own.txt' is no path"):
        read("~nobody-of-this-name/own.txt")


def test_read_says_that_a_file_is_json(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text('{"story": {"text": ["Ines went to the cellar."]}}\n')
    with pytest.raises(InputError, match=r"line 1: .* is JSON, not `ID text`"):
        read(tmp_path / "own.txt")


@pytest.mark.parametrize("sentences", [3, 9000])
def test_read_shares_the_story_of_many_questions(sentences: int, tmp_path: Path) -> None:
    """A story is kept once for all questions on it; one that grows for ever is refused."""
    lines = [f"{line} Ines slept." for line in range(1, sentences + 1)]
    lines += [f"{line} Who slept?\tInes\t1" for line in range(sentences + 1, sentences + 4001)]
    (tmp_path / "own.txt").write_text("\n".join(lines))
    questions = read(tmp_path / "own.txt")
    assert len(questions) == 4000
    assert len({id(question.story) for question in questions}) == 1


def test_read_refuses_a_story_that_grows_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(babi, "MAX_SENTENCES", 5000)
    lines = [f"{line} Who slept?\tInes" if line % 2 == 0 else f"{line} Ines slept." for line in range(1, 400)]
    (tmp_path / "own.txt").write_text("\n".join(lines))
    with pytest.raises(InputError, match="line 200: the story is too long for so many questions"):
        read(tmp_path / "own.txt")
