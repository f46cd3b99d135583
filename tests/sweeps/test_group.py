"""A group of a sweep as it comes to a process of its own."""

import pickle
import subprocess
import sys

from symshift.config import configure
from symshift.paths import ROOT
from symshift.sweeps.group import Group

NETWORK = """
from symshift import register
from tests.helpers.registered import Bag

@register("own")
class Own(Bag):
    pass
"""
SEND = """
import pickle, sys
from symshift import configure
from symshift.sweeps.group import Group
sys.stdout.buffer.write(pickle.dumps(Group(configure({"model": "own-small"}), (0, 1), "dim 3")))
"""
RECEIVE = "import pickle, sys; print(pickle.load(sys.stdin.buffer).config.network)"


def test_a_group_is_the_same_after_its_way():
    group = Group(configure({"model": "gstpr-sm", "task": 3, "dropout": 0.1}), (0, 2), "dropout 0.1")
    assert pickle.loads(pickle.dumps(group)) == group


def test_a_process_finds_the_own_network_of_a_group(tmp_path, monkeypatch):
    """It has not run the file of SYMSHIFT_NETWORKS when the group comes."""
    (tmp_path / "own_network_of_a_sweep.py").write_text(NETWORK)
    (tmp_path / "own-small.yaml").write_text("base: mn\nmodel: own-small\nnetwork: own\ndim: 4\n")
    monkeypatch.setenv("SYMSHIFT_NETWORKS", str(tmp_path / "own_network_of_a_sweep.py"))
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    sent = subprocess.run([sys.executable, "-c", SEND], cwd=ROOT, capture_output=True, check=True).stdout
    received = subprocess.run([sys.executable, "-c", RECEIVE], cwd=ROOT, input=sent, capture_output=True, check=True)
    assert received.stdout == b"own\n"
