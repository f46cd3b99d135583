"""The store of runs: a record exists if and only if its run is finished."""

import json
import re
import tempfile
from pathlib import Path

import pytest
import safetensors.torch
import torch

from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.store import Store
from tests.helpers.finished_run import CURVE, WEIGHTS, WORDS, record


def without_sums(record):
    """Return a record without the checksums that the store adds."""
    return {name: value for name, value in record.items() if name != "sha256"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_store_reads_what_it_writes(store):
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    weights, words = store.weights("abc123abc123")
    assert store.has("abc123abc123")
    assert without_sums(store.record("abc123abc123")) == record()
    assert store.curve("abc123abc123").equals(CURVE)
    assert words == WORDS
    assert all(torch.equal(weights[name], WEIGHTS[name]) for name in WEIGHTS)


def test_crash_before_the_record_is_no_run(store):
    """A crash before the record leaves no finished run."""
    (store.path("abc123abc123") / "curve.csv").mkdir(
        parents=True
    )  # where no file can be put: the writing fails half way
    with pytest.raises(InputError, match=r"^run abc123abc123 is trained, but .* cannot be written \(Is a directory\)"):
        store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    assert (store.path("abc123abc123") / "weights.safetensors").exists()
    assert not store.has("abc123abc123")
    assert store.runs().empty
    with pytest.raises(InputError, match="is not among the finished runs"):
        store.record("abc123abc123")


def test_attempts_count_until_the_run_finishes(store):
    """Failed attempts are counted until the run is finished."""
    assert store.attempts("abc123abc123") == 0
    store.fail("abc123abc123", {"attempts": 2, "reason": "weights are not finite"})
    assert store.attempts("abc123abc123") == 2
    assert not store.has("abc123abc123")
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    assert store.attempts("abc123abc123") == 0
    assert store.has("abc123abc123")


def test_runs_has_one_row_per_record(store):
    for run, seed in [("bbbbbbbbbbbb", 1), ("aaaaaaaaaaaa", 0)]:
        store.write(run, record(seed=seed, facts={"f1": 50.0}), CURVE, WEIGHTS, WORDS)
    store.fail("cccccccccccc", {"attempts": 1})
    runs = store.runs()
    assert runs["id"].tolist() == ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]
    assert runs["seed"].tolist() == [0, 1]
    assert runs.loc[0, ["model", "task", "error_test", "facts_f1", "chosen_update", "stories"]].tolist() == [
        "tpr", 1, 2.5, 50.0, 5, "generated",
    ]  # fmt: skip


def test_runs_of_an_empty_store(store):
    assert store.runs().empty
    assert {"id", "model", "task", "seed"} <= set(store.runs().columns)


def test_record_suggests_a_near_id(store):
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    with pytest.raises(InputError, match=r"^run 'abc124abc124' is not among .*; did you mean 'abc123abc123'\?$"):
        store.record("abc124abc124")


def test_run_without_weights(store):
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123abc123") / "weights.safetensors").unlink()
    assert without_sums(store.record("abc123abc123")) == record()
    with pytest.raises(
        InputError, match=r"^run abc123abc123 has no weights here, only its record; .* and train it again$"
    ):
        store.weights("abc123abc123")


def test_damaged_record_names_the_line(store):
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123abc123") / "run.json").write_text('{\n "config": ')
    with pytest.raises(InputError, match=r"^run abc123abc123: run.json, line 2 is not as training wrote it; .*$"):
        store.record("abc123abc123")


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
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    (store.path("abc123abc123") / name).write_bytes(content)
    read = {"run.json": store.record, "curve.csv": store.curve, "weights.safetensors": store.weights}[name]
    with pytest.raises(
        InputError, match=rf"^run abc123abc123: {name} is not as training wrote it.*; remove the run .*$"
    ):
        read("abc123abc123")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"attempts": "a"}'])
def test_damaged_attempts_are_one_line(store, content):
    store.fail("abc123abc123", {"attempts": 1})
    (store.path("abc123abc123") / "error.json").write_text(content)
    with pytest.raises(InputError, match=r"^run abc123abc123: error.json.* is not as training wrote it"):
        store.attempts("abc123abc123")


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


