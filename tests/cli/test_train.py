"""`symshift train`: what it prints, and one line for each mistake."""

import re
import sys

import pytest

from symshift.cli import main
from symshift.runs.store import Store
from tests.cli.conftest import QUICK


def test_train_prints_the_errors_of_each_run(trained):
    outputs, said = trained
    runs = Store(outputs).runs()
    lines = re.findall(r"^run ([0-9a-f]{12}), seed (\d): error (?:\w+ [\d.]+ %(?:, )?)+$", said, re.MULTILINE)
    assert [run for run, _ in lines] == list(runs.sort_values("seed").id)
    assert [seed for _, seed in lines] == ["0", "1"]
    assert set(runs.updates) == {20}
    assert set(runs.batch) == {8}
    assert f"symshift ask {lines[0][0]} story.txt" in said
    assert said.endswith(f" --outputs {outputs}\n")


OWN_PRESET = "base: mn\nmodel: mine\ntask: 3\nexamples: 100\nsource: generated\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], (3, 100, "generated")), (["--task", "2", "--examples", "50"], (2, 50, "generated"))],
    ids=["preset", "command-line"],
)
def test_train_takes_the_stories_that_a_preset_names(options, expected, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.yaml").write_text(OWN_PRESET)
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    quick = ["updates=2", "evaluate_every=2", "batch=4", "--device", "cpu", "--outputs", str(tmp_path / "outputs")]
    assert main(["train", "mine", *quick, *options]) == 0
    (run,) = Store(tmp_path / "outputs").own_ids()
    config = Store(tmp_path / "outputs").record(run)["config"]
    assert tuple(config[name] for name in ("task", "examples", "source")) == expected


MISTAKES = {
    "misspelt-preset": (["strp"], "model 'strp' is unknown; did you mean 'stpr'?"),
    "misspelt-name": (["stpr", "updatse=3"], "parameter 'updatse' is unknown to stpr; did you mean 'updates'?"),
    "behind-options": (["stpr", "--task", "1", "updatse=3"], "parameter 'updatse' is unknown to stpr; did you mean"),
    "no-value": (["stpr", "updates"], "'updates' is no setting; give one as updates=2000"),
    "not-yaml": (["stpr", "updates=["], "'updates=[' is no setting; give a number or a word behind the ="),
    "argument": (["stpr", "task=3"], "'task=3': task is an argument; give it once"),
    "in-words": (["stpr", "updates=many"], "updates is 'many', a str; it wants a whole number such as 3"),
    "exponent": (["stpr", "updates=1e3"], "updates is 1000.0, a float; it wants a whole number such as 3"),
    "infinite": (["stpr", "learning_rate=.inf"], "learning_rate is inf; it must be finite and not negative"),
    "overflow": (["stpr", "learning_rate=1e999"], "learning_rate is inf; it must be finite and not negative"),
    "not-a-number": (["stpr", "learning_rate=.nan"], "learning_rate is nan; it must be finite and not negative"),
    "nan": (["stpr", "learning_rate=nan"], "learning_rate is 'nan', a str; it wants a number such as 0.001"),
    "no-seed": (["stpr", "--seeds", "0"], "seeds is 0; at least 1 is needed to train anything"),
    "too-many-seeds": (["stpr", "--seeds", "10000000000"], "seeds is 10000000000; at most 1000000 would be right"),
    "task-21": (["stpr", "--task", "21"], "task is 21, but bAbI's tasks are 1 to 20"),
    "task-of-a-file": (["stpr", "--stories", "own.csv", "--task", "2"], "--task has no effect on --stories own.csv"),
    "task-of-a-split": (["stpr", "--split", "length", "--task", "2"], "--task has no effect on --split length"),
    "name-twice": (["stpr", "updates=2", "updates=3"], "'updates=3': updates stands twice; once is right"),
    "no-date": (["stpr", "updates=2024-13-45"], "'updates=2024-13-45' is no setting; give a number or a word"),
    "5000-digits": (["stpr", f"updates={'9' * 5000}"], "'updates=9999"),
    "brackets": (["stpr", f"updates={'[' * 5000}"], "'updates=[[[["),
    "no-stories": (["stpr", "--stories", ""], "--stories is empty; give it a value, or leave it out"),
    "no-split": (["stpr", "--split="], "--split is empty; give it a value, or leave it out"),
    "no-memory": (["lstm", "hidden=1000000000", "--source", "generated"], "lstm task 1, 1 seed needs more memory than"),
    "device": (["stpr", "--source", "generated", "--device", "abacus"], "device 'abacus' is not on this machine"),
}


@pytest.mark.parametrize(("words", "says"), MISTAKES.values(), ids=MISTAKES)
def test_train_ends_a_mistake_with_one_line(words, says, tmp_path, capsys):
    assert main(["train", *words, "--outputs", str(tmp_path)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(says)
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())


def test_train_says_what_is_from_the_store_and_has_no_weights(trained, tmp_path, capsys):
    outputs, _ = trained
    first = Store(outputs).runs().set_index("seed").id[0]
    command = ["train", "stpr-sm", *QUICK, "--seeds", "2", "--outputs"]
    assert main([*command, str(outputs)]) == 0
    *lines, ask = capsys.readouterr().out.splitlines()
    assert all(line.endswith(", from the store") for line in lines)
    assert ask.startswith(f"ask one: symshift ask {first} ")
    assert main(["export", "--from", str(outputs), "--outputs", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main([*command, str(tmp_path)]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "none of these runs has weights here, only its record; to ask one, train it with other --outputs"


def test_train_says_that_stories_are_generated(tmp_path, monkeypatch, capsys):
    quick = ["updates=2", "evaluate_every=2", "--examples", "50", "--outputs", str(tmp_path)]
    monkeypatch.setattr(sys.modules["symshift.data.load"], "find_official", lambda *_: None)
    assert main(["train", "mn", *quick]) == 0
    assert capsys.readouterr().out.startswith("the official bAbI text was not found: stories are generated, and no e")
    assert main(["train", "mn", *quick, "--source", "generated"]) == 0
    assert "was not found" not in capsys.readouterr().out


@pytest.mark.parametrize("word", ["stories=own.csv", "seeds=3", "outputs=here"])
def test_an_option_is_no_setting(word, capsys):
    assert main(["train", "mn", word]) == 2
    name = word.partition("=")[0]
    assert capsys.readouterr().err.startswith(f"{word!r}: {name} is an argument; give it once, as `symshift train --he")
