"""Inner values of stored runs: each table against a slow twin, and what a model lacks in one line."""

import itertools

import pandas as pd
import pytest
import torch

from symshift import InputError, configure, load, train
from symshift.data import Question
from symshift.data import load as stories
from symshift.models import NETWORKS
from symshift.models.base import Output
from symshift.models.lstm import LongShortTermMemory
from symshift.results.internals import tables as analysis
from symshift.results.internals.tables import KEYS, MEMORY, SYMBOLS, WORDS
from symshift.runs.answers import answers
from symshift.runs.store import Store
from symshift.training.data import Data
from tests.helpers.small import config

MODELS = ("lstm", "mn", "smn", "tpr", "stpr", "gstpr", "entnet", "gstpr+prehoc")
QUICK = {"updates": 20, "evaluate_every": 10, "batch": 8, "restart_at": 0}
DATA = Data(stories(1, 100, source="generated"), stories(1, 100, "test", "generated")[:10])
TOLD = next(asked for asked in DATA.test if len(asked.story) == 4)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    return str(tmp_path_factory.mktemp("analysis"))


@pytest.fixture(scope="module")
def runs(outputs):
    """A run of each model, hardly trained."""
    return {model: train(config(model, **QUICK), [0], outputs, "cpu", DATA)[0] for model in MODELS}


def passed(run: str, outputs: str, story: list[str], question: str) -> Output:
    return load(run, outputs).read([Question(tuple(story), question, "", (), 1, "asked")])[1]


@pytest.mark.parametrize("model", ["tpr", "stpr", "gstpr", "gstpr+prehoc"])
def test_similarities_are_cosines_of_all_sentences(runs, outputs, model):
    sentences = list(dict.fromkeys(line for asked in DATA.test for line in asked.story))
    tables = analysis.similarities(runs[model], sentences, outputs)
    assert list(tables) == ["e1", "e2", "r1", "r2", "r3"]
    for table in tables.values():
        assert list(table.index) == list(table.columns) == sentences
        assert table.to_numpy() == pytest.approx(table.to_numpy().T, abs=1e-6)
        assert [table.loc[line, line] for line in sentences] == pytest.approx([1] * len(sentences), abs=1e-5)


def test_mean_cosines_are_means_over_pairs():
    alike = pd.DataFrame([[1.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.0]])
    means = analysis.mean_cosines({"e1": alike}, pd.DataFrame({"person": ["mary", "mary", "john"]}))
    assert means.loc["e1", ("person", "shared")] == pytest.approx(0.5)
    assert means.loc["e1", ("person", "other")] == pytest.approx(0.2)


def test_mean_cosines_want_a_label_for_each_sentence():
    alike = pd.DataFrame([[1.0, 0.5], [0.5, 1.0]])
    with pytest.raises(InputError, match=r"^there are 3 rows of labels for 2 sentences; one each is right$"):
        analysis.mean_cosines({"e1": alike}, pd.DataFrame({"person": ["mary", "mary", "john"]}))


def test_similarities_are_those_of_sentences_read_one_by_one(runs, outputs):
    tables = analysis.similarities(runs["tpr"], TOLD.story, outputs)
    alone = {line: passed(runs["tpr"], outputs, [line], "Where is Mary?").trace for line in TOLD.story}
    for one, other in itertools.combinations(alone, 2):
        for name, heads in (("entities", ["e1", "e2"]), ("relations", ["r1", "r2", "r3"])):
            for place, head in enumerate(heads):
                x, y = (alone[line][name][0, 0, place] for line in (one, other))
                cosine = sum(a * b for a, b in zip(x, y, strict=True)) / (x.norm() * y.norm())
                assert tables[head].loc[one, other] == pytest.approx(cosine.item(), abs=1e-5)


@pytest.mark.parametrize("model", ["lstm", "mn", "smn", "tpr", "gstpr", "entnet"])
def test_correlations_are_those_of_the_learned_vectors(runs, outputs, model):
    table, reader = analysis.correlations(runs[model], outputs), load(runs[model], outputs)
    assert tuple(table.index) == reader.vocabulary.words
    vectors = reader.network.words if reader.network.words.ndim == 2 else reader.network.words[:, 0]
    twin = pd.DataFrame(vectors.mT.numpy(), columns=table.columns).corr()
    assert table.to_numpy() == pytest.approx(twin.to_numpy(), abs=1e-5)


