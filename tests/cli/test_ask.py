"""`symshift ask`: the answer to a question about a story in a file."""

import pytest

from symshift import load
from symshift.cli import main
from symshift.cli.ask import read_story
from symshift.errors import InputError
from symshift.runs.store import Store

STORY = ["Zoe went to the kitchen.", "John moved to the garden."]
QUESTION = "Where is Zoe?"


@pytest.fixture
def run(trained):
    outputs, _ = trained
    return Store(outputs).runs().id[0], outputs


@pytest.mark.parametrize("numbered", [False, True], ids=["plain", "numbered"])
def test_ask_prints_the_answer_and_the_unseen_words(numbered, run, tmp_path, capsys):
    name, outputs = run
    file = tmp_path / "story.txt"
    lines = [f"{number} {line}" for number, line in enumerate(STORY, 1)] if numbered else STORY
    file.write_text("\n\n".join(lines) + "\n")
    assert read_story(file) == STORY
    assert main(["ask", name, str(file), QUESTION, "--outputs", str(outputs)]) == 0
    answer, likeliest, unseen = capsys.readouterr().out.splitlines()
    expected = load(name, outputs).ask(STORY, QUESTION)
    assert answer == str(expected)
    assert likeliest.startswith(f"likeliest: {expected.word} {expected.probability:.0%}, ")
    assert unseen == "never seen in training: zoe"


def test_ask_says_how_many_sentences_are_not_read(run, tmp_path, capsys):
    name, outputs = run
    (tmp_path / "story.txt").write_text("John went to the kitchen.\n" * 73)
    assert main(["ask", name, str(tmp_path / "story.txt"), "Where is John?", "--outputs", str(outputs)]) == 0
    assert "not read: the first 3 sentences; this model reads the last 70\n" in capsys.readouterr().out


STORIES = {
    "ids-of-questions-left-out": ("1 A b.\n2 C d.\n4 E f.\n", ["A b.", "C d.", "E f."]),
    "byte-order-mark": ("\ufeff1 A b.\r\n2 C d.\r\n", ["A b.", "C d."]),
    "counted-men": ("2 men sat.\n3 men ran.\n", ["2 men sat.", "3 men ran."]),
    "one-counted-man": ("1 man sat.\nMary ran.\n", ["1 man sat.", "Mary ran."]),
}


@pytest.mark.parametrize(("text", "sentences"), STORIES.values(), ids=STORIES)
def test_read_story_leaves_out_numbers_of_lines_alone(text, sentences, tmp_path):
    (tmp_path / "story.txt").write_bytes(text.encode())
    assert read_story(tmp_path / "story.txt") == sentences


def test_ask_says_nothing_of_unseen_words_where_there_are_none(run, tmp_path, capsys):
    name, outputs = run
    (tmp_path / "story.txt").write_text("John went to the kitchen.")
    assert main(["ask", name, str(tmp_path / "story.txt"), "Where is John?", "--outputs", str(outputs)]) == 0
    assert "never seen" not in capsys.readouterr().out


MISTAKES = {
    "empty": ("\n \n", "Where?", "story.txt: has no sentence; write one on each line"),
    "no-word": ("A b.\n\n...\n", "Where?", "story.txt, line 3: '...' has no word; leave sentences only"),
    "question-in-story": ("1 A b.\n2 Where?\tb\t1", "Where?", "story.txt, line 2: a question of bAbI's format"),
    "two-stories": ("1 A b.\n\n1 C d.", "Where?", "story.txt, line 3: ID 1 after ID 1; leave the lines of one story"),
    "no-question": ("A b.", "?", "question is '?'; give a sentence with a word"),
    "not-text": (b"\xff", "Where?", "story.txt: is not UTF-8; save the file as UTF-8 text"),
}


@pytest.mark.parametrize(("text", "question", "says"), MISTAKES.values(), ids=MISTAKES)
def test_ask_ends_a_mistake_with_one_line(text, question, says, run, tmp_path, capsys):
    name, outputs = run
    (tmp_path / "story.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["ask", name, str(tmp_path / "story.txt"), question, "--outputs", str(outputs)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(says)
    assert error.count("\n") == 1


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".ndjson", ".parquet"])
def test_read_story_refuses_a_file_of_questions(suffix, tmp_path):
    (tmp_path / f"own{suffix}").write_text("story,question,answer\nA b.,Who?,a\n")
    right = f"^own{suffix}: {suffix} is a file of questions; leave sentences only, one on each line$"
    with pytest.raises(InputError, match=right):
        read_story(tmp_path / f"own{suffix}")


def test_ask_names_a_run_or_a_file_that_is_missing(run, tmp_path, capsys):
    name, outputs = run
    (tmp_path / "story.txt").write_text("A b.")
    assert main(["ask", "0" * 12, str(tmp_path / "story.txt"), "Where?", "--outputs", str(outputs)]) == 2
    assert capsys.readouterr().err.startswith(f"run '{'0' * 12}' is not among the finished runs")
    assert main(["ask", name, str(tmp_path / "none.txt"), "Where?", "--outputs", str(outputs)]) == 2
    assert capsys.readouterr().err.endswith("none.txt: cannot be read (No such file or directory)\n")
