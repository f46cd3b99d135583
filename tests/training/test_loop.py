"""What a run leaves, and what decided it: validation, never the test."""

import json
import math

import pytest
import torch

from symshift.config import configure, names
from symshift.data import Question, load
from symshift.data.encoding import Batch, Vocabulary, encode
from symshift.errors import InputError
from symshift.models import NETWORKS
from symshift.ops.rng import fold_in
from symshift.runs.reader import load as reader
from symshift.runs.store import Store
from symshift.training import train
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble
from symshift.training.loop import Training
from symshift.training.replica import ATTEMPT_OFFSET, Replica
from symshift.training.stopping import MAX_ATTEMPTS
from tests.helpers.small import config

# test questions are of twelve stories, after 2 to 10 sentences
STORIES = Data(load(1, 100, source="generated"), load(1, 100, "test", "generated", seed=1)[:100:9])
QUICK = {"updates": 20, "evaluate_every": 5, "batch": 8, "restart_at": 0}
SHORT = {"updates": 4, "evaluate_every": 2}


def go(outputs, preset="tpr-sm", seeds=(0,), stories=STORIES, **values):
    """The store of a small training, and the ids of its runs."""
    runs = train(config(preset, **(QUICK | values)), list(seeds), str(outputs), "cpu", stories)
    return Store(outputs), runs


