"""A trained model that can be asked."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

import symshift
from symshift import preset_files
from symshift.data import load
from symshift.errors import InputError
from symshift.models import NETWORKS, registry
from symshift.models.tensor_product.model import TensorProduct
from symshift.runs import tensor_file
from symshift.runs.answers import answers
from symshift.runs.reader import question_without_answer
from symshift.runs.store import Store
from symshift.training.data import Data
from tests.helpers.registered import Bag, registry_restored
from tests.helpers.small import TEMPORAL, config

TOLD = ["John went to the kitchen.", "Mary moved to the garden.", "John journeyed to the office."]
ASKED = "Where is John?"
STORIES = Data(load(1, 100, source="generated"), load(1, 100, "test", "generated")[:10])
LAST = len(TOLD)  # the question, as a sentence


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """A reader of each network, hardly trained."""
    outputs = str(tmp_path_factory.mktemp("readers"))
    quick = {"updates": 4, "evaluate_every": 2, "batch": 8, "restart_at": 0}
    runs = {name: symshift.train(config(name, **quick), [0], outputs, "cpu", STORIES)[0] for name in NETWORKS}
    return {name: symshift.load(run, outputs) for name, run in runs.items()}


@pytest.fixture(params=NETWORKS)
def reader(request, readers):
    return readers[request.param]


@pytest.fixture(params=["smn", "stpr", "gstpr"])
def symbolic(request, readers):
    return readers[request.param]


def test_ask_answers_the_likeliest_word(reader):
    """An answer is the likeliest word with both its parts."""
    answer, table = reader.ask(TOLD, ASKED), reader.ask(TOLD, ASKED).distribution
    assert (answer.word, answer.probability) == tuple(table.loc[0, ["word", "probability"]])
    assert table["probability"].is_monotonic_decreasing
    assert table["probability"].sum() == pytest.approx(1, abs=1e-5)
    assert (table["semantic"] + table["symbolic"]).to_numpy() == pytest.approx(table["probability"].to_numpy())
    assert set(table["word"]) == set(reader.vocabulary.words)
    assert answer.unseen == ()
    assert str(answer) == f"{answer.word} ({answer.probability:.0%})"


def test_loading_imports_no_compiler():
    """A network without values, whose shapes are compared, is built by no operation that torch writes in Python.

    The first of these imports its compiler, which takes a second."""
    code = """
import sys, torch
from symshift.config import configure, presets
from symshift.data.encoding import Vocabulary
from symshift.models import NETWORKS
words = configure({"model": "entnet-tied"}).network_config.entities.split()  # it wants all of them
vocabulary = Vocabulary(tuple(words), sentences=9, words_a_sentence=7, words_a_question=5)
for config in [configure({"model": model}) for model in presets()]:
    with torch.device("meta"):
        NETWORKS[config.network](config.network_config, vocabulary, torch.Generator())
    assert "torch._dynamo" not in sys.modules, config.model
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_word_is_told_in_its_place(reader):
    words = reader.ask(TOLD, ASKED).words
    assert words.loc[words["sentence"] == 1, "word"].tolist() == ["mary", "moved", "to", "the", "garden"]
    assert words.loc[words["sentence"] == LAST, "word"].tolist() == ["where", "is", "john"]
    assert not words["unseen"].any()


def test_ask_lists_unseen_words(reader):
    answer = reader.ask([line.replace("John", "Zoe") for line in TOLD], "Where is Zoe?")
    assert answer.unseen == ("zoe",)
    words = answer.words
    assert words.loc[words["unseen"], ["sentence", "place", "word"]].to_numpy().tolist() == [
        [0, 0, "zoe"], [2, 0, "zoe"], [LAST, 2, "zoe"],
    ]  # fmt: skip
    assert answer.distribution.set_index("word").loc["zoe", "semantic"] == 0


def test_ask_is_equivariant_to_unseen_words(symbolic):
    """A story with other unseen words has its answer renamed."""

    def probabilities(*names):
        old = ("John", "kitchen", "office")
        lines = [*TOLD, ASKED]
        for one, other in zip(old, names, strict=True):
            lines = [line.replace(one, other) for line in lines]
        answer = symbolic.ask(lines[:-1], lines[-1])
        assert answer.unseen == tuple(name.lower() for name in names)
        return answer.distribution.set_index("word")["probability"]

    one, other = probabilities("Zoe", "igloo", "yurt"), probabilities("Yves", "lodge", "tepee")
    names = {"zoe": "yves", "igloo": "lodge", "yurt": "tepee"}
    renamed = one.rename(index=names)
    assert renamed.to_dict() == pytest.approx(other.to_dict(), abs=1e-6)
    assert renamed["tepee"] > 1e-3