@pytest.mark.parametrize("model", ["smn", "stpr", "gstpr", "gstpr+prehoc"])
def test_alpha_has_each_word_once(runs, outputs, model):
    table, reader = analysis.alpha(runs[model], outputs), load(runs[model], outputs)
    assert tuple(table.index) == reader.vocabulary.words
    learned = reader.network.alpha if model == "smn" else reader.network.alpha.free.unsqueeze(-1)
    assert table.to_numpy() == pytest.approx(learned.sigmoid().numpy(), abs=1e-6)
    assert table.shape[1] == (4 if model == "smn" else 1)
    assert (table != 0.5).any(axis=None)


def test_answers_that_nobody_tells_are_no_words(outputs):
    data = Data(stories(19, 50, source="generated"), stories(19, 50, "test", "generated")[:5])
    (run,) = train(config("stpr", **QUICK, task=19), [0], outputs, "cpu", data)
    told = {word for word in load(run, outputs).vocabulary.words if "," not in word}
    assert set(analysis.alpha(run, outputs).index) == set(analysis.correlations(run, outputs).index) == told


def test_head_contents_of_signed_pointers(runs, outputs):
    """A head of signed pointers has what its mixture makes of alpha."""
    story, question = "Mary went to the kitchen.", "Where is Mary?"
    table = analysis.head_contents(runs["gstpr"], story, question, outputs)
    assert list(table.columns) == ["mary", "went", "to", "the", "kitchen", "where", "is"]
    network, trace = load(runs["gstpr"], outputs).network, passed(runs["gstpr"], outputs, [story], question).trace
    for heads, words, pointers, end in (
        ("e1 e2 r1 r2 r3", "mary went to the kitchen", network.story_pointers, ""),
        ("n l1 l2 l3", "where is mary", network.question_pointers, "_question"),
    ):
        alpha, weights = (trace[name + end].flatten(0, -2 if name == "alpha" else -4) for name in ("alpha", "pointers"))
        alpha = alpha.flatten()
        for k, head in enumerate(heads.split()):
            a, b, c = pointers.mixture[:, k].tolist()
            for j, word in enumerate(words.split()):
                weight = alpha[j] * (a / 2 + b * weights[..., j, 0, k].squeeze() + c * weights[..., j, 1, k].squeeze())
                assert table.loc[head, word] == pytest.approx(weight.item(), abs=1e-5)


def test_head_contents_of_a_memory_network(runs, outputs):
    """A table of a memory network has each word by its alpha and age."""
    table = analysis.head_contents(runs["smn"], "Mary went to the kitchen.", "Where is Mary?", outputs)
    assert list(table.index) == ["A0", "A1", "A2", "A3", "u"]
    network, alpha = load(runs["smn"], outputs).network, analysis.alpha(runs["smn"], outputs)
    for place, head in enumerate(["A0", "A1", "A2", "A3"]):
        expected = alpha.loc["kitchen", head] * network.time_gate[0, place].item()
        assert table.loc[head, ["kitchen", "where"]].tolist() == pytest.approx([expected, 0], abs=1e-6)
    assert table.loc["u", ["kitchen", "where"]].tolist() == pytest.approx([0, alpha.loc["where", "A0"]], abs=1e-6)


@pytest.mark.parametrize("model", ["smn", "stpr", "gstpr", "gstpr+prehoc"])
def test_names_nobody_knows_are_held_alike(runs, outputs, model):
    zoe, yves = (analysis.head_contents(runs[model], f"{n} went.", f"Where is {n}?", outputs) for n in ("Zoe", "Yves"))
    assert zoe.rename(columns={"zoe": "yves"}).to_numpy() == pytest.approx(yves.to_numpy(), abs=1e-6)
    assert "yves" in yves


@pytest.mark.parametrize("model", ["smn", "stpr", "gstpr"])
def test_the_mixture_is_that_of_the_answers(runs, outputs, model):
    (row,) = analysis.mixtures([runs[model]], DATA.test, outputs).to_dict("records")
    reader, shares = load(runs[model], outputs), []
    for asked in DATA.test:
        best = reader.ask(asked.story, asked.question).distribution.iloc[0]
        shares.append(best.symbolic / best.probability)
    assert row["symbolic"] == pytest.approx(sum(shares) / len(shares), abs=1e-5)
    assert row["beta"] == pytest.approx(reader.network.beta.sigmoid().item())
    found = answers(reader, DATA.test)
    assert row["error"] == pytest.approx(100 * sum(found.right != found.given) / len(found))


