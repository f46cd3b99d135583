"""Export adds finished runs to the published ones."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from symshift.errors import InputError
from symshift.runs import lock
from symshift.runs.export import export
from symshift.runs.store import Store
from tests.helpers.finished_run import CURVE, WEIGHTS, WORDS, id_of_seed, record

RUNS = [id_of_seed(seed) for seed in range(3)]


@pytest.fixture
def store(tmp_path):
    """A store of two finished runs and a failed one."""
    store = Store(tmp_path)
    for seed in (0, 2):
        store.write(RUNS[seed], record(seed=seed), CURVE, WEIGHTS, WORDS)
    store.fail(RUNS[1], {"attempts": 1})
    return store


def files(store):
    return {path.name: path.read_bytes() for path in (store.outputs / "published").rglob("*") if path.is_file()}


def test_export_adds_finished_runs_once(store):
    assert export(store, store) == [RUNS[0], RUNS[2]]
    before = files(store)
    assert before.keys() == {"runs.csv", "curves.csv.gz"}
    assert export(store, store) == []
    assert files(store) == before


def test_export_gives_equal_files_in_any_order(store, tmp_path):
    export(store, store, weights=True)
    one_by_one = Store(tmp_path / "other")
    for run in reversed(RUNS[::2]):
        part = Store(tmp_path / run)
        part.write(run, record(seed=RUNS.index(run)), CURVE, WEIGHTS, WORDS)
        assert export(part, one_by_one, weights=True) == [run]
    assert files(one_by_one) == files(store)


def test_exports_at_once_lose_no_run(tmp_path, monkeypatch):
    """Each writes the whole table again, so that the last one would leave out what another added meanwhile."""
    monkeypatch.setattr(lock, "SECONDS_BETWEEN_LOOKS", 0.01)
    target = Store(tmp_path / "target")
    seeds = range(6)
    parts = [Store(tmp_path / f"part{seed}") for seed in seeds]
    for seed, part in enumerate(parts):
        part.write(id_of_seed(seed), record(seed=seed), CURVE, WEIGHTS, WORDS)
    at_once = Barrier(len(parts))

    def export_part(part: Store) -> None:
        at_once.wait()
        export(part, target, weights=True)

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(export_part, parts))
    assert target.published_ids() == sorted(id_of_seed(seed) for seed in seeds)
    assert all(len(target.curve(run)) == len(CURVE) for run in target.published_ids())
    assert list((target.outputs / "locks").iterdir()) == []


def test_export_keeps_a_published_run(store):
    export(store, store)
    store.write(RUNS[0], record(seconds=9.0), CURVE, WEIGHTS, WORDS)
    assert export(store, store) == []
    assert store.published.record(RUNS[0])["seconds"] == 1.0


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_export_to_damaged_curves_is_one_line(damage, store):
    export(store, store)
    curves = store.published.curves
    content = curves.read_bytes()
    curves.write_bytes(content[:-20] if damage == "cut" else content[:20] + b"\xff" * 20 + content[40:])
    with pytest.raises(InputError, match=rf"^run {RUNS[0]}: published/ is not as .*; take the file from git again$"):
        export(store, store)


def test_export_of_weights_replaces_a_run_without_them(store):
    export(store, store)
    store.write(RUNS[0], record(seconds=9.0), CURVE, WEIGHTS, WORDS)
    (store.path(RUNS[2]) / "weights.safetensors").unlink()
    assert export(store, store, weights=True) == [RUNS[0]]
    assert store.published.record(RUNS[0])["seconds"] == 9.0
    assert store.published.weights_path(RUNS[0]).exists()
    assert not store.published.weights_path(RUNS[2]).exists()


def test_export_leaves_out_a_damaged_record(store, capsys):
    (store.path(RUNS[0]) / "run.json").write_text("{")
    assert export(store, store) == [RUNS[2]]
    assert capsys.readouterr().err.startswith(f"left out: run {RUNS[0]}: run.json")


def test_export_refuses_a_record_changed_by_hand(store):
    file = store.path(RUNS[0]) / "run.json"
    file.write_text(file.read_text().replace('"task": 1', '"task": 2'))
    says = "config, seed and stories of the record belong to run [0-9a-f]{12}; one of them was changed"
    with pytest.raises(InputError, match=rf"^run {RUNS[0]}: run.json: {says}; remove the run to train it again$"):
        export(store, store)
    assert files(store) == {}


def test_export_that_fails_changes_no_weights(store):
    """Weights beside the record of another run would be damaged to all readers, and be exported never again."""
    export(store, store)
    store.write(RUNS[0], record(seconds=9.0), CURVE, WEIGHTS, WORDS)
    store.write(RUNS[1], record(seed=1), CURVE.assign(more=1.0), WEIGHTS, WORDS)
    before = files(store)
    with pytest.raises(InputError, match="its curve has other columns"):
        export(store, store, weights=True)
    assert files(store) == before


@pytest.mark.parametrize("name", ["curve.csv", "weights.safetensors"])
def test_export_refuses_a_damaged_file(name, store):
    (store.path(RUNS[0]) / name).write_bytes(b"x")
    with pytest.raises(InputError, match=rf"^run {RUNS[0]}: {name} is not as training wrote it"):
        export(store, store, weights=True)
    assert "runs.csv" not in files(store)


def test_export_with_a_damaged_last_run_writes_nothing(store):
    (store.path(RUNS[2]) / "weights.safetensors").write_bytes(b"x")
    with pytest.raises(InputError, match=rf"^run {RUNS[2]}: weights"):
        export(store, store, weights=True)
    assert files(store) == {}


def test_export_refuses_a_store_without_runs(tmp_path):
    with pytest.raises(InputError, match=r"nowhere' has no finished run; name the folder that holds runs/$"):
        export(Store(tmp_path / "nowhere"), Store(tmp_path))


def test_export_refuses_damaged_published_files(store):
    export(store, store)
    store.published.curves.write_bytes(b"x")
    with pytest.raises(InputError, match=rf"^run {RUNS[0]}: published/ is not as .*; take the file from git again$"):
        export(store, store)


def test_export_leaves_runs_of_a_later_version(store):
    export(store, store)
    table = store.published.table
    header, *rows = table.read_text().splitlines()
    table.write_text("\n".join([f"{header},config.wings", *(f"{row},2" for row in rows)]) + "\n")
    before = files(store)
    with pytest.raises(
        InputError, match=rf"^run {RUNS[0]}: published/ has .*wings.* later version .*; get this version"
    ):
        export(store, store)
    assert files(store) == before