def test_answer_has_what_the_network_has(readers):
    """Alpha gates and attention are there where the network has them."""
    answers = {name: reader.ask(TOLD, ASKED) for name, reader in readers.items()}
    assert {name.partition("+")[0] for name, answer in answers.items() if "alpha" in answer.words} == {
        "smn",
        "smn-inputs",
        "stpr",
        "stpr-hidden",
        "stpr-words",
        "gstpr",
        "stransformer",
    }
    pointers = {name.partition("+")[0] for name, answer in answers.items() if "pointers" in answer.words}
    assert pointers == {"gstpr", "stransformer"}
    transformers = {"transformer", "ut", "ut-halting", "lexinv", "stransformer"}
    hops = {"mn", "smn", "mn-inputs", "smn-inputs"}
    attending = {name for name, answer in answers.items() if answer.attention is not None}
    assert attending == {*hops, *TEMPORAL, *transformers}
    for name in ("mn", "mn-inputs", "prehoc", "posthoc"):
        attention = answers[name].attention
        assert attention.shape[1] == len(TOLD)
        assert attention.sum(axis=1).to_numpy() == pytest.approx(1)


def test_matches_of_tensor_product_memories(readers):
    """The reads of tensor product memories fit sentences."""
    answers = {name: reader.ask(TOLD, ASKED) for name, reader in readers.items()}
    memories = {name for name, network in NETWORKS.items() if issubclass(network, TensorProduct)}
    assert {name for name, answer in answers.items() if answer.matches is not None} == memories
    for name in ("tpr", "stpr", "gstpr"):
        matches = answers[name].matches
        assert matches.shape == (3, len(TOLD))
        assert matches.sum(axis=1).to_numpy() == pytest.approx(1)


def test_ask_reads_the_last_sentences(reader):
    long = [f"Mary went to the {place}." for place in ("kitchen", "garden")] * reader.sentences + TOLD
    answer = reader.ask(long, ASKED)
    assert answer.words["sentence"].max() == reader.sentences
    assert answer.probability == reader.ask(long[-reader.sentences :], ASKED).probability


MISTAKES = {
    "story-in-one-string": ((" ".join(TOLD), ASKED), "story is one string; give a list of sentences"),
    "no-story": (([], ASKED), "give at least one sentence, each with a word"),
    "empty-sentence": ((["John went to the kitchen.", ""], ASKED), "each with a word"),
    "iterator-without-sentences": ((iter([]), ASKED), "give at least one sentence, each with a word"),
    "no-question": ((TOLD, "?"), "question is '?'; give a sentence with a word"),
}


@pytest.mark.parametrize(("arguments", "says"), MISTAKES.values(), ids=MISTAKES)
def test_ask_refuses_in_one_line(readers, arguments, says):
    with pytest.raises(InputError) as raised:
        readers["tpr"].ask(*arguments)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


WRONG_KINDS = {
    "story-that-is-none": ((None, ASKED, ()), "story is None; give a list of sentences, one string each"),
    "story-in-a-path": ((Path("story.txt"), ASKED, ()), "story.txt'); give a list of sentences"),
    "supporting-number": ((TOLD, ASKED, 1), "supporting is 1; give a list of indices of sentences"),
    "supporting-word": ((TOLD, ASKED, ["a"]), "supporting has 'a'; an index of a sentence is from 0 to 2"),
    "supporting-above": ((TOLD, ASKED, [0, 3]), "supporting has 3; an index of a sentence is from 0 to 2"),
    "supporting-below": ((TOLD, ASKED, [-1]), "supporting has -1; an index of a sentence is from 0 to 2"),
}


@pytest.mark.parametrize(("arguments", "says"), WRONG_KINDS.values(), ids=WRONG_KINDS)
def test_question_without_answer_refuses_wrong_kinds_in_one_line(arguments, says):
    with pytest.raises(InputError) as raised:
        question_without_answer(*arguments)
    assert says in str(raised.value)


@pytest.mark.parametrize("kind", [iter, np.array, pd.Series], ids=["iterator", "array", "series"])
def test_ask_takes_sentences_of_any_iterable(readers, kind):
    expected, answer = readers["tpr"].ask(TOLD, ASKED), readers["tpr"].ask(kind(TOLD), ASKED)
    assert str(answer) == str(expected)
    pd.testing.assert_frame_equal(answer.words, expected.words)
    assert question_without_answer(kind(TOLD), ASKED, kind([2])) == question_without_answer(TOLD, ASKED, [2])


def test_load_refuses_an_unknown_run(tmp_path):
    with pytest.raises(InputError, match=r"^run '000000000000' is not among the finished runs of .*$"):
        symshift.load("000000000000", tmp_path)


def test_ask_refuses_an_answer_that_is_no_number(tmp_path):
    """Weights that overflow give no NaN as an answer, neither one by one nor all at once."""
    run = symshift.train(
        config("tpr", updates=5, evaluate_every=5, batch=8, restart_at=0), [0], str(tmp_path), "cpu", STORIES
    )[0]
    reader = symshift.load(run, tmp_path)
    for parameter in reader.network.parameters():
        parameter.fill_(1e38)
    with pytest.raises(InputError, match=r"^the network's answer to this story is no number"):
        reader.ask(TOLD, ASKED)
    with pytest.raises(InputError, match=r"^question 1 has an answer that is no number$"):
        answers(reader, STORIES.test)


