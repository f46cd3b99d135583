"""What every format writes it reads again, and what a format cannot hold is an error or said in one line."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, generate, read, write
from symshift.data.files import _check_questions
from symshift.errors import InputError, InputWarning

FORMATS = {"babi": "txt", "csv": "csv", "jsonl": "jsonl", "babi_qa": "json", "babilong": "json"}
parquet = pytest.mark.skipif(not importlib.util.find_spec("pyarrow"), reason="needs the extra parquet")
WORDS = st.text("abçसी", min_size=1, max_size=5).filter(lambda word: word[0] not in "ी")
SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(lambda words: " ".join(words) + ".")
ALL = [*FORMATS.items(), pytest.param("babi_qa", "parquet", marks=parquet)]


@st.composite
def fields(draw: st.DrawFn) -> list[tuple]:
    """Draw the fields of questions over a few growing stories."""
    drawn = []
    for _ in range(draw(st.integers(1, 3))):
        story: tuple[str, ...] = ()
        for _ in range(draw(st.integers(1, 3))):
            story += tuple(draw(st.lists(SENTENCES, min_size=1, max_size=4)))
            supporting = tuple(draw(st.lists(st.sampled_from(range(len(story))), max_size=3)))
            answer = ",".join(draw(st.lists(WORDS, min_size=1, max_size=2)))
            drawn.append((story, f"{draw(WORDS)}?", answer, supporting, 0, "file"))
    return drawn


@pytest.mark.filterwarnings("ignore::symshift.errors.InputWarning")
@pytest.mark.parametrize(("format", "suffix"), ALL)
@given(drawn=fields())
@settings(deadline=None, max_examples=15)
def test_read_returns_what_write_has_written(format, suffix, drawn, tmp_path_factory):
    file = tmp_path_factory.mktemp("stories") / f"questions.{suffix}"
    questions = [Question(*values) for values in drawn]
    write(questions, file, format=format)
    again = read(file)
    if format == "babilong":
        questions = [replace(question, supporting=()) for question in questions]
    assert again == questions
    assert read(file, format=format) == questions


@pytest.mark.parametrize("task", [5, 8, 19])
@pytest.mark.parametrize(("format", "suffix"), [item for item in ALL if item != ("babilong", "json")])
def test_generated_stories_survive_every_format(format, suffix, task, tmp_path):
    asked = generate(task, 20)
    write(asked, tmp_path / f"own.{suffix}", format=format)
    assert read(tmp_path / f"own.{suffix}", task) == [
        Question(q.story, q.question, q.answer, q.supporting, task, "file") for q in asked
    ]


@pytest.mark.parametrize(("suffix", "begins"), [("csv", b"story,question"), ("jsonl", b'{"story": ["'), ("txt", b"1 ")])
def test_write_takes_the_format_of_the_suffix(suffix, begins, tmp_path):
    write(generate(1, 3), tmp_path / f"own.{suffix}")
    assert (tmp_path / f"own.{suffix}").read_bytes().startswith(begins)


def test_write_wants_a_format_for_json(tmp_path):
    with pytest.raises(InputError, match=r"own.json: .json may be jsonl, babi_qa or babilong; name one by format="):
        write(generate(1, 3), tmp_path / "own.json")
    with pytest.raises(InputError, match=r"format 'jsn' is unknown; did you mean 'jsonl'\?"):
        write(generate(1, 3), tmp_path / "own.json", format="jsn")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["own.xlsx", "own.tsv", "own.csv.gz"])
def test_write_refuses_an_ending_that_says_no_format(name, tmp_path):
    right = ".txt, .csv, .jsonl, .ndjson, .parquet, .json, or a format by format=, are right"
    with pytest.raises(InputError, match=f"{name}: the ending {Path(name).suffix} says no format; {right}$"):
        write(generate(1, 3), tmp_path / name)
    assert not list(tmp_path.iterdir())
    write(generate(1, 3), tmp_path / name, format="jsonl")
    assert len(read(tmp_path / name, format="jsonl")) == 3


def test_babilong_says_that_it_has_no_supporting_facts(tmp_path):
    with pytest.warns(InputWarning, match="own.json: babilong has no supporting facts; they are left out"):
        write(generate(1, 3), tmp_path / "own.json", format="babilong")


@pytest.mark.parametrize(("format", "suffix"), [("csv", "csv"), ("babilong", "json")])
def test_write_refuses_what_could_not_be_read_again(format, suffix, tmp_path):
    question = Question(("John\nwent.", "Mary left."), "Who left?", "mary", (), 0, "file")
    with pytest.raises(InputError, match=f"question 1 cannot be written as {format}"):
        write([question], tmp_path / f"own.{suffix}", format=format)
    assert not list(tmp_path.iterdir())


UNWRITABLE = {
    "fact-after-the-story": (("John left.",), (99,), "question 1: the supporting fact 99 is none of the story"),
    "fact-before-the-story": (("John left.",), (-1,), "question 1: the supporting fact -1 is none of the story"),
    "half-a-character": (("John \ud800 left.",), (), r"question 1: '.ud800' is no character; take it out"),
}


@pytest.mark.parametrize(("story", "supporting", "fault"), UNWRITABLE.values(), ids=UNWRITABLE)
@pytest.mark.parametrize(("format", "suffix"), ALL)
def test_write_refuses_a_question_at_fault(format, suffix, story, supporting, fault, tmp_path):
    with pytest.raises(InputError, match=fault):
        write([Question(story, "Who left?", "john", supporting, 0, "file")], tmp_path / f"own.{suffix}", format=format)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sentence", ["Who left?\tjohn", "Mary left.\n1 John left."], ids=["another-question", "another-story"]
)
def test_write_refuses_text_that_babi_reads_otherwise(sentence, tmp_path):
    with pytest.raises(InputError, match="cannot be written as babi: "):
        write([Question((sentence,), "Who left?", "john", (), 0, "file")], tmp_path / "own.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("questions", "file", "fault"),
    [
        ([], "own.csv", "own.csv: there are no questions to write; at least one would be right"),
        (generate(1, 1), "", "'' is no path; the name of a file or folder would be right"),
    ],
    ids=["nothing", "nowhere"],
)
def test_write_refuses_nothing_and_nowhere(questions, file, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"^{fault}$"):
        write(questions, file)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("questions", "fault"),
    [
        (None, "questions is None; a list"),
        ("own.csv", "questions is 'own.csv'; a list"),
        (["a"], "questions has 'a' as number 1; a list of questions"),
    ],
    ids=["nothing", "name-of-a-file", "texts"],
)
def test_written_questions_are_checked(questions, fault):
    with pytest.raises(InputError, match=f"^{fault}"):
        _check_questions(questions)


def test_write_names_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder.csv: cannot be written \(Is a directory\)"):
        write(generate(1, 3), tmp_path / "folder.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize(("format", "suffix"), ALL)
def test_write_refuses_a_question_without_an_answer(format, suffix, tmp_path):
    with pytest.raises(InputError, match=r"answer|question line"):
        write([Question(("John left.",), "Who left?", "", (), 0, "file")], tmp_path / f"own.{suffix}", format=format)
    assert not list(tmp_path.iterdir())


def test_read_names_a_parquet_file_that_is_none(tmp_path, monkeypatch):
    (tmp_path / "own.parquet").write_bytes(b"PAR1 no")
    fault = "is not Parquet" if importlib.util.find_spec("pyarrow") else r"Parquet needs pyarrow: pip install -c con"
    with pytest.raises(InputError, match=fault):
        read(tmp_path / "own.parquet")


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl", "json", "parquet"])
def test_read_names_a_file_that_is_missing(suffix, tmp_path: Path):
    with pytest.raises(InputError, match=f"nowhere.{suffix}.*No such file"):
        read(tmp_path / f"nowhere.{suffix}")
