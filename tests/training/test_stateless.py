"""A network with parameters from outside answers as torch's own call does, and keeps its own."""

import pytest
import torch
from torch import nn
from torch.func import functional_call

from symshift.training.stateless import StatelessNetwork

X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))


class TiedNetwork(nn.Module):
    """Its output layer has the weight of its first."""

    def __init__(self):
        super().__init__()
        self.first, self.output = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)
        self.output.weight = self.first.weight
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.heads = nn.ParameterList([torch.ones(4), torch.full((4,), 3.0)])

    def forward(self, x):
        """Return a finite answer, or say that there is none."""
        if not x.isfinite().all():
            raise ValueError("no number")
        return self.output(self.first(x).tanh() * self.heads[0]) * self.scale + self.heads[1]


def other_parameters(network):
    """Return parameters that are not the network's own."""
    generator = torch.Generator().manual_seed(1)
    return {name: torch.randn(own.shape, generator=generator) for name, own in network.named_parameters()}


def test_answers_as_functional_call_does():
    """A weight of two names is given once, and stands in both places."""
    network = TiedNetwork()
    parameters = other_parameters(network)
    assert torch.equal(StatelessNetwork(network)(parameters, X), functional_call(network, parameters, (X,)))


def test_gradient_is_of_the_parameters_given():
    """What is given gets the gradient, the network's own parameters get none."""
    network = TiedNetwork()
    parameters = {name: value.requires_grad_() for name, value in other_parameters(network).items()}
    StatelessNetwork(network)(parameters, X).sum().backward()
    assert all(value.grad is not None for value in parameters.values())
    assert all(own.grad is None for own in network.parameters())


@pytest.mark.parametrize("x", [X, X / 0], ids=["answers", "raises"])
def test_own_parameters_are_back_after_a_call(x):
    """The network is as it was, also where forward has failed."""
    network = TiedNetwork()
    before = {name: (own, own.detach().clone()) for name, own in network.named_parameters()}
    try:
        StatelessNetwork(network)(other_parameters(network), x)
    except ValueError:
        assert not x.isfinite().all()
    for name, own in network.named_parameters():
        same, value = before[name]
        assert own is same
        assert torch.equal(own, value)
    assert network.output.weight is network.first.weight


def test_a_missing_parameter_leaves_the_network_as_it_was():
    """A name that is not given is an error, and no parameter stays replaced."""
    network = TiedNetwork()
    own = dict(network.named_parameters())
    parameters = other_parameters(network)
    del parameters["heads.1"]
    with pytest.raises(KeyError, match=r"heads\.1"):
        StatelessNetwork(network)(parameters, X)
    assert all(value is own[name] for name, value in network.named_parameters())
