"""Published runs are read as runs with a folder of their own."""

import json
import math

import pandas as pd
import pytest
import torch

from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.export import export
from symshift.runs.published import PublishedRuns, curves_bytes, flat_record, table_bytes
from symshift.runs.store import Store
from tests.helpers.finished_run import CURVE, WEIGHTS, WORDS, id_of_seed, record

RUN, OTHER = id_of_seed(0), id_of_seed(1)


def write(store, run=RUN, **values):
    store.write(run, record(**values), CURVE, WEIGHTS, WORDS)


@pytest.fixture
def own(tmp_path):
    """A store of two runs that have folders of their own."""
    store = Store(tmp_path / "own")
    write(store)
    write(store, OTHER, seed=1, facts={"f1": 50.0})
    return store


@pytest.fixture
def published(own, tmp_path):
    """A store that has the same runs published."""
    store = Store(tmp_path / "published")
    export(own, store, weights=True)
    return store


def read_back(tmp_path, values):
    path = tmp_path / "runs.csv"
    path.write_bytes(table_bytes({RUN: flat_record(values)}))
    return PublishedRuns(tmp_path).record(RUN)


VALUES = {
    "true": True, "one": 1, "one-float": 1.0, "digits": 0.1 + 0.2, "tiny": 5e-324, "infinite": math.inf, "null": None,
    "text": "a word", "empty-text": "", "text-of-a-number": "1e5", "text-true": "true", "text-null": "null",
    "text-nan": "NaN", "quotes": '"a", b', "lines": "a\nb", "carriage": "a\r\nb", "space": " 1", "letters": "जॉन",
}  # fmt: skip


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_table_returns_values_of_their_type(value, tmp_path):
    values = record(chosen={"a.b": value, "c": 2})
    assert json.dumps(read_back(tmp_path, values)) == json.dumps(values)


@pytest.mark.parametrize("value", [[1], {"a": {"b": [1]}}, {}, {"": 1}], ids=["list", "nested", "empty", "no-name"])
def test_table_refuses_what_it_cannot_hold(value):
    with pytest.raises(InputError, match="has values that a table cannot hold"):
        flat_record({"config": value})


def test_table_puts_new_columns_beside_their_neighbours():
    rows = {"b": {"config.a": "1", "config.c": "2", "seed": "0"}, "a": {"config.a": "1", "config.b": "3", "seed": "1"}}
    assert table_bytes(rows).decode() == "id,config.a,config.b,config.c,seed\na,1,3,,1\nb,1,,2,0\n"
    before = ["config.c", "config.a", "old"]
    assert table_bytes(rows, before).decode().splitlines()[0] == "id,config.c,seed,config.a,config.b,old"


def test_curves_have_equal_bytes_and_refuse_other_columns():
    curves = {"b": b"update,loss\n5,0.1\n", "a": b"update,loss\n"}
    assert curves_bytes(curves) == curves_bytes(dict(reversed(curves.items())))
    with pytest.raises(InputError, match=r"^run c: its curve has other columns than id,update,loss$"):
        curves_bytes(curves | {"c": b"update\n"})


def test_published_runs_are_read_as_own_ones(own, published):
    assert published.own_ids() == []
    assert published.published_ids() == [RUN, OTHER]
    pd.testing.assert_frame_equal(published.runs(), own.runs())
    for run in (RUN, OTHER):
        assert published.has(run)
        assert published.has_weights(run)
        assert json.dumps(published.record(run)) == json.dumps(own.record(run))
        assert published.curve(run).equals(own.curve(run))
        assert published.weights(run)[1] == WORDS
        assert torch.equal(published.weights(run)[0]["a"], WEIGHTS["a"])
        assert published.record_path(run) == published.outputs / "published" / "runs.csv"


def test_own_run_stands_before_a_published_one(published):
    write(published, seed=7)
    (published.path(RUN) / "weights.safetensors").unlink()
    assert published.record(RUN)["seed"] == 7
    assert published.runs().seed.tolist() == [7, 1]
    assert not published.has_weights(RUN)
    assert published.record_path(RUN) == published.path(RUN) / "run.json"


def test_record_given_out_is_a_copy(published):
    published.record(RUN)["config"]["model"] = "other"
    assert published.record(RUN)["config"]["model"] == "tpr"


def test_published_run_without_weights_says_so(published):
    published.published.weights_path(RUN).unlink()
    assert published.has(RUN)
    assert not published.has_weights(RUN)
    with pytest.raises(InputError, match=rf"^run {RUN} has no weights here, .* name other outputs and train it"):
        published.weights(RUN)


def change(store, old, new):
    text = store.published.table.read_text()
    assert old in text
    store.published.table.write_text(text.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [(f"{RUN},tpr,", f"{RUN},,"), (f"{RUN},tpr,", f"{RUN},tpr,9,")])
def test_wrong_row_hurts_only_itself(old, new, published, capsys):
    assert published.has(RUN)
    change(published, old, new)
    assert published.runs().id.tolist() == [OTHER]
    assert not published.has(RUN)
    assert published.runs().id.tolist() == [OTHER]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"left out: run {RUN}: published/runs.csv is not as `symshift export` wrote it (has ")


def test_damaged_table_hurts_only_published_runs(published, capsys):
    write(published, "0123456789ab")
    published.published.table.write_bytes(b"\xff\xfe")
    assert published.runs().id.tolist() == ["0123456789ab"]
    assert not published.has(RUN)
    assert published.has("0123456789ab")
    assert capsys.readouterr().err.startswith("left out: published/runs.csv is not as `symshift export` wrote it")
    with pytest.raises(InputError, match=r"^published/runs.csv is not as .* take the file from git again$"):
        published.record(RUN)


def test_run_that_stands_twice_in_the_table_is_one_line(published):
    table = published.published.table
    table.write_text(table.read_text() + table.read_text().splitlines()[-1] + "\n")
    with pytest.raises(InputError, match=r"^published/runs.csv is not as .* \(has the run [0-9a-f]{12} twice\); take"):
        published.published_ids()


@pytest.mark.parametrize("name", ["curves.csv.gz", f"weights/{RUN}.safetensors"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe"], ids=["empty", "bytes"])
def test_damaged_published_file_is_one_line(name, content, published):
    read = published.curve if name == "curves.csv.gz" else published.weights
    read(RUN)
    (published.outputs / "published" / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"^run {RUN}: published/{name} is not as `symshift export` wrote it"):
        read(RUN)


def test_table_of_the_repository_is_as_export_writes_it():
    """Its rows are sorted, and its columns stand where export would put them."""
    store = Store(ROOT / "outputs")
    ids = store.published_ids()
    rows = {run: flat_record(store.published.record(run)) for run in ids}
    assert table_bytes(rows, store.published.columns()) == store.published.table.read_bytes()
    assert curves_bytes({run: store.published.curve(run) for run in ids}) == store.published.curves.read_bytes()
