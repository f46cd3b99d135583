"""The fingerprint of a network's code changes with what its methods do, and with nothing else."""

import importlib
import subprocess
import sys
import types
from dataclasses import dataclass

import pytest

from symshift import configure, load, train
from symshift.errors import InputError
from symshift.models.code_fingerprint import OwnCode, _parts, code_fingerprint
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

TABLE = {"gain": 1.0, "deep": [{"a": 1}, (2, {3})]}
KINDS = ["sum", "mean"]
SEEN = {"a", "b", "c"}
CYCLE = [1.0]
CYCLE.append(CYCLE)
CACHE = {}
ARRAYS = {"zeros": torch.zeros(2)}

def powered(x):
    return x ** 1

POWERS = {"one": powered}

def enclosing(gain, table, function):
    return lambda x: function(x) * gain * table["gain"]

activated = enclosing(1.0, {"gain": 1.0}, lambda x: x + 0)

def scaled(x, activation=torch.tanh, *, words=WORDS):
    CACHE[len(words)] = x
    x = activated(POWERS["one"](x)) * TABLE["gain"] if KINDS and SEEN and CYCLE and ARRAYS else x
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
    SCALES = {"s": 1.0}

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
    "function-in-a-tuple": ("lambda x: 2 * x", "lambda x: 3 * x"),
    "class-dict": ('SCALES = {"s": 1.0}', 'SCALES = {"s": 2.0}'),
    "module-dict": ('TABLE = {"gain": 1.0', 'TABLE = {"gain": 2.0'),
    "nested": ("(2, {3})", "(2, {4})"),
    "module-list": ('["sum", "mean"]', '["mean", "sum"]'),
    "module-set": ('SEEN = {"a", "b", "c"}', 'SEEN = {"a", "b"}'),
    "function-in-a-dict": ("x ** 1", "x ** 2"),
    "enclosed-constant": ("enclosing(1.0", "enclosing(2.0"),
    "enclosed-dict": ('1.0, {"gain": 1.0}', '1.0, {"gain": 2.0}'),
    "enclosed-function": ("lambda x: x + 0", "lambda x: x + 1"),
}
SAME = {
    "comment": ("GAIN = 1.0", "GAIN = 1.0  # of the logits"),
    "docstring": ("A bag of words.", "A bag."),
    "blank-line": ("def scaled", "\n\ndef scaled"),
    "order-of-a-dict": ('"gain": 1.0, "deep": [{"a": 1}, (2, {3})]', '"deep": [{"a": 1}, (2, {3})], "gain": 1.0'),
    "order-of-a-set": ('SEEN = {"a", "b", "c"}', 'SEEN = {"c", "b", "a"}'),
    "tensor-in-a-dict": ("torch.zeros(2)", "torch.ones(2)"),
    "tensor-kept-by-a-method": ("CACHE = {}", "CACHE = {4: torch.ones(3)}"),
    "list-named-as-an-attribute": ("GAIN = 1.0", "GAIN = 1.0; rows = [1]"),
    "list-that-holds-itself": ("CYCLE = [1.0]", "CYCLE = [2.0]"),
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


HELPER = """
GAIN, RATES = 1.0, {"r": 1.0}

def halved(x):
    return x / 2

class Scale:
    def __call__(self, x):
        return x
"""
USES_HELPER = """
import helper_of_mine
from helper_of_mine import Scale
from symshift.models.base import Network

class Mine(Network):
    def forward(self, batch, rng):
        return Scale()(helper_of_mine.halved(batch)) * helper_of_mine.GAIN * helper_of_mine.RATES["r"]
"""
HELPER_CHANGES = {
    "function": ("x / 2", "x / 3"),
    "class": ("return x\n", "return -x\n"),
    "constant": ("GAIN, RATES = 1.0", "GAIN, RATES = 2.0"),
    "dict": ('"r": 1.0', '"r": 2.0'),
}


@pytest.fixture
def fingerprint_of_files(monkeypatch, tmp_path):
    """Write a network's file and its helper's, and return the fingerprint of the network imported from them."""

    def write_and_import(helper: str, folder: str = ".", helper_folder: str = ".") -> str:
        paths = {"mine": tmp_path / folder, "helper_of_mine": tmp_path / folder / helper_folder}
        for (name, path), source in zip(paths.items(), (USES_HELPER, helper), strict=True):
            path.mkdir(parents=True, exist_ok=True)
            (path / f"{name}.py").write_text(source)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "dont_write_bytecode", True)
            for path in paths.values():
                patch.syspath_prepend(path)
            try:
                return code_fingerprint(importlib.import_module("mine").Mine)
            finally:
                for name in paths:
                    sys.modules.pop(name, None)

    return write_and_import


def test_fingerprint_changes_with_a_helper_file(fingerprint_of_files):
    """Functions, classes and constants of a file in the network's folder count, wherever the folder lies."""
    before = fingerprint_of_files(HELPER)
    assert fingerprint_of_files(HELPER, folder="elsewhere") == before
    for old, new in HELPER_CHANGES.values():
        assert old in HELPER
        assert fingerprint_of_files(HELPER.replace(old, new)) != before, new


@pytest.mark.parametrize("folder", ["site-packages", "below"])
def test_fingerprint_is_without_files_of_other_folders(folder, fingerprint_of_files):
    before = fingerprint_of_files(HELPER, helper_folder=folder)
    assert fingerprint_of_files(HELPER.replace("x / 2", "x / 3"), helper_folder=folder) == before


def test_fingerprint_of_large_containers_ends(mine):
    """A list of many entries, of many levels, or of one list many times over is left out."""
    for large in ("list(range(10**6))", "functools.reduce(lambda x, _: [x, x], range(60), [1])"):
        source = "import functools\n" + NETWORK.replace('["sum", "mean"]', large)
        assert code_fingerprint(mine(source)) == code_fingerprint(mine(source.replace(large, "[]")))


@dataclass(frozen=True)
class Plain:
    """A class that names no container; a dataclass has methods that enclose values of its own."""

    dim: int = 3

    def forward(self):
        return self.dim


def test_fingerprint_of_plain_code_is_as_it_was():
    """What names no container and encloses no constant has the texts that runs of earlier revisions count."""
    methods = ("Plain.__setattr__ ", "Plain.forward ")
    parts = [text for text, _ in _parts(Plain, OwnCode("tests", None)) if any(name in text for name in methods)]
    assert len(parts) == 2
    assert all(text.endswith(" [] ['None']") for text in parts), parts


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