def test_a_short_training_is_a_longer_one_stopped(outputs):
    stages = {
        updates: train(config("gstpr", **QUICK | {"updates": updates, "evaluate_every": 5}), [3], outputs, "cpu", DATA)
        for updates in (5, 15)
    }
    short, long = (Store(outputs).curve(run) for (run,) in stages.values())
    assert short.iloc[-1].to_dict() == pytest.approx(long.iloc[0].to_dict())


@pytest.mark.parametrize("model", ["mn", "smn", "tpr", "gstpr", "entnet", "gstpr+prehoc"])
def test_the_last_answer_over_time_is_the_answer(runs, outputs, model):
    table = analysis.slot_answers(runs[model], TOLD, outputs)
    replies, answer = table[table.slot == "answer"], load(runs[model], outputs).ask(TOLD.story, TOLD.question)
    assert replies.iloc[-1][["word", "probability"]].tolist() == [answer.word, pytest.approx(answer.probability)]
    assert [int(line.split()[0]) for line in replies.sentence] == [1, 2, 3, 4]
    slots = {"mn": 4, "smn": 4, "tpr": 3, "gstpr": 3, "entnet": 3, "gstpr+prehoc": 3}[model]
    later = 6 if model in ("mn", "smn") else 0  # a memory network has no slot for a sentence before it is told
    assert len(table) == 4 * (slots + 1) - later
    assert table.probability.between(0, 1 + 1e-6).all()


def test_a_slot_tells_what_the_model_answers_from_it_alone(runs, outputs):
    reader = load(runs["tpr"], outputs)
    read = passed(runs["tpr"], outputs, list(TOLD.story), TOLD.question).trace["read2"][0]
    chances = (reader.network.projection @ read).softmax(-1)
    table = analysis.slot_answers(runs["tpr"], TOLD, outputs)
    (last,) = table[table.sentence.str.startswith("4 ") & (table.slot == "read 2")].to_dict("records")
    assert last["word"] == reader.vocabulary.words[chances.argmax()]
    assert last["probability"] == pytest.approx(chances.max().item(), abs=1e-5)


LOOKS = {
    KEYS: lambda run, outputs: analysis.similarities(run, TOLD.story, outputs),
    WORDS: analysis.correlations,
    SYMBOLS: analysis.alpha,
    MEMORY: lambda run, outputs: analysis.slot_answers(run, TOLD, outputs),
}


@pytest.mark.parametrize("part", LOOKS)
@pytest.mark.parametrize("model", MODELS)
def test_a_part_that_a_model_lacks_is_told_in_one_line(runs, outputs, model, part):
    if part in analysis.parts(runs[model], outputs):
        LOOKS[part](runs[model], outputs)
        return
    with pytest.raises(InputError) as raised:
        LOOKS[part](runs[model], outputs)
    assert str(raised.value) == f"run {runs[model]} is of {model}, which has no {part}"


def test_parts_of_every_model(runs, outputs):
    """Every symbolic model has symbols, and only the LSTM has no memory."""
    found = {model: analysis.parts(run, outputs) for model, run in runs.items()}
    assert {model for model in MODELS if SYMBOLS in found[model]} == {"smn", "stpr", "gstpr", "gstpr+prehoc"}
    assert [model for model in MODELS if MEMORY not in found[model]] == ["lstm"]
    assert [name for name, network in NETWORKS.items() if network is LongShortTermMemory] == ["lstm"]


def test_full_run_is_the_best_with_weights(tmp_path):
    """The run of full length is the best on validation that has weights."""
    store, preset = Store(tmp_path), configure({"model": "tpr"}).flat()
    for run, error, changed in (("a", 3.0, {}), ("b", 1.0, {}), ("c", 0.0, {"updates": 5}), ("d", 0.0, {})):
        shared = {
            "seconds": 1.0,
            "updates_per_second": 1.0,
            "restarts": 0,
            "provenance": {"stories": "official", "data": ""},
        }
        record = {
            "config": preset | changed,
            "seed": 0,
            "error": {"valid": error, "test": error},
            "chosen": {"update": 1},
        }
        store.write(12 * run, record | shared, pd.DataFrame(), {"weight": torch.zeros(1)}, {})
    (store.path(12 * "d") / "weights.safetensors").unlink()
    assert analysis.best_run("tpr", 1, str(tmp_path)) == 12 * "b"
    assert analysis.best_run("tpr", 1, str(tmp_path), budget="any") == 12 * "c"
    assert analysis.best_run("tpr", 2, str(tmp_path)) is None
    assert analysis.best_run("tpr", 1, str(tmp_path), ["1000 names"]) is None
    assert analysis.best_run("tpr", 1, str(tmp_path / "empty")) is None
