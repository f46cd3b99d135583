"""Where two readings of one dropout rate drop units."""

import pytest
import torch

from symshift.models.noise import QUIET, Noise, keys
from tests.small import Told, encoded, network

TOLD = [Told([["a", "b"], ["c", "d"]], ["b"], "a")]


@pytest.mark.parametrize("memory", ["tpr", "stpr"])
@pytest.mark.parametrize(("reading", "elsewhere"), [("sm", True), ("hidden", False)])
def test_without_hidden_units_only_one_of_them_has_any_to_drop(memory, reading, elsewhere):
    net, noise = network(f"{memory}-{reading}"), Noise(keys(torch.tensor(0), torch.tensor(0)), torch.tensor(0.0))
    _, batch = encoded(TOLD)
    assert not torch.allclose(net(batch, noise).semantic, net(batch, QUIET).semantic)
    with torch.no_grad():
        for perceptrons in (net.told, net.asked):
            perceptrons.first.zero_()
            perceptrons.first_bias.zero_()
    assert torch.allclose(net(batch, noise).semantic, net(batch, QUIET).semantic) != elsewhere