WRONG = {
    "text-for-an-error": {"error": {"test": "abc"}},
    "error-not-finite": {"error": {"test": float("nan")}},
    "negative-error": {"error": {"test": -50.0}},
    "error-above-100": {"error": {"test": 101.0}},
    "bool-for-an-error": {"error": {"test": True}},
    "no-test-error": {"error": {}},
    "text-for-a-seed": {"seed": "x"},
    "mapping-for-a-setting": {"config": {"model": "tpr", "patience": {}}},
    "text-for-a-task": {"config": {"model": "tpr", "task": "one"}},
    "no-model": {"config": {}},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_wrong_record_hurts_only_itself(store, capsys, wrong):
    """It is named in one line and left out of the table, and its run is not finished."""
    store.write("aaaaaaaaaaaa", record(), CURVE, WEIGHTS, WORDS)
    store.write("bbbbbbbbbbbb", record(**wrong), CURVE, WEIGHTS, WORDS)
    assert store.runs().id.tolist() == ["aaaaaaaaaaaa"]
    assert not store.has("bbbbbbbbbbbb")
    with pytest.raises(InputError, match=r"^run bbbbbbbbbbbb: run.json is not as training wrote it"):
        store.record("bbbbbbbbbbbb")


def test_damaged_record_is_named_once(tmp_path, capsys):
    store = Store(tmp_path)
    store.write("0123456789ab", record(), CURVE, WEIGHTS, WORDS)
    (store.path("0123456789ab") / "run.json").write_text("[" * 100_000)
    assert store.runs().empty
    assert store.runs().empty
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("left out: run 0123456789ab: run.json")


@pytest.mark.parametrize(
    "later", [{"colour": "blue"}, {"config": {"model": "tpr", "wings": 2}}], ids=["entry", "setting"]
)
def test_record_of_a_later_version_says_so(store, later):
    """Its run counts as finished, so that it is not trained again."""
    store.write("abc123abc123", record(**later), CURVE, WEIGHTS, WORDS)
    with pytest.raises(InputError, match="which a later version wrote; get this version"):
        store.record("abc123abc123")
    assert store.has("abc123abc123")
    assert store.runs().empty


@pytest.mark.parametrize("run", ["../runs/abc123abc123", "/tmp", None, 3, ["a"], "a" * 5000, "ABC123ABC123"])
def test_path_refuses_what_is_no_id(store, run):
    with pytest.raises(InputError, match=r"^run .* is no id; an id is 12 hex digits") as caught:
        store.path(run)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("name", ["curve.csv", "weights.safetensors"])
def test_changed_file_is_seen_by_its_checksum(store, name):
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    path = store.path("abc123abc123") / name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"^run abc123abc123: {name} is not as training wrote it \(its checksum"):
        (store.curve if name == "curve.csv" else store.weights)("abc123abc123")


@pytest.mark.parametrize("wrong", [torch.tensor(float("nan")), torch.tensor(1), torch.tensor(1j)])
def test_weights_are_finite_floats(store, wrong):
    store.write("abc123abc123", record(), CURVE, WEIGHTS | {"b": wrong}, WORDS)
    with pytest.raises(
        InputError, match=r"weights.safetensors is not as training wrote it \(b is not finite numbers\)"
    ):
        store.weights("abc123abc123")


def test_equal_runs_have_equal_files(tmp_path):
    for number in range(8):
        Store(tmp_path / str(number)).write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    for name in ("run.json", "curve.csv", "weights.safetensors"):
        assert len({path.read_bytes() for path in tmp_path.glob(f"*/runs/*/{name}")}) == 1


def test_weights_of_an_older_file_load(store):
    """Its metadata had an entry for each value, and its record no checksums."""
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    folder = store.path("abc123abc123")
    (folder / "weights.safetensors").write_bytes(safetensors.torch.save(WEIGHTS, metadata=WORDS))
    (folder / "run.json").write_text(json.dumps(record()))
    weights, words = store.weights("abc123abc123")
    assert words == WORDS
    assert torch.equal(weights["a"], WEIGHTS["a"])


def test_write_leaves_no_draft_of_a_killed_write(store):
    folder = store.path("abc123abc123")
    folder.mkdir(parents=True)
    (folder / ".run.json.0123456789ab").touch()
    store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    assert {path.name for path in folder.iterdir()} == {"run.json", "curve.csv", "weights.safetensors"}


def test_record_that_finds_no_room_is_kept_elsewhere(store, tmp_path, monkeypatch):
    """Its folder is moved to runs/ by hand, and the run is finished."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store.path("abc123abc123").parent.mkdir()
    store.path("abc123abc123").write_text("a file stands in its way")
    with pytest.raises(
        InputError, match=r"cannot be written .*; its files are in .*; make room, move this fold"
    ) as caught:
        store.write("abc123abc123", record(), CURVE, WEIGHTS, WORDS)
    folder = Path(re.search("files are in (.*) for now", str(caught.value))[1])
    store.path("abc123abc123").unlink()
    folder.rename(store.path("abc123abc123"))
    assert store.has("abc123abc123")
    assert store.curve("abc123abc123").equals(CURVE)


def test_failed_attempt_that_cannot_be_noted_is_one_line(store):
    store.path("abc123abc123").parent.mkdir()
    store.path("abc123abc123").write_text("")
    with pytest.raises(InputError, match=r"^run abc123abc123 has to start from another seed, but .* cannot be written"):
        store.fail("abc123abc123", {"attempts": 1})
