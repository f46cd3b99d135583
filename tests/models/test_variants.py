"""Where three readings of one dropout rate drop something."""

import pytest
import torch

from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import Told, encoded, network

TOLD = [Told([["a", "b"], ["c", "d"]], ["b"], "a")]
NOISE = StepRng(fold_in(torch.tensor(0), torch.tensor(0)), torch.tensor(0.0))


@pytest.mark.parametrize("memory", ["tpr", "stpr"])
@pytest.mark.parametrize(("reading", "elsewhere"), [("sm", True), ("hidden", False), ("words", False)])
def test_without_hidden_units_only_one_of_them_has_any_to_drop(memory, reading, elsewhere):
    net = network(f"{memory}-{reading}")
    _, batch = encoded(TOLD)
    assert not torch.allclose(net(batch, NOISE).semantic, net(batch, NO_RNG).semantic)
    with torch.no_grad():
        for perceptrons in (net.told, net.asked):
            perceptrons.first.zero_()
            perceptrons.first_bias.zero_()
    assert torch.allclose(net(batch, NOISE).semantic, net(batch, NO_RNG).semantic) != elsewhere


@pytest.mark.parametrize("memory", ["tpr", "stpr"])
def test_a_word_loses_its_whole_vector_in_about_half_of_its_places_or_none(memory):
    net = network(f"{memory}-words")
    _, batch = encoded(TOLD * 200)
    fates = []
    for ids in (batch.story, batch.question):
        whole, left = net.vectors(ids, NO_RNG), net.vectors(ids, NOISE)
        kept = (left != 0).any(-1)
        assert torch.equal(left[kept], 2 * whole[kept])
        assert 0.4 < kept[ids > 0].double().mean() < 0.6
        fates.append(kept)
    told, asked = fates
    assert not torch.equal(told.flatten()[: asked.numel()], asked.flatten())
