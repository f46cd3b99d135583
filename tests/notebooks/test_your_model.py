"""12_your_model with a network that is wrong in one way: one line says which method, what came and what is right."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from symshift.errors import InputError
from tests.helpers.opened import NOTEBOOKS, opened
from tests.helpers.registered import registry_restored

ONE_CHECK = {"check(model).iloc": "checks.iloc"}  # that of the notebook's own network is enough
QUICK = {"others": ["mn"], "source": "generated", "examples": 100, "updates": 4, "seeds": 2}
LOGITS = "project(hidden, self.answer.mT)"
RETURNS = f'Output({LOGITS}, symbolic, self.beta, {{"attention": attention.mT}})'
BETA = "self.beta = nn.Parameter(torch.zeros(()))"
NO_GENERATOR = {"torch.randn(words, config.dim, generator=generator)": "torch.randn(words, config.dim)"}
WRONG = {
    "no-config": (
        {"    Config = CopyReaderConfig\n": ""},
        "CopyReader has no dataclass `Config` of what a preset sets",
    ),
    "no-dataclass": (
        {"@dataclass(frozen=True)\n": ""},
        "its Config CopyReaderConfig is no dataclass; put @dataclass(f",
    ),
    "no-type": ({"dim: Count": "dim = 20"}, "CopyReaderConfig.dim has no type; `dim: Count` would be one"),
    "other-type": ({"dim: Count": "dim: bytes"}, "CopyReaderConfig.dim is no int, float, str or Literal, but bytes"),
    "arguments": (
        {"(self, config, vocabulary, generator)": "(self, config)"},
        "CopyReader is not built from (config, ",
    ),
    "no-output": (
        {RETURNS: "symbolic"},
        "CopyReader.forward returns a Tensor; an Output of symshift.models.base is ri",
    ),
    "logits": ({LOGITS: "hidden"}, "CopyReader.forward gives `semantic` of shape (3, 20); (3, "),
    "symbols": ({RETURNS: RETURNS.replace("symbolic", "symbolic[:, 1:]")}, "CopyReader.forward gives `symbolic` of sh"),
    "nan": ({"self.scales.exp()": "(-self.scales).log()"}, "CopyReader.forward gives `semantic` logits that are NaN"),
    "gradient": ({BETA: f"{BETA}; self.bias = {BETA[12:]}"}, "CopyReader.forward makes no use of parameter 'bias'"),
    "generator": (NO_GENERATOR, "CopyReader.__init__ gives parameter 'words' other values at the second call with the"),
    "host": ({"sure * attention": "sure.item() * attention"}, "CopyReader.forward: the value of a tensor is read on t"),
    "name": (
        {'@register("copy-reader")': '@register("mn")'},
        "is registered already, by symshift.models.memory_network",
    ),
}


@pytest.fixture(autouse=True)
def restored():
    with registry_restored():
        yield


@pytest.mark.parametrize(("changes", "line"), WRONG.values(), ids=WRONG)
def test_wrong_network_is_one_line(changes, line, tmp_path, monkeypatch):
    with pytest.raises(InputError) as caught:
        opened("12_your_model", None, monkeypatch, ONE_CHECK | changes, outputs=str(tmp_path), **QUICK)
    assert line in str(caught.value)
    assert str(caught.value).startswith("network '")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("runs/*"))


def test_network_that_counts_blanks_is_reported(tmp_path, monkeypatch):
    changes = {"age = mask.any(-1).flip(1)": "age = torch.ones_like(mask).any(-1).flip(1)"}
    notebook = opened("12_your_model", 9, monkeypatch, changes, outputs=str(tmp_path), **QUICK)
    lacks = notebook.checks[~notebook.checks.holds]
    assert list(lacks.property) == ["padding changes nothing"]


def test_right_network_stands_beside_the_others(tmp_path, monkeypatch):
    notebook = opened("12_your_model", None, monkeypatch, ONE_CHECK, outputs=str(tmp_path), **QUICK)
    assert notebook.checks.holds.all()
    assert notebook.results.groupby("model").size().to_dict() == {"copy-reader": 2, "mn": 2}


def test_papermill_ends_a_wrong_network_with_one_line(tmp_path):
    changed = nbformat.read(NOTEBOOKS / "12_your_model.ipynb", 4)
    for cell in changed.cells:
        cell.source = cell.source.replace(LOGITS, "hidden")
    nbformat.write(changed, tmp_path / "wrong.ipynb")
    quick = ["-y", "others: [mn]", "-p", "source", "generated", "-p", "examples", "100", "-p", "outputs", str(tmp_path)]
    command = [sys.executable, "-m", "papermill", "wrong.ipynb", "out.ipynb", *quick]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    (line,) = {line for line in done.stderr.splitlines() if line.startswith("InputError: network")}
    assert line.startswith(
        "InputError: network 'copy-reader': CopyReader.forward gives `semantic` of shape (3, 20); (3,"
    )
    assert not list(Path(tmp_path).glob("runs/*"))
