"""The bAbI file format: read and written byte for byte, and refused with the line at fault."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, by_story, generate, load, read, write
from symshift.data.babi.official import fetch, file_name, find
from symshift.errors import InputError

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


@given(drawn=fields())
@settings(deadline=None, max_examples=50)
def test_what_is_written_is_read_back(drawn: list[tuple], tmp_path_factory: pytest.TempPathFactory) -> None:
    asked = [Question(*values) for values in drawn]
    file = tmp_path_factory.mktemp("stories") / "questions.txt"
    write(asked, file)
    assert read(file, asked[0].task) == asked


@pytest.mark.parametrize("supporting", [(), (0,)])
def test_what_could_not_be_read_again_leaves_the_file_as_it_was(supporting: tuple[int, ...], tmp_path: Path) -> None:
    (file := tmp_path / "questions.txt").write_text(STORY)
    question = "Where is John?" if not supporting else "Where is John"
    with pytest.raises(InputError, match=r"questions.txt, line 2: "):
        write([Question(("John went home.",), question, "home", supporting, 1, "file")], file)
    assert file.read_text() == STORY


def test_a_mark_of_byte_order_is_harmless(tmp_path: Path) -> None:
    (tmp_path / "marked.txt").write_text(STORY, encoding="utf-8-sig")
    (tmp_path / "plain.txt").write_text(STORY)
    assert read(tmp_path / "marked.txt") == read(tmp_path / "plain.txt")


@pytest.mark.parametrize("task", range(1, 21))
def test_generated_stories_survive_a_round_trip(task: int, tmp_path: Path) -> None:
    asked = generate(task, 100)
    write(asked, tmp_path / "generated.txt")
    again = read(tmp_path / "generated.txt", task)
    assert [(q.story, q.question, q.answer, q.supporting) for q in again] == [
        (q.story, q.question, q.answer, q.supporting) for q in asked
    ]


@pytest.mark.skipif(not find(), reason="needs the official tasks")
@pytest.mark.parametrize("split", ["train", "test", "fit", "valid"])
@pytest.mark.parametrize("task", [1, 3, 4, 5, 8, 17, 18, 19, 20])
def test_official_files_are_written_byte_for_byte(task: int, split: str, tmp_path: Path) -> None:
    write(load(task, split=split, source="official"), tmp_path / "official.txt")
    assert (tmp_path / "official.txt").read_bytes() == fetch(find(), file_name(task, 1000, split))


def test_question_lines_are_no_part_of_the_story(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(STORY)
    first, second, third = read(tmp_path / "own.txt")
    assert first == Question(
        ("John went to the hallway.", "Mary went to the office."), "Where is John?", "hallway", (0,), 0, "file"
    )
    assert second.story == (*first.story, "John went to the office.")
    assert second.supporting == (2,)
    assert [len(story) for story in by_story([first, second, third])] == [2, 1]


def test_line_ends_of_windows_are_harmless(tmp_path: Path) -> None:
    (tmp_path / "unix.txt").write_bytes(STORY.encode())
    (tmp_path / "windows.txt").write_bytes(STORY.replace("\n", "\r\n").encode())
    assert read(tmp_path / "windows.txt") == read(tmp_path / "unix.txt")


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("2 Mary went to the office.", "2 Mary went to", 2, "full stop"),
        ("\thallway\t1", "", 3, "tab"),
        ("\thallway\t1", "\thallway", 3, "TAB"),
        ("\thallway\t1", "\thallway\t", 3, "TAB"),
        ("\toffice\t4", "\toffice\t3", 5, "ID 3 points to a question"),
        ("\toffice\t4", "\toffice\t5", 5, "ID 5 points to a question"),
        ("\toffice\t4", "\toffice\t9", 5, "ID 9 points to no earlier line"),
        ("\toffice\t4", "\toffice\tfour", 5, "ID four points to no earlier line"),
        ("4 John", "6 John", 4, "ID 6 after ID 3"),
        ("4 John", "John", 4, "`ID text`"),
        ("1 Sandra", "\n1 Sandra", 6, "`ID text`"),
        ("Where is John? \thall", "Where is John \thall", 3, "'?'"),
    ],
)
def test_malformed_lines_are_refused(tmp_path: Path, old: str, new: str, line: int, fault: str) -> None:
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
        (b"1 " + b"a" * 100_000_000, "line 1: longer than"),
        (STORY.encode() + b"3 " + b"a" * 100_000_000 + b".\n", "line 8: longer than"),
    ],
    ids=["empty", "no question", "utf-16", "latin-1", "100 MB line", "100 MB last line"],
)
def test_malformed_files_are_refused(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "twin.txt").write_bytes(content)
    with pytest.raises(InputError, match=fault):
        read(tmp_path / "twin.txt")


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="directory"):
        read(tmp_path)


def test_questions_of_one_sentence_stories_do_not_run_together() -> None:
    again = generate(19, 1) * 3
    assert [len(story) for story in by_story(again)] == [1, 1, 1]
    assert [len(story) for story in by_story(generate(17, 24))] == [8, 8, 8]
