"""`symshift train`: what it prints, and one line for each mistake."""

import re

import pytest

from symshift.cli import main
from symshift.runs.store import Store


def test_train_prints_the_errors_of_each_run(trained):
    outputs, said = trained
    runs = Store(outputs).runs()
    lines = re.findall(r"^run ([0-9a-f]{12}), seed (\d): error (?:\w+ [\d.]+ %(?:, )?)+$", said, re.MULTILINE)
    assert [run for run, _ in lines] == list(runs.sort_values("seed").id)
    assert [seed for _, seed in lines] == ["0", "1"]
    assert set(runs.updates) == {20}
    assert set(runs.batch) == {8}
    assert f"symshift ask {lines[0][0]} story.txt" in said


MISTAKES = {
    "misspelt-preset": (["strp"], "model 'strp' is unknown; did you mean 'stpr'?"),
    "misspelt-name": (["stpr", "updatse=3"], "parameter 'updatse' is unknown to stpr; did you mean 'updates'?"),
    "behind-options": (["stpr", "--task", "1", "updatse=3"], "parameter 'updatse' is unknown to stpr; did you mean"),
    "no-value": (["stpr", "updates"], "'updates' is no setting; give one as updates=2000"),
    "not-yaml": (["stpr", "updates=["], "'updates=[' is no setting; give a number or a word behind the ="),
    "argument": (["stpr", "task=3"], "'task=3': task is an argument; give it once"),
    "in-words": (["stpr", "updates=many"], "updates is 'many', a str; it wants a whole number such as 3"),
    "no-seed": (["stpr", "--seeds", "0"], "seeds is 0; at least 1 is needed to train anything"),
    "task-21": (["stpr", "--task", "21"], "task is 21, but bAbI's tasks are 1 to 20"),
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
