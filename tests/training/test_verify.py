"""`verify` finds every kind of damage to a finished run."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import symshift
from symshift.cli import main
from symshift.data import World, combinations, generate, load, splits, write
from symshift.data.babi.generator import TASKS, task
from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs import tensor_file
from symshift.runs.record import _check_config, id_fault
from symshift.runs.store import Store
from symshift.training.combination_splits import load_split
from symshift.training.data import Data
from symshift.training.verify import verify
from tests.helpers.registered import Bag, registry_restored
from tests.helpers.small import config

GOOD = ["record", "id", "curve", "weights", "stories", "test error"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """The folder of a small run on stories of a task's own."""
    outputs = tmp_path_factory.mktemp("finished")
    quick = config("mn", examples=50, source="generated", updates=4, evaluate_every=2, batch=4, restart_at=0)
    symshift.train(quick, [0], str(outputs), "cpu")
    return outputs


@pytest.fixture
def store(finished, tmp_path) -> Store:
    """A copy of it, to be damaged."""
    shutil.copytree(finished, tmp_path / "outputs")
    return Store(tmp_path / "outputs")


def change_record(store: Store, run: str, change: Callable[[dict], object]) -> None:
    path = store.path(run) / "run.json"
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def flip(store: Store, run: str, file: str) -> None:
    path = store.path(run) / file
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)


def other_weights(store: Store, run: str) -> None:
    """Write weights that nobody trained, with their right checksum."""
    weights, words = store.weights(run)
    content = tensor_file.dump({name: value * 0 + 0.1 for name, value in weights.items()}, words)
    (store.path(run) / "weights.safetensors").write_bytes(content)
    change_record(store, run, lambda record: record["sha256"].update(weights=tensor_file.sha256(content)))


DAMAGE = {
    "curve": (lambda store, run: flip(store, run, "curve.csv"), "curve", "its checksum is another"),
    "weights": (lambda store, run: flip(store, run, "weights.safetensors"), "weights", "its checksum is another"),
    "record": (lambda store, run: (store.path(run) / "run.json").write_text("{"), "record", "is not as training"),
    "setting": (
        lambda store, run: change_record(store, run, lambda record: record["config"].update(batch=5)),
        "id",
        "one of them was changed",
    ),
    "seed": (lambda store, run: change_record(store, run, lambda record: record.update(seed=3)), "id", "was changed"),
    "error": (
        lambda store, run: change_record(store, run, lambda record: record["error"].update(test=0.0)),
        "test error",
        "0.00 % in the record",
    ),
    "other-weights": (other_weights, "test error", "in the record"),
    "chosen-update": (
        lambda store, run: change_record(store, run, lambda record: record["chosen"].update(update=3)),
        "curve",
        "has no validation at the chosen update 3",
    ),
    "stories": (
        lambda store, run: change_record(store, run, lambda record: record["provenance"].update(data="0" * 64)),
        "stories",
        "have another checksum",
    ),
}


def test_verify_finds_nothing_wrong_with_a_run(store, capsys):
    (run,) = store.own_ids()
    findings = verify(run, store.outputs)
    assert [(finding.name, finding.good) for finding in findings] == [(name, True) for name in GOOD], findings
    assert main(["verify", run, "--outputs", str(store.outputs)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{run} record: ok, complete, and every entry is possible"


@pytest.mark.parametrize(("damage", "where", "fault"), DAMAGE.values(), ids=DAMAGE)
def test_verify_finds_damage(damage, where, fault, store):
    (run,) = store.own_ids()
    damage(store, run)
    findings = {finding.name: finding for finding in verify(run, store.outputs)}
    assert findings[where].good is False
    assert fault in findings[where].text
    assert "\n" not in findings[where].text


def test_verify_of_stories_named_as_their_source(tmp_path):
    """Questions of any file have the source `file`, which a person may call a file too."""
    questions = [replace(question, source="file") for question in load(1, 50, source="generated")]
    own = Data(questions, questions, name="file")
    quick = config("mn", updates=2, evaluate_every=2, batch=4, restart_at=0)
    (run,) = symshift.train(quick, [0], str(tmp_path), "cpu", own)
    assert all(finding.good for finding in verify(run, tmp_path, own))


def test_verify_says_what_it_cannot_check(store, capsys):
    """Weights that are not here, and stories that lie in a file, are not wrong."""
    (run,) = store.own_ids()
    (store.path(run) / "weights.safetensors").unlink()
    change_record(store, run, lambda record: record["provenance"].update(stories="mine"))
    assert {finding.name: finding.good for finding in verify(run, store.outputs)} == {
        "record": True, "id": False, "curve": True, "weights": None, "stories": None, "test error": None,
    }  # fmt: skip
    assert main(["verify", run, "--outputs", str(store.outputs)]) == 1
    assert "weights: not checked, not here, only the record" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (False, "model 'mine' is unknown here; install or run what registers it, name its file in SYMSHIFT_NETWORKS"),
        (True, "network 'bag' of model 'mine' is unknown here; install or run what registers it"),
    ],
    ids=["no-preset", "no-network"],
)
def test_verify_cannot_check_a_model_unknown_here(file, reason, tmp_path, monkeypatch):
    """A package that is missing leaves the weights neither right nor wrong; the stories of a task need no model."""
    outputs = tmp_path / "outputs"
    (tmp_path / "mine.yaml").write_text("base: mn\nmodel: mine\nnetwork: bag\ndim: 4\n")
    with registry_restored(), monkeypatch.context() as here:
        symshift.register("bag")(Bag)
        here.setenv("SYMSHIFT_PARAMS", str(tmp_path))
        mine = symshift.configure({"model": "mine", "examples": 50, "source": "generated", "updates": 2})
        (run,) = symshift.train(mine, [0], str(outputs), "cpu")
    _check_config.cache_clear()  # as in another process
    if file:
        monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    findings = {finding.name: finding for finding in verify(run, outputs)}
    assert {name: finding.good for name, finding in findings.items()} == dict.fromkeys(GOOD, True) | {
        "weights": None, "test error": None,
    }  # fmt: skip
    assert findings["weights"].text.startswith(reason)
    assert findings["test error"].text == f"not computed again; weights: {findings['weights'].text}"


