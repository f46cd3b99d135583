"""`symshift audit`: of a run, and of a foreign model's answers in a file."""

import json
import warnings
from pathlib import Path

import pandas as pd
import pytest

import symshift
from symshift.cli import main
from symshift.cli.audit import _test_questions
from symshift.data import combinations, generate, splits, write
from symshift.errors import InputWarning
from symshift.runs.store import Store
from symshift.training.combination_splits import load_split
from symshift.training.data import Data
from symshift.training.own_stories import own_stories
from tests.helpers.small import config

QUICK = ["--questions", "5", "--renamings", "1"]


def test_audit_prints_a_table_of_a_run(trained, tmp_path, capsys):
    outputs, _ = trained
    run = Store(outputs).runs().id[0]
    file = tmp_path / "audit.csv"
    assert main(["audit", run, *QUICK, "--outputs", str(outputs), "--csv", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["role", "renaming", "questions", "error", "error", "renamed", "increase", "covariance"]
    assert lines[1].split()[:3] == ["people", "known", "5"]
    assert len(pd.read_csv(file)) == len(lines) - 2 == 9


def train(outputs: Path, data: Data) -> str:
    """The run of a small network on these stories."""
    quick = config("mn", updates=2, evaluate_every=2, batch=4, restart_at=0)
    return symshift.train(quick, [0], str(outputs), "cpu", data)[0]


@pytest.mark.parametrize("split", ["room-answer", "sys-babi"])
def test_audit_asks_the_test_of_a_split(split, tmp_path, monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 40)
    monkeypatch.setattr(splits, "TEST_QUESTIONS", 40)
    data = load_split(split, 20, "generated")
    assert _test_questions(Store(tmp_path), train(tmp_path, data)) == data.test


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "has other stories than task 1 here; name its test stories by --stories FILE"),
        ("mine", "the stories 'mine' are no task's"),
        ("split length", "has other stories than task 1, split length here; name its"),
    ],
    ids=["no-name", "name", "name-of-a-split"],
)
def test_audit_asks_no_other_stories_than_the_runs(name, fault, tmp_path, capsys):
    run = train(tmp_path, Data(generate(1, 40), generate(1, 20, "other"), name=name))
    assert main(["audit", run, *QUICK, "--outputs", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"run {run}: {fault}")


def test_audit_writes_questions_and_takes_their_answers(tmp_path, capsys):
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    write = ["audit", "--write-questions", str(questions), "--task", "2", "--source", "generated"]
    assert main([*write, *QUICK]) == 0
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    assert capsys.readouterr().out == f"{questions}: {len(rows)} questions\n"
    answers.write_text("".join(json.dumps({"id": row["id"], "answer": "Kitchen."}) + "\n" for row in rows))
    assert main(["audit", "--predictions", str(answers)]) == 0
    assert capsys.readouterr().out.count("people") == 3


def rows(count: int, **fields: str) -> str:
    lines = [
        {"story": question.story, "question": question.question, "answer": question.answer, **fields}
        for question in generate(1, count)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


OWN = {
    "rows-with-splits": ({"own.jsonl": rows(20, split="train") + rows(6, split="Test")}, "own.jsonl", 6),
    "valid-and-test": ({"own.jsonl": rows(9, split="dev") + rows(6, split="test")}, "own.jsonl", 6),
    "test-alone": ({"own.jsonl": rows(6, split="test")}, "own.jsonl", 6),
    "no-split": ({"own.jsonl": rows(20)}, "own.jsonl", 20),
    "folder-with-test-alone": ({"test.jsonl": rows(6)}, ".", 6),
    "folder": ({"train.jsonl": rows(20), "valid.jsonl": rows(9), "test.jsonl": rows(6)}, ".", 6),
}


@pytest.mark.parametrize(("files", "stories", "count"), OWN.values(), ids=OWN)
def test_audit_asks_the_test_of_own_stories(files, stories, count, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    assert main(["audit", "--write-questions", "asked", "--renamings", "1", "--stories", stories]) == 0
    asked = (tmp_path / "asked").read_text()
    assert asked.count("/original/") == count
    assert capsys.readouterr().out.startswith(f"{stories}: {count} test questions\n")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (rows(9, split="train"), "own.jsonl: has no questions of the split test, which are those that an audit asks"),
        (rows(2, split="test") + rows(2, split="tset"), "own.jsonl, line 3: the split 'tset' is none of train, valid"),
    ],
    ids=["no-test", "unknown-split"],
)
def test_audit_of_own_stories_wants_a_test(content, fault, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.jsonl").write_text(content)
    assert main(["audit", "--write-questions", "asked", "--stories", "own.jsonl"]) == 2
    assert capsys.readouterr().err.startswith(fault)


def test_audit_asks_no_story_that_the_run_was_trained_on(tmp_path, capsys):
    own, outputs = tmp_path / "own.csv", ["--outputs", str(tmp_path / "outputs")]
    write(generate(1, 60), own)
    quick = ["updates=2", "evaluate_every=2", "batch=4", "--device", "cpu"]
    assert main(["train", "mn", "--stories", str(own), *quick, *outputs]) == 0
    (run,) = Store(tmp_path / "outputs").own_ids()
    capsys.readouterr()
    assert main(["audit", run, "--renamings", "1", "--stories", str(own), *outputs]) == 0
    assert capsys.readouterr().out.startswith(f"{own}: {len(own_stories(own).data.test)} test questions\n")
    write(generate(1, 30), tmp_path / "more.csv")
    assert main(["audit", run, "--renamings", "1", "--stories", str(tmp_path / "more.csv"), *outputs]) == 0
    assert "more.csv: 30 test questions\n" in capsys.readouterr().out


def test_audit_warns_of_a_file_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.jsonl").write_text((rows(20, split="train") + rows(6, split="test")).replace('"kitchen"', '"den"'))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert main(["audit", "--write-questions", "asked", "--renamings", "1", "--stories", "own.jsonl"]) == 0
    assert [warning.category for warning in caught] == [InputWarning]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "audit wants one of a run, --write-questions FILE or --predictions FILE"),
        (["0" * 12, "--predictions", "a"], "audit wants one of a run"),
        (["0" * 12], "run '000000000000' is not among the finished runs"),
        (["--predictions", "none.jsonl"], "none.jsonl: cannot be read"),
        (["--write-questions", "a.jsonl", "--task", "21"], "task 21"),
        (["--write-questions", "."], ".: is a folder"),
        (["0" * 12, "--csv", "."], ".: is a folder; the name of a file would be right"),
        (["0" * 12, "--task", "5"], "--task has no effect on a run; leave it out"),
        (["0" * 12, "--source", "official"], "--source has no effect on a run"),
        (["--write-questions", "a.jsonl", "--csv", "a.csv"], "--csv has no effect on --write-questions"),
        (["--write-questions", "a.jsonl", "--stories", "a.csv", "--task", "2"], "--task has no effect on --stories"),
        (["--predictions", "a.jsonl", "--csv", "./a.jsonl"], "./a.jsonl: is read as --predictions; name another file"),
        (["--write-questions", "a.csv", "--stories", "a.csv"], "a.csv: is read as --stories; name another file to"),
        (["--predictions", "a.jsonl", "--renamings", "0"], "--renamings has no effect on --predictions"),
    ],
)
def test_audit_ends_a_mistake_with_one_line(arguments, fault, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    assert main(["audit", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(fault)
    assert error.count("\n") == 1
