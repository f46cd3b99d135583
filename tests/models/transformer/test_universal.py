"""When a token of the Universal Transformer halts, and what that costs."""

import pytest
import torch
from torch.func import functional_call

from symshift.models.transformer.universal import Halting
from symshift.ops.rng import NO_RNG
from tests.helpers.small import Tale, encoded, network


@pytest.mark.parametrize(
    ("probabilities", "shares", "ponder"),
    [
        ([0.3, 0.3, 0.3, 0.3, 0.3], [0.3, 0.3, 0.3, 0.1, 0.0], 4.1),
        ([0.995, 0.5], [1.0, 0.0], 2.0),
        ([0.2, 0.2], [0.2, 0.2], 2.0),
    ],
    ids=["four steps", "at once", "not yet"],
)
def test_token_moves_until_its_probabilities_reach_one(probabilities, shares, ponder):
    halting = Halting(*[torch.zeros(1, 1, dtype=torch.float64)] * 3)
    for probability, share in zip(probabilities, shares, strict=True):
        halting = halting.step(torch.full((1, 1), probability, dtype=torch.float64), threshold=0.99)
        assert halting.share.item() == pytest.approx(share)
    assert halting.ponder.item() == pytest.approx(ponder)


def test_loss_has_the_mean_ponder_time_of_real_tokens():
    tales = [Tale([["a", "b"], ["c"]], ["b"], "d"), Tale([["a"]], ["c"], "b")]
    net, (_, batch) = network("ut-halting", ponder_weight=0.5), encoded(tales)
    output = net(batch, NO_RNG)
    ponder = output.trace["ponder"]
    assert ponder[1, 2] == 0  # the second story has one sentence
    extra = net.loss(output, batch) + output.log_likelihood(batch.symbols, batch.answer)
    torch.testing.assert_close(extra, 0.5 * torch.stack((ponder[0].mean(), ponder[1, :2].mean())))


def test_loss_has_the_gradient_of_the_ponder_time():
    """With six layers, for with two no token halts, and the ponder time is constant."""
    tales = [Tale([["a", "b"], ["c"]], ["b"], "d"), Tale([["a"]], ["c"], "b")]
    net, (_, batch) = network("ut-halting", ponder_weight=0.5, layers=6), encoded(tales)
    halting = {name: net.get_parameter(name).detach().clone().requires_grad_() for name in ("halting", "halting_bias")}

    def loss(*values):
        parameters = dict(zip(halting, values, strict=True))
        return net.loss(functional_call(net, parameters, (batch, NO_RNG)), batch)

    assert torch.autograd.gradcheck(loss, tuple(halting.values()))
