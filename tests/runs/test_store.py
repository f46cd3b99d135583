"""The store of runs: a record exists if and only if its run is finished."""

import pandas as pd
import pytest
import torch

from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.store import Store

CURVE = pd.DataFrame({"update": [5, 10], "loss": [0.1 + 0.2, 1 / 3]})
WEIGHTS = {"a": torch.arange(6.0).view(2, 3), "b": torch.tensor(0.5)}
WORDS = {"vocabulary": "{}", "sentences": "70"}


def record(**values):
    return {
        "config": {"model": "tpr", "task": 1},
        "seed": 0,
        "error": {"train": 0.0, "valid": 1.0, "test": 2.5},
        "chosen": {"update": 5, "rule": "the best"},
        "seconds": 1.0,
        "updates_per_second": 10.0,
        "restarts": 0,
        "provenance": {"stories": "generated", "data": ""},
        **values,
    }


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_store_reads_what_it_writes(store):
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    weights, words = store.weights("abc123")
    assert store.has("abc123") and store.record("abc123") == record()
    assert store.curve("abc123").equals(CURVE)
    assert words == WORDS and all(torch.equal(weights[name], WEIGHTS[name]) for name in WEIGHTS)


def test_crash_before_the_record_is_no_run(store):
    """A crash before the record leaves no finished run."""
    (store.path("abc123") / "curve.csv").mkdir(parents=True)  # where no file can be put: the writing fails half way
    with pytest.raises(IsADirectoryError):
        store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    assert (store.path("abc123") / "weights.safetensors").exists()
    assert not store.has("abc123") and store.runs().empty
    with pytest.raises(InputError, match="is not among the finished runs"):
        store.record("abc123")


def test_attempts_count_until_the_run_finishes(store):
    """Failed attempts are counted until the run is finished."""
    assert store.attempts("abc123") == 0
    store.fail("abc123", {"attempts": 2, "reason": "weights are not finite"})
    assert store.attempts("abc123") == 2 and not store.has("abc123")
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    assert store.attempts("abc123") == 0 and store.has("abc123")


def test_runs_has_one_row_per_record(store):
    for run, seed in [("bbb", 1), ("aaa", 0)]:
        store.write(run, record(seed=seed, facts={"f1": 50.0}), CURVE, WEIGHTS, WORDS)
    store.fail("ccc", {"attempts": 1})
    runs = store.runs()
    assert runs["id"].tolist() == ["aaa", "bbb"] and runs["seed"].tolist() == [0, 1]
    assert runs.loc[0, ["model", "task", "error_test", "facts_f1", "chosen_update", "stories"]].tolist() == [
        "tpr", 1, 2.5, 50.0, 5, "generated",
    ]  # fmt: skip


def test_runs_of_an_empty_store(store):
    assert store.runs().empty and {"id", "model", "task", "seed"} <= set(store.runs().columns)


def test_record_suggests_a_near_id(store):
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    with pytest.raises(InputError, match=r"^run 'abc124' is not among .*; did you mean 'abc123'\?$"):
        store.record("abc124")


def test_run_without_weights(store):
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123") / "weights.safetensors").unlink()
    assert store.record("abc123") == record()
    with pytest.raises(InputError, match=r"^run abc123 has no weights here, only its record; .* and train it again$"):
        store.weights("abc123")


def test_damaged_record_names_the_line(store):
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123") / "run.json").write_text('{\n "config": ')
    with pytest.raises(InputError, match=r"^run abc123: run.json, line 2 is not as training wrote it; .*$"):
        store.record("abc123")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", b"[]"),
        ("run.json", b"{}"),
        ("run.json", b"\xff"),
        ("curve.csv", b""),
        ("curve.csv", b"\xff\xfe"),
        ("curve.csv", b"hello\nworld,3\n"),
        ("weights.safetensors", b""),
        ("weights.safetensors", b"\x00" * 40),
    ],
)
def test_damaged_file_is_one_line(store, name, content):
    store.write("abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123") / name).write_bytes(content)
    read = {"run.json": store.record, "curve.csv": store.curve, "weights.safetensors": store.weights}[name]
    with pytest.raises(InputError, match=rf"^run abc123: {name} is not as training wrote it; remove the run .*$"):
        read("abc123")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"attempts": "a"}'])
def test_damaged_attempts_are_one_line(store, content):
    store.fail("abc123", {"attempts": 1})
    (store.path("abc123") / "error.json").write_text(content)
    with pytest.raises(InputError, match=r"^run abc123: error.json.* is not as training wrote it"):
        store.attempts("abc123")


def test_prepare_refuses_a_file(tmp_path):
    """A place where no run can be kept is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^outputs '.*file': runs cannot be kept there \(.*\)$"):
        Store(tmp_path / "file").prepare()


def test_outputs_from_variable_or_argument(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path / "variable"))
    assert Store().outputs == tmp_path / "variable"
    assert Store(tmp_path / "argument").outputs == tmp_path / "argument"
    monkeypatch.delenv("SYMSHIFT_OUTPUTS")
    assert Store().outputs == ROOT / "outputs"
