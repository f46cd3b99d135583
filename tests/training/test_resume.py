"""A killed training goes on where it was, and ends with the same bits."""

import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from symshift.errors import InputError
from symshift.paths import remove
from symshift.runs.store import Store
from symshift.training import checkpoint, loop
from symshift.training.device import translate_memory_errors
from tests.helpers.checkpointed_training import SEEDS, train

ROOT = Path(__file__).parents[2]


def kill(outputs, update):
    """Start the training, and kill it once it has kept a checkpoint of this update or a later one."""
    process = subprocess.Popen([sys.executable, "-m", "tests.helpers.checkpointed_training", str(outputs)], cwd=ROOT)
    while process.poll() is None:
        for file in (outputs / "checkpoints").glob("[!.]*"):
            with suppress(InputError):  # replaced while it is read
                if checkpoint.load(file)[1]["update"] >= update:
                    process.kill()
        time.sleep(0.02)
    assert process.returncode == -signal.SIGKILL, f"it had ended before update {update}"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The runs of the training when nothing happens to it, and where they are."""
    outputs = tmp_path_factory.mktemp("whole")
    return train(str(outputs)), outputs


def test_killed_training_ends_with_the_same_bits(tmp_path, undisturbed):
    moment = random.randrange(1, 50)
    kill(tmp_path / "killed", moment)
    runs, (expected, outputs) = train(str(tmp_path / "killed")), undisturbed
    killed, whole = Store(tmp_path / "killed"), Store(outputs)
    assert runs == expected
    assert len(set(runs)) == len(SEEDS)
    for run in runs:
        assert (killed.path(run) / "curve.csv").read_bytes() == (whole.path(run) / "curve.csv").read_bytes(), moment
        weights, others = killed.weights(run)[0], whole.weights(run)[0]
        assert weights.keys() == others.keys()
        assert all(torch.equal(weights[name], others[name]) for name in weights), moment
        assert killed.record(run)["chosen"] == whole.record(run)["chosen"]
        assert killed.record(run)["error"] == whole.record(run)["error"]
    assert list((tmp_path / "killed" / "checkpoints").iterdir()) == []


def test_resume_leaves_a_run_that_is_finished_by_now(tmp_path):
    """One of the killed models may have been trained alone meanwhile: its record stays, and the others go on."""
    kill(tmp_path, 5)
    (alone,) = train(str(tmp_path), SEEDS[1:2])
    record = (Store(tmp_path).path(alone) / "run.json").read_bytes()
    assert alone in train(str(tmp_path))
    assert (Store(tmp_path).path(alone) / "run.json").read_bytes() == record


def test_checkpoint_has_every_digit(tmp_path):
    tensors = {"x": torch.randn(3, 5, generator=torch.Generator().manual_seed(0))[:, 1:]}
    state = {"best": [0.1 + 0.2, float("inf"), 7], "curve": [{"loss": 1 / 3}]}
    checkpoint.save(tmp_path / "here", tensors, state)
    kept, same = checkpoint.load(tmp_path / "here")
    assert torch.equal(kept["x"], tensors["x"])
    assert same == state


def test_damaged_checkpoint_is_one_line(tmp_path):
    (tmp_path / "here").write_bytes(b"not a checkpoint")
    with pytest.raises(
        InputError, match=r"here is no checkpoint that this version can resume; remove it to train from the start$"
    ):
        checkpoint.load(tmp_path / "here")


def test_resume_without_memory_is_no_fault_of_the_checkpoint(tmp_path):
    with (
        pytest.raises(InputError, match=r"^mn task 1 needs more memory than there is"),
        translate_memory_errors("mn task 1"),
        checkpoint.translate_checkpoint_errors(tmp_path / "here"),
    ):
        torch.empty(2**50)


@pytest.mark.parametrize("state", [{}, {"update": 3}])
def test_checkpoint_of_other_values_is_one_line(state, tmp_path):
    checkpoint.save(tmp_path / "here", {"x": torch.zeros(1)}, state)
    with pytest.raises(
        InputError, match=r"here is no checkpoint that this version can resume; remove it to train from the start$"
    ):
        checkpoint.load(tmp_path / "here", ["update", "members"])


def test_remove_removes_drafts(tmp_path):
    """A draft that a kill left goes with its checkpoint."""
    here, other = tmp_path / "here", tmp_path / "other"
    for path in (here, other):
        path.with_name(f".{path.name}.0123456789ab").touch()
        checkpoint.save(path, {"x": torch.zeros(1)}, {})
    remove(here)
    assert {path.name for path in tmp_path.iterdir()} == {"other", ".other.0123456789ab"}
    remove(here)


def test_changed_checkpoint_is_seen_by_its_checksum(tmp_path):
    here = tmp_path / "here"
    checkpoint.save(here, {"x": torch.zeros(100)}, {"update": 3})
    content = bytearray(here.read_bytes())
    content[-1] ^= 1
    here.write_bytes(content)
    with pytest.raises(InputError, match=r"here is no checkpoint that this version can resume"):
        checkpoint.load(here)


def test_finished_training_leaves_no_checkpoint_of_a_kill(tmp_path, undisturbed):
    """A kill between the last record and the removal of the checkpoint leaves it."""
    runs, outputs = undisturbed
    shutil.copytree(outputs, tmp_path, dirs_exist_ok=True)
    file = checkpoint.checkpoint_file(tmp_path, runs)
    checkpoint.save(file, {"x": torch.zeros(1)}, {})
    assert train(str(tmp_path)) == runs
    assert not file.exists()


def test_training_goes_on_where_no_checkpoint_can_be_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(loop, "SECONDS_BETWEEN_CHECKPOINTS", 0)
    (tmp_path / "checkpoints").write_text("")
    runs = train(str(tmp_path), updates=10)
    assert all(Store(tmp_path).has(run) for run in runs)
    assert "cannot be written (" in capsys.readouterr().out