def same(one, other):
    """Whether weights are the same to the bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module", params=NETWORKS)
def trained(request, tmp_path_factory):
    """A preset, a store and its run there."""
    store, (run,) = go(tmp_path_factory.mktemp("trained"), request.param, **SHORT)
    return request.param, store, run


def test_train_is_deterministic(trained, tmp_path):
    """The same seed has the same curve and weights."""
    preset, store, run = trained
    other, (again,) = go(tmp_path, preset, **SHORT)
    assert run == again
    assert len(store.curve(run)) == 2
    assert store.curve(run).equals(other.curve(run))
    assert same(store.weights(run)[0], other.weights(run)[0])


def test_reader_makes_the_errors_of_its_record(trained):
    """A loaded reader makes the errors of its record."""
    _, store, run = trained
    loaded = reader(run, store.outputs)
    wrong = sum(loaded.ask(asked.story, asked.question).word != asked.answer for asked in STORIES.test)
    assert store.record(run)["error"]["test"] == pytest.approx(100 * wrong / len(STORIES.test), abs=1e-3)


NOISES = ("dropout", "word_dropout", "answer_dropout", "weight_decay", "time_noise")
MEMORIES = (
    "mn-plain",
    "mn-inputs",
    "smn-plain",
    "smn-inputs",
    "tpr",
    "tpr-w",
    "stpr",
    "gstpr",
    "lstm",
    "qrn",
    "deltanet",
)
ENTITY_NETWORKS = ("entnet", "entnet-simple", "prehoc", "posthoc")
TRANSFORMERS = ("transformer", "ut", "ut-halting", "stransformer-nodrop")


@pytest.mark.parametrize("preset", [*MEMORIES, *ENTITY_NETWORKS, *TRANSFORMERS])
def test_step_overfits_32_stories(preset):
    """All but mn, whose linear start is no network, and lexinv, whose words have new vectors each update."""
    told = load(1, 160, source="generated", seed=1)[4::5]  # the last question of each story
    noiseless = {name: 0.0 for name in NOISES if name in names(preset)}
    own = configure({"model": preset, "learning_rate": 0.005, **noiseless})
    vocabulary = Vocabulary.of(told, own.sentences)
    questions = encode(told, vocabulary, own.sentences)
    (batch,) = questions.buckets
    ensemble = Ensemble.untrained(own, vocabulary, [0], "cpu")
    for update in range(400):
        ensemble.step(Batch(*(field[None] for field in batch)), fold_in([0], update), update)
        if update % 20 == 19:
            wrong = (ensemble.evaluate(ensemble.weights, batch, len(questions.words))[1] != batch.answer).sum()
            if wrong == 0:
                break
    assert wrong == 0


LONG = {"preset": "tpr", "learning_rate": 0.005}


@pytest.fixture(scope="module")
def overtrained(tmp_path_factory):
    """A store, and a run that went on beyond its best validation."""
    store, (run,) = go(tmp_path_factory.mktemp("long"), updates=200, **LONG)
    assert store.record(run)["chosen"]["update"] < 200
    return store, run


def test_chosen_update_has_least_error_then_loss(overtrained):
    """The least error and then the least loss is chosen."""
    store, run = overtrained
    best = store.curve(run).sort_values(["valid_error", "valid_loss"], kind="stable").iloc[0]
    assert store.record(run)["chosen"]["update"] == best["update"]
    assert store.record(run)["error"]["valid"] == pytest.approx(best["valid_error"], abs=1e-3)


def test_weights_are_those_of_the_chosen_update(overtrained, tmp_path):
    """The weights are those of the chosen update."""
    store, run = overtrained
    shorter, (end,) = go(tmp_path, updates=store.record(run)["chosen"]["update"], **LONG)
    assert same(store.weights(run)[0], shorter.weights(end)[0])


def test_test_set_decides_nothing(tmp_path):
    other = Data(STORIES.train, load(1, 100, "test", "generated", seed=2)[:100:9])
    store, (run,) = go(tmp_path)
    _, (tested_otherwise,) = go(tmp_path, stories=other)
    assert run != tested_otherwise
    assert store.record(run)["chosen"] == store.record(tested_otherwise)["chosen"]
    assert same(store.weights(run)[0], store.weights(tested_otherwise)[0])


def test_finished_run_is_not_trained_again(tmp_path):
    store, (run,) = go(tmp_path)
    (store.path(run) / "weights.safetensors").unlink()
    _, runs = go(tmp_path, seeds=(0, 1))
    assert runs[0] == run
    assert not (store.path(run) / "weights.safetensors").exists()
    assert (store.path(runs[1]) / "weights.safetensors").exists()


def test_stale_model_stops(tmp_path):
    store, (run,) = go(tmp_path, learning_rate=0.0, patience=10)
    record = store.record(run)
    assert (record["updates"], record["chosen"]["update"]) == (15, 5)


@pytest.mark.parametrize(("solved", "stops"), [(0.001, True), (0.0, False)])
def test_solved_model_stops(solved, stops, tmp_path):
    """A model that has solved validation stops unless nothing counts as solved."""
    told = [question for question in STORIES.train if question.answer == "kitchen"]
    store, (run,) = go(tmp_path, stories=Data(told, told), learning_rate=0.05, updates=150, solved=solved)
    record = store.record(run)
    assert (record["updates"] < 150) == stops
    assert record["error"]["valid"] == 0


@pytest.mark.parametrize("at", [5, 7])  # validation is every 5 updates
def test_model_behind_restarts_from_another_seed(at, tmp_path):
    """A model left behind starts again from another seed and says so."""
    store, (run,) = go(tmp_path, learning_rate=0.0, restart_at=at, restart_above=0.0)
    record, own = store.record(run), config("tpr-sm")
    assert (record["seed"], record["restarts"]) == (0, MAX_ATTEMPTS - 1)
    start = torch.Generator().manual_seed((MAX_ATTEMPTS - 1) * ATTEMPT_OFFSET)
    last = NETWORKS[own.network](own.network_config, Vocabulary.of(STORIES.train, own.sentences), start)
    assert same(store.weights(run)[0], last.state_dict())


def test_model_updates_count_models_while_they_train(tmp_path):
    """The speed counts a model while it is in the stack."""
    own, store, seeds = config("tpr-sm", **(QUICK | {"updates": 60, "patience": 5})), Store(tmp_path), range(6)
    own, runs = STORIES.describe(own), {seed: f"{seed:012x}" for seed in seeds}
    training = Training(own, STORIES, [Replica(seed) for seed in seeds], runs, store, torch.device("cpu"))
    training.run()
    updates = [store.record(run)["updates"] for run in runs.values()]
    assert len(set(updates)) > 1
    for run in runs.values():  # each has its own weights and its own validation
        curve, record = store.curve(run).set_index("update"), store.record(run)
        assert record["error"]["valid"] == pytest.approx(curve.valid_error[record["chosen"]["update"]], abs=1e-3)
    assert training.model_updates == sum(updates)


def test_attempt_follows_failed_attempts(tmp_path):
    """Another attempt goes on where earlier ones failed."""
    store, (run,) = go(tmp_path / "one")
    other = Store(tmp_path / "other")
    other.fail(run, {"attempts": 2, "update": 5, "reason": "weights are not finite"})
    go(tmp_path / "other")
    assert other.record(run)["restarts"] == 2
    assert other.attempts(run) == 0
    assert not same(store.weights(run)[0], other.weights(run)[0])


@pytest.mark.parametrize("seeds", [[-1], [True], [2**70]])
def test_train_refuses_a_seed(seeds, tmp_path):
    with pytest.raises(InputError, match=r"^seeds has .*; a seed is a whole number from 0 to 999999$"):
        go(tmp_path, seeds=seeds)


def test_divergence_is_one_line_after_all_attempts(tmp_path):
    """Weights that are not finite end in one line after all attempts."""
    advice = r"try the setting `keys: bounded` or a lower learning_rate than 1e\+38"
    with pytest.raises(InputError, match=f"^tpr-sm on task 1 diverged {MAX_ATTEMPTS} times with seed 0; {advice}$"):
        go(tmp_path, optimizer="sgd", learning_rate=1e38, clip=1e30)
    assert list(tmp_path.glob("runs/*/run.json")) == []
    (error,) = tmp_path.glob("runs/*/error.json")
    assert json.loads(error.read_text())["attempts"] == MAX_ATTEMPTS


def test_diverged_seed_does_not_stop_the_others(tmp_path):
    """A seed without attempts left does not keep the others from training."""
    store, (lost, other) = go(tmp_path / "one", seeds=(0, 1))
    again = Store(tmp_path / "other")
    again.fail(lost, {"attempts": MAX_ATTEMPTS, "update": 5, "reason": "weights are not finite"})
    with pytest.raises(InputError, match=rf"diverged {MAX_ATTEMPTS} times with seed 0; "):
        go(tmp_path / "other", seeds=(0, 1))
    assert not again.has(lost)
    assert same(again.weights(other)[0], store.weights(other)[0])


def test_refused_record_raises_its_reason(tmp_path, monkeypatch):
    """A record that the store refuses ends training; it was trained again without end."""
    preset = tmp_path / "params" / "mine.yaml"
    preset.parent.mkdir()
    preset.write_text("model: mine\nbase: tpr-sm\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(preset.parent))
    own, write = configure({"model": "mine", **QUICK}), Store.write

    def write_beside_an_editor(store, *run):
        assert not list(tmp_path.glob("runs/*/run.json")), "trained again"
        preset.write_text("model: mine\nbase: tpr-sm\nupdats: 5\n")
        write(store, *run)

    monkeypatch.setattr(Store, "write", write_beside_an_editor)
    with pytest.raises(InputError, match=r"^run \w+ is trained, but its record is refused \(.*mine.yaml: .*'updats'"):
        train(own, [0], str(tmp_path), "cpu", STORIES)
    preset.write_text("model: mine\nbase: tpr-sm\n")
    (run,) = Store(tmp_path).own_ids()
    assert Store(tmp_path).has(run)


def test_a_loss_that_is_no_number_is_the_worst_at_its_error():
    replica = Replica(0)
    assert replica.validate(100, 1.0, 40.0, math.nan)
    assert replica.validate(200, 1.0, 40.0, 0.5)
    assert not replica.validate(300, 1.0, 40.0, math.nan)
    assert replica.best == (40.0, 0.5, 200)


@pytest.mark.parametrize("device", ["mps", "meta"])
def test_resolve_device_refuses_one_without_64_bit_numbers(device, tmp_path):
    with pytest.raises(InputError, match=f"^device '{device}' cannot train these networks; choose auto, cpu or cuda$"):
        train(config("tpr", **QUICK), [0], str(tmp_path), device, STORIES)


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_resolve_device_refuses_unknown(device, tmp_path):
    with pytest.raises(InputError, match=rf"^device '{device}' is not on this machine; choose auto or cpu$"):
        train(config("tpr", **QUICK), [0], str(tmp_path), device, STORIES)


def untrained(tmp_path, data, replicas, **values):
    """A training before its first update."""
    own, runs = config("stransformer", **(QUICK | values)), {replica.seed: "run" for replica in replicas}
    return Training(own, data, replicas, runs, Store(tmp_path), torch.device("cpu"))


def test_words_of_validation_are_not_known(tmp_path):
    """The vocabulary, and which words answer dropout may hide, are of the questions that are learnt from."""
    valid = Question(("john went to the attic.",), "where is mary?", "kitchen", (), 1, "generated")
    data = Data(STORIES.train, [valid], valid=[valid])
    training = untrained(tmp_path, data, [Replica(0)], answer_dropout=0.5)
    assert training.vocabulary == Vocabulary.of(STORIES.train, 70)
    assert training.hidable_words.all()


def test_another_attempt_has_the_validation_of_its_seed(tmp_path):
    training = untrained(tmp_path, STORIES, [Replica(3, attempt=2)])
    assert torch.equal(training.splits.valid, STORIES.split(training.questions, [3]).valid)


def test_models_that_go_on_keep_what_is_theirs(tmp_path):
    """Of three models the middle one has finished: the others keep their best weights and their questions."""
    training = untrained(tmp_path, STORIES, [Replica(seed) for seed in range(3)])
    weights, valid = training.best_weights.clone(), training.splits.valid.clone()
    training._select([0, 2])
    assert [replica.seed for replica in training.replicas] == [0, 2]
    assert torch.equal(training.best_weights, weights[[0, 2]])
    assert torch.equal(training.splits.valid, valid[[0, 2]])


def test_curve_has_the_mean_loss_since_the_last_validation(tmp_path):
    store, (often,) = go(tmp_path, updates=3, evaluate_every=2)
    rarely = go(tmp_path, updates=3, evaluate_every=3)[1][0]
    first, second = store.curve(often).loss
    assert store.curve(often)["update"].tolist() == [2, 3]
    assert store.curve(rarely).loss.tolist() == [pytest.approx((2 * first + second) / 3)]
