"""`symshift audit`: of a run, and of a foreign model's answers in a file."""

import json

import pandas as pd
import pytest

from symshift.cli import main
from symshift.runs.store import Store

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


def test_audit_writes_questions_and_takes_their_answers(tmp_path, capsys):
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    write = ["audit", "--write-questions", str(questions), "--task", "2", "--source", "generated"]
    assert main([*write, *QUICK]) == 0
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    assert capsys.readouterr().out == f"{questions}: {len(rows)} questions\n"
    answers.write_text("".join(json.dumps({"id": row["id"], "answer": "Kitchen."}) + "\n" for row in rows))
    assert main(["audit", "--predictions", str(answers)]) == 0
    assert capsys.readouterr().out.count("people") == 3


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "audit wants one of a run, --write-questions FILE or --predictions FILE"),
        (["0" * 12, "--predictions", "a"], "audit wants one of a run"),
        (["0" * 12], "run '000000000000' is not among the finished runs"),
        (["--predictions", "none.jsonl"], "none.jsonl: cannot be read"),
        (["--write-questions", "a.jsonl", "--task", "21"], "task 21"),
    ],
)
def test_audit_ends_a_mistake_with_one_line(arguments, fault, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    assert main(["audit", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(fault)
    assert error.count("\n") == 1