def test_load_compares_shapes_with_the_record(tmp_path):
    run = symshift.train(
        config("tpr", updates=5, evaluate_every=5, batch=8, restart_at=0), [0], str(tmp_path), "cpu", STORIES
    )[0]
    path = Store(tmp_path).path(run) / "run.json"
    record = json.loads(path.read_text())
    record["config"]["entity"] += 1
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=rf"^run {run}: its weights are not those of its record"):
        symshift.load(run, tmp_path)


@pytest.fixture
def stored(tmp_path):
    """A store with a run of a network that a person registered, and its id."""
    with registry_restored():
        symshift.register("bag")(Bag)
        symshift.add_preset({"model": "bag", "network": "bag", "base": "lstm", "dim": 4})
        settings = {"model": "bag", "updates": 2, "evaluate_every": 2, "batch": 8, "restart_at": 0}
        (run,) = symshift.train(symshift.configure(settings), [0], str(tmp_path), "cpu", STORIES)
        yield Store(tmp_path), run


class Traced(Bag):
    def forward(self, batch, rng):
        return super().forward(batch, rng)._replace(trace={"attention": batch.story[:, 0] * 1.0})


class Failing(Bag):
    def forward(self, batch, rng):
        raise KeyError("lost")


class Wider(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.more = nn.Parameter(torch.zeros(3))


CHANGED = {
    Traced: r"Traced.forward gives 'attention' of the trace of shape .*; its class is in ",
    Failing: r"Failing.forward raises KeyError: 'lost' \(in `raise KeyError\(\"lost\"\)`\); its class is in ",
    Wider: r"its weights are not those of network 'bag'; take its class as it was$",
}


@pytest.mark.parametrize("network", CHANGED)
def test_run_whose_class_has_changed_is_one_line(stored, network):
    store, run = stored
    registry.NETWORKS["bag"] = network
    with pytest.raises(InputError, match=rf"^run {run}: network 'bag' had another code when it was trained; take "):
        symshift.load(run, store.outputs)


@pytest.mark.parametrize(("network", "line"), CHANGED.items(), ids=[network.__name__ for network in CHANGED])
def test_older_run_whose_class_has_changed_is_one_line(stored, network, line):
    """A record from before records had the code of their network."""
    store, run = stored
    record = store.record(run)
    assert record["provenance"].pop("code")
    (store.path(run) / "run.json").write_text(json.dumps(record))
    registry.NETWORKS["bag"] = network
    with pytest.raises(InputError, match=rf"^run {run}: .*{line}"):
        symshift.load(run, store.outputs).ask(TOLD, ASKED)
    with pytest.raises(InputError, match=rf"^run {run}: .*{line}"):
        answers(symshift.load(run, store.outputs), STORIES.test)


def test_run_of_a_model_that_is_not_registered_is_one_line(stored):
    store, run = stored
    del preset_files.ADDED["bag"]
    with pytest.raises(InputError, match=rf"^run {run} is of model 'bag', which is unknown here; run what "):
        symshift.load(run, store.outputs)


WORDS = {
    "vocabulary-none": {"vocabulary": None},
    "vocabulary-of-lists": {"vocabulary": {"words": [[]]}},
    "vocabulary-unsorted": {"vocabulary": {"words": ["b", "a"]}},
    "vocabulary-without-lengths": {"vocabulary": {"words": ["a"]}},
    "length-none": {"vocabulary": {"words": ["a"], "sentences": None}},
    "sentences-0": {"sentences": "0"},
}


@pytest.mark.parametrize("case", WORDS)
def test_load_refuses_damaged_words_in_one_line(stored, case):
    store, run = stored
    weights, words = store.weights(run)
    damaged = {**words, **{name: json.dumps(value) for name, value in WORDS[case].items()}}
    record = {name: value for name, value in store.record(run).items() if name != "sha256"}
    folder = store.path(run)
    (folder / "weights.safetensors").write_bytes(tensor_file.dump(weights, damaged))
    (folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=rf"^run {run}: weights.safetensors is not as training wrote it"):
        symshift.load(run, store.outputs)


@pytest.mark.parametrize(
    ("model", "setting"), [("mn", "dim"), ("qrn", "dim"), ("mn", "hops"), ("transformer", "layers")]
)
def test_record_of_a_huge_network_costs_nothing(model, setting, tmp_path):
    """A damaged number in a record neither fills the memory nor takes hours."""
    settings = {"updates": 2, "evaluate_every": 2, "batch": 8, "restart_at": 0}
    (run,) = symshift.train(config(model, **settings), [0], str(tmp_path), "cpu", STORIES)
    path = Store(tmp_path).path(run) / "run.json"
    record = json.loads(path.read_text())
    record["config"][setting] = 10**9
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=rf"^run {run}: .*; remove (it|the run) to train it again$"):
        symshift.load(run, tmp_path)


def test_file_that_may_not_be_read_is_not_called_damaged(stored, monkeypatch):
    """Advice to remove a good run would lose it."""
    store, run = stored

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(InputError, match=rf"^run {run}: run.json cannot be read \(Permission denied\)$"):
        store.record(run)


def test_store_that_is_a_file_has_no_runs(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^run '000000000000' is not among the finished runs of .+/file$"):
        symshift.load("000000000000", tmp_path / "file")
