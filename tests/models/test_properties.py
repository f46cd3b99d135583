"""A property that a network lacks is found, and the others still hold."""

import pytest
import torch
from torch import nn

from symshift.data.encoding import Vocabulary, encode
from symshift.data.renaming import rename
from symshift.models.base import Output
from symshift.models.properties import (
    Specimen,
    batch_order,
    empty_batch,
    equivariance,
    gradients,
    padding,
    same_seed,
    with_padding,
    without_facts,
)
from symshift.models.registry import register
from symshift.models.symbolic import count_symbols
from tests.helpers.registered import STORIES, Bag, BagConfig, registry_restored

VOCABULARY = Vocabulary.of(STORIES, 70)
PROPERTIES = (padding, batch_order, empty_batch, gradients, same_seed, without_facts, equivariance)


@pytest.fixture(autouse=True)
def restored():
    with registry_restored():
        yield


def lacking(network):
    """The properties that a network lacks."""
    register("bag")(network)
    questions = encode(STORIES, VOCABULARY, 70)
    unseen = encode(rename(STORIES, {"a": "x", "b": "y", "e": "z"}), VOCABULARY, 70)
    specimen = Specimen("bag", BagConfig(4), VOCABULARY, questions, unseen)
    return {look.__name__ for look in PROPERTIES if not look(specimen).holds}


class Counts(Bag):
    """Answers with the words of the context, as often as they stand in it."""

    def forward(self, batch, rng):
        counts = count_symbols((batch.story > 0).float().flatten(1), batch.story_symbols.flatten(1), 5)
        counts = torch.nn.functional.pad(counts, (0, max(0, batch.symbols.shape[1] - 5)))
        semantic = super().forward(batch, rng).semantic
        return Output(semantic, counts[:, : batch.symbols.shape[1]], semantic.new_zeros(()), {})


class CountsFirst(Counts):
    """Likes the first symbol of a story."""

    def forward(self, batch, rng):
        output = super().forward(batch, rng)
        return output._replace(symbolic=output.symbolic - torch.arange(batch.symbols.shape[1]))


class ReadsFacts(Bag):
    def hidden(self, batch, rng):
        return super().hidden(batch, rng) + batch.supporting.sum(1, keepdim=True)


class MeanWithBlanks(Bag):
    def hidden(self, batch, rng):
        return super().hidden(batch, rng) / batch.story.shape[1]


class OverBatch(Bag):
    def hidden(self, batch, rng):
        hidden = super().hidden(batch, rng)
        return hidden - hidden.mean(0)


class ByFirst(Bag):
    def hidden(self, batch, rng):
        hidden = super().hidden(batch, rng)
        return hidden / (1 + hidden[0].square().sum())


class Unreached(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.gate = nn.Parameter(torch.tensor(-1.0))

    def hidden(self, batch, rng):
        return super().hidden(batch, rng) + self.gate.relu()


class Remembers(Bag):
    def hidden(self, batch, rng):
        self.calls = getattr(self, "calls", 0) + 1
        return super().hidden(batch, rng) * self.calls


@pytest.mark.parametrize(
    ("network", "lacks"),
    [
        (Bag, {"equivariance"}),
        (Counts, set()),
        (CountsFirst, {"equivariance"}),
        (MeanWithBlanks, {"equivariance", "padding"}),
        (ReadsFacts, {"equivariance", "without_facts"}),
        (OverBatch, {"equivariance", "batch_order"}),
        (Unreached, {"equivariance", "gradients"}),
        (Remembers, {"equivariance", "padding", "batch_order", "same_seed", "without_facts"}),
    ],
)
def test_property_that_a_network_lacks_is_found(network, lacks):
    assert lacking(network) == lacks


def test_empty_batch_fails_where_a_row_is_needed():
    with pytest.raises(IndexError):
        lacking(ByFirst)


def test_with_padding_adds_blanks_alone():
    batch = encode(STORIES, VOCABULARY, 70).buckets[0]
    wider = with_padding(batch, sentences=2, words=1, question_words=2, symbols=3, seed=0)
    assert wider.story.shape == (2, 4, 4)
    assert wider.question.shape[1] == batch.question.shape[1] + 2
    for one, other in zip(batch.story, wider.story, strict=True):
        assert one[one > 0].tolist() == other[other > 0].tolist()
    assert wider.supporting.sum() == batch.supporting.sum()