def test_verify_says_that_a_task_is_unknown_here(tmp_path):
    @task(77, World(), people=2)
    def taller(builder, world, rng):
        tall, small = rng.sample(world.people, 2)
        builder.ask("Who is tall?", tall, builder.say(f"{tall} is taller than {small}."))

    quick = config("mn", task=77, examples=50, source="generated", updates=2, evaluate_every=2, batch=4, restart_at=0)
    (run,) = symshift.train(quick, [0], str(tmp_path), "cpu")
    del TASKS[77]
    *_, stories, error = verify(run, tmp_path)
    assert stories == ("stories", None, "task 77 is unknown here; name the file that registers it in SYMSHIFT_TASKS")
    assert (error.good, error.text) == (None, f"not computed again; stories: {stories.text}")


def test_verify_takes_stories_of_ones_own(tmp_path):
    stories = Data(load(1, 50, source="generated"), load(1, 10, "test", "generated")[:20], name="mine")
    quick = config("mn", updates=2, evaluate_every=2, batch=4, restart_at=0)
    (run,) = symshift.train(quick, [0], str(tmp_path), "cpu", stories)
    assert verify(run, tmp_path)[-1].good is None
    assert [finding.good for finding in verify(run, tmp_path, stories)] == [True] * len(GOOD)


@pytest.mark.parametrize("split", ["room-answer", "sys-babi"])
def test_verify_makes_the_stories_of_a_split_again(split, tmp_path, monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 40)
    monkeypatch.setattr(splits, "TEST_QUESTIONS", 40)
    quick = config("mn", updates=2, evaluate_every=2, batch=4, restart_at=0)
    (run,) = symshift.train(quick, [0], str(tmp_path), "cpu", load_split(split, 20, "generated"))
    assert [finding.good for finding in verify(run, tmp_path)] == [True] * len(GOOD)


@pytest.mark.parametrize(
    "files",
    [("own.csv",), ("train.csv", "test.csv"), ("train.csv", "valid.csv", "test.csv")],
    ids=["file", "folder", "folder-with-valid"],
)
def test_command_verifies_a_run_on_a_file_or_folder(files, tmp_path, capsys):
    own = tmp_path / "own"
    for number, name in enumerate(files):
        write(generate(1, 40, f"seed {number}"), own / name)
    stories = own / "own.csv" if files == ("own.csv",) else own
    quick = ["updates=2", "evaluate_every=2", "batch=4", "--device", "cpu", "--outputs", str(tmp_path)]
    assert main(["train", "mn", "--stories", str(stories), *quick]) == 0
    (run,) = Store(tmp_path).own_ids()
    capsys.readouterr()
    assert main(["verify", run, "--stories", str(stories), "--outputs", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count(": ok, ") == len(GOOD)


def test_verify_of_an_unknown_run_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"^run 'abc123abc123' is not among the finished runs"):
        verify("abc123abc123", tmp_path)


def test_verify_of_published_runs_with_weights():
    """A run that the repository carries; its stories may not be here."""
    store = Store(ROOT / "outputs")
    with_weights = [run for run in store.published_ids() if store.published.weights_path(run).exists()]
    run = next(run for run in with_weights if store.record(run)["config"]["model"] == "mn")
    findings = verify(run, store.outputs)
    assert [finding for finding in findings if finding.good is False] == []
    assert findings[3].good


def test_ids_of_all_published_runs_are_those_of_their_records():
    store = Store(ROOT / "outputs")
    for run in store.published_ids():
        assert id_fault(run, store.record(run)) == ""
