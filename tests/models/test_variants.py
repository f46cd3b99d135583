"""Where three readings of one dropout rate drop something."""

import pytest
import torch

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
