"""The slots of an entity network in words: what they hold is what their twin holds, and what the story says."""

import pytest
import torch

import symshift
from symshift.data import Question, generate, load, tokenize
from symshift.data.encoding import Vocabulary
from symshift.errors import InputError
from symshift.results.entities import tables as entities
from symshift.runs.reader import Reader
from symshift.training.data import Data
from tests.babi_solver import solve
from tests.helpers.small import network
from tests.naive.entity_network import Twin

NETWORKS = ("entnet", "entnet-simple", "entnet-tied")
ASKED = Question(("e e e", "a b", "c d e", "f", "b a g"), "a", "b", (1,), 1, "generated")
VOCABULARY = Vocabulary(tuple("abcdefg"), 4, 3, 1)
PEOPLE = "john mary sandra daniel"


def small(name: str) -> tuple[Reader, Twin]:
    """A reader of four sentences with a network and its twin, far from where training starts."""
    net = network(name, vocabulary=VOCABULARY)
    return Reader(net, VOCABULARY, 4), Twin(net, name, VOCABULARY)


def story(asked: Question) -> list[list[str]]:
    """The words of the sentences that are read."""
    return [tokenize(line) for line in asked.story[-4:]]


@pytest.mark.parametrize("name", NETWORKS)
def test_the_nearest_words_are_the_twins(name: str) -> None:
    reader, twin = small(name)
    table = entities.nearest_words(reader, ASKED, words=3)
    assert table.index.tolist() == (["a", "f"] if name == "entnet-tied" else ["slot 1", "slot 2", "slot 3"])
    held, question = twin.slots(story(ASKED))[-1], twin.embed(["a"], reader.network.question_encoder.position)
    shares = torch.stack([question @ slot for slot in held]).softmax(0)
    for (_, row), slot, share in zip(table.iterrows(), held, shares, strict=True):
        decoded = twin.phi(reader.network.weight_h @ slot)
        rows = dict(zip(VOCABULARY.words, reader.network.projection, strict=True))
        cosines = {word: float(decoded @ r / decoded.norm() / r.norm()) for word, r in rows.items()}
        nearest = sorted(cosines, key=cosines.get, reverse=True)[:3]
        assert row[["1-NN", "2-NN", "3-NN"]].tolist() == nearest
        assert row[["cosine 1", "cosine 2", "cosine 3"]].tolist() == pytest.approx([cosines[word] for word in nearest])
        assert row["share in the answer"] == pytest.approx(float(share))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_gates_are_the_twins(name: str) -> None:
    reader, twin = small(name)
    table = entities.gates(reader, ASKED)
    assert table.index.tolist() == list(ASKED.story[-4:])
    before = [w / w.norm() for w in twin.keys]
    for row, words, after in zip(table.to_numpy(), story(ASKED), twin.slots(story(ASKED)), strict=True):
        s = twin.embed(words, reader.network.sentence_encoder.position)
        slots = zip(before, twin.keys, reader.network.gate_bias, strict=True)
        assert row == pytest.approx([float(torch.sigmoid(s @ h + s @ w + b)) for h, w, b in slots])
        before = after


def test_a_persons_slot_comes_to_say_where_they_are(tmp_path) -> None:
    values = {"model": "entnet-tied", "dim": 40, "embedding": 1.0, "clip": 40.0, "entities": PEOPLE}
    config = symshift.configure(values | {"updates": 600, "evaluate_every": 100})
    stories = Data(load(1, 1000, "train", "generated"), generate(1, 10, seed=1))
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu", stories)
    reader, right = symshift.load(run, tmp_path), []
    for asked in load(1, 1000, "test", "generated")[4::5][:20]:
        table = entities.nearest_words(reader, asked, words=1)
        for person in {line.split()[0] for line in asked.story}:
            where = solve(Question(asked.story, f"Where is {person}?", "", (), 1, "generated"))[0]
            right.append(table.loc[person.lower(), "1-NN"] == where)
    assert sum(right) / len(right) > 0.9


@pytest.mark.parametrize("words", [0, 8])
def test_so_many_words_as_there_are(words: int) -> None:
    with pytest.raises(InputError, match=f"^words is {words}; from 1 to the vocabulary's 7 would be right$"):
        entities.nearest_words(small("entnet")[0], ASKED, words)


@pytest.mark.parametrize("show", [entities.nearest_words, entities.gates, entities.slot_names])
def test_another_network_has_no_slots(show) -> None:
    reader = Reader(network("mn", vocabulary=VOCABULARY), VOCABULARY, 4)
    with pytest.raises(InputError, match=r"^reader has no entity network; .* would do$"):
        show(*((reader,) if show is entities.slot_names else (reader, ASKED)))
