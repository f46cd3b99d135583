"""Where three readings of one dropout rate drop something."""

import pytest
import torch

from symshift.config import configure
from symshift.data.encoding import Vocabulary
from symshift.errors import InputError
from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import Tale, encoded, network

TOLD = [Tale([["a", "b"], ["c", "d"]], ["b"], "a")]
NOISE = StepRng(fold_in([0], 0)[0], torch.tensor(0.0))


@pytest.mark.parametrize("memory", ["tpr", "stpr"])
@pytest.mark.parametrize(("reading", "elsewhere"), [("sm", True), ("hidden", False), ("words", False)])
def test_dropout_readings_drop_where_they_say(memory, reading, elsewhere):
    """With hidden units at zero, only the reading that drops elsewhere too still drops something."""
    net = network(f"{memory}-{reading}")
    _, batch = encoded(TOLD)
    assert not torch.allclose(net(batch, NOISE).semantic, net(batch, NO_RNG).semantic)
    with torch.no_grad():
        for perceptrons in (net.sentence_encoder, net.question_encoder):
            perceptrons.first.zero_()
            perceptrons.first_bias.zero_()
    assert torch.allclose(net(batch, NOISE).semantic, net(batch, NO_RNG).semantic) != elsewhere


@pytest.mark.parametrize("memory", ["tpr", "stpr"])
def test_whole_word_dropout_drops_whole_vectors(memory):
    """Each occurrence of a word keeps its whole vector or none of it, about half of them at a rate of 0.5."""
    net = network(f"{memory}-words")
    _, batch = encoded(TOLD * 200)
    fates = []
    for ids in (batch.story, batch.question):
        whole, left = net.embed_words(ids, NO_RNG), net.embed_words(ids, NOISE)
        kept = (left != 0).any(-1)
        assert torch.equal(left[kept], 2 * whole[kept])
        assert 0.4 < kept[ids > 0].double().mean() < 0.6
        fates.append(kept)
    story, question = fates
    assert not torch.equal(story.flatten()[: question.numel()], question.flatten())


@pytest.mark.parametrize("entities", ["a, D", "a d", "d;a nobody"])
def test_a_slot_stands_for_each_word_that_is_named(entities):
    vocabulary = Vocabulary(tuple("abcd"), 2, 2, 1)
    net = network("entnet-tied", vocabulary=vocabulary, entities=entities)
    assert {vocabulary.words[row] for row in net.entities} == {"a", "d"}


def test_a_slot_wants_a_word_of_the_stories():
    with pytest.raises(InputError, match=r"^entities is 'nobody', but none of these words is in the training stories$"):
        network("entnet-tied", entities="nobody")


@pytest.mark.parametrize("preset", ["entnet", "entnet-tied"])
def test_keys_of_no_length_are_refused(preset):
    with pytest.raises(InputError, match=r"^embedding is 0\.0; it must be above 0"):
        configure({"model": preset, "embedding": 0.0})
