"""The fingerprint of a network's code changes with what its methods do, and with nothing else."""

import subprocess
import sys
import types

import pytest

from symshift import configure, load, train
from symshift.errors import InputError
from symshift.models.code_fingerprint import code_fingerprint
from symshift.results.papers.cells import cells
from symshift.runs.store import Store
from symshift.training.verify import verify
from tests.helpers.registered import registry_restored

NETWORK = """
import torch
from dataclasses import dataclass
from torch import nn
from symshift.constraints import Count
from symshift.models.base import Network, Output
from symshift.models.registry import register

GAIN = 1.0
ACTIVATIONS = (torch.relu, lambda x: x, lambda x: 2 * x)
WORDS = frozenset({"a", "b", "c", "d"})

def scaled(x, activation=torch.tanh, *, words=WORDS):
    return GAIN * x if words == WORDS else ACTIVATIONS[1](activation(x))

@dataclass(frozen=True)
class Config:
    dim: Count

class Bag(nn.Module):
    def forward(self, vectors):
        return vectors.sum(-2)

@register("mine")
class Mine(Network):
    \"\"\"A bag of words.\"\"\"

    Config = Config

    def __init__(self, config, vocabulary, generator):
        super().__init__()
        self.words = nn.Parameter(torch.randn(len(vocabulary.words) + 1, config.dim, generator=generator))
        self.bag = Bag()

    @property
    def rows(self):
        return self.words[1:]

    def forward(self, batch, rng):
        known = batch.question.where(batch.question < len(self.words), 0)
        one_hot = torch.nn.functional.one_hot(known, len(self.words)).to(self.words)
        return Output(scaled(self.bag(one_hot @ self.words) @ self.rows.mT), None, None, {})
"""
CHANGES = {
    "method": ("self.words[1:]", "-self.words[1:]"),
    "function": ("return GAIN * x if", "return GAIN * x + 0 if"),
    "constant": ("GAIN = 1.0", "GAIN = 2.0"),
    "default": ("activation=torch.tanh", "activation=torch.relu"),
    "set": ('"c", "d"}', '"c"}'),
    "part": ("vectors.sum(-2)", "vectors.mean(-2)"),
}
SAME = {
    "comment": ("GAIN = 1.0", "GAIN = 1.0  # of the logits"),
    "docstring": ("A bag of words.", "A bag."),
    "blank-line": ("def scaled", "\n\ndef scaled"),
    "what-is-not-used": ("def scaled", "def other(x):\n    return -x\n\ndef scaled"),
}
SETTINGS = {"model": "mine", "source": "generated", "examples": 60}


def network(source: str) -> type:
    """Run the source of a network as a notebook would, in a module of that name."""
    module = types.ModuleType("__main__")
    exec(compile(source, "cell", "exec"), vars(module))
    return module.Mine


@pytest.fixture
def mine(monkeypatch, tmp_path):
    """Register a source as `mine`, with a preset."""
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    preset = "model: mine\nnetwork: mine\ndim: 4\nbase: mn\nupdates: 4\nevaluate_every: 2\nbatch: 8\n"
    (tmp_path / "mine.yaml").write_text(preset)
    with registry_restored():
        yield network


@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES)
def test_fingerprint_changes_with_the_code(old, new, mine):
    assert old in NETWORK
    assert code_fingerprint(mine(NETWORK.replace(old, new))) != code_fingerprint(mine(NETWORK))


@pytest.mark.parametrize(("old", "new"), SAME.values(), ids=SAME)
def test_fingerprint_is_of_code_alone(old, new, mine):
    assert old in NETWORK
    assert code_fingerprint(mine(NETWORK.replace(old, new))) == code_fingerprint(mine(NETWORK))


def test_fingerprint_is_equal_in_another_process(mine):
    script = f"{NETWORK}\nfrom symshift.models.code_fingerprint import code_fingerprint\nprint(code_fingerprint(Mine))"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == code_fingerprint(mine(NETWORK))


def test_networks_of_this_library_have_none():
    assert configure({"model": "stpr"}).code == ""


def test_a_changed_network_is_another_run(mine, tmp_path):
    """A class that was changed trains again; its earlier run is in no table and answers no question."""
    mine(NETWORK)
    (before,) = train(configure(SETTINGS), [0], str(tmp_path), "cpu")
    assert train(configure(SETTINGS), [0], str(tmp_path), "cpu") == [before]
    old, new = CHANGES["part"]
    mine(NETWORK.replace(old, new))
    (after,) = train(configure(SETTINGS), [0], str(tmp_path), "cpu")
    assert after != before
    assert set(cells(Store(tmp_path).runs()).runs) == {after}
    with pytest.raises(InputError, match=f"run {before}: network 'mine' had another code when it was trained"):
        load(before, tmp_path)
    checks = {check.name: check.good for check in verify(before, tmp_path)}
    assert checks == {"record": True, "id": True, "curve": True, "weights": None, "stories": True, "test error": None}
    assert load(after, tmp_path).ask(["Mary went to the kitchen."], "Where is Mary?").word
