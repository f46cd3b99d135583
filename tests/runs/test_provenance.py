"""Where a number comes from, also on a machine without git."""

import subprocess

import pytest
import torch

from symshift.paths import ROOT
from symshift.runs import provenance


@pytest.fixture(autouse=True)
def _forget_the_revision():
    provenance._revision.cache_clear()
    yield
    provenance._revision.cache_clear()


def test_revision_is_that_of_git():
    revision = provenance.provenance(torch.device("cpu"))["revision"]
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert revision == said.strip()


def test_a_machine_without_git_has_no_revision(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = provenance.provenance(torch.device("cpu"))
    assert (found["revision"], found["dirty"]) == ("", False)
    assert found["torch"] == torch.__version__
