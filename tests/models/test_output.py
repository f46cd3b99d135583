"""The mixed answer (Eq. 3-4) stays finite where a sigmoid rounds to one or a half says nothing."""

import pytest
import torch

from symshift.models.base import Output
from tests.helpers.opened import refused

SYMBOLS = torch.tensor([[3, 1, 0]])  # words 3 and 1, then padding


def output(log_odds: float) -> Output:
    return Output(torch.zeros(1, 4), torch.zeros(1, 3), torch.tensor(log_odds, requires_grad=True), {})


@pytest.mark.parametrize("log_odds", [-200.0, -20.0, 0.0, 20.0, 200.0])
@pytest.mark.parametrize("answer", [pytest.param(3, id="in the context"), pytest.param(2, id="not in the context")])
def test_loss_and_gradient_are_finite_at_any_beta(log_odds: float, answer: int):
    """However sure the mixture is of one half."""
    mixed = output(log_odds)
    likelihood = mixed.log_likelihood(SYMBOLS, torch.tensor([answer]))
    (gradient,) = torch.autograd.grad(likelihood.sum(), mixed.log_odds)
    assert likelihood.isfinite().all()
    assert gradient.isfinite()


def test_mixture_is_equation_4():
    """Beta mixes the softmax over the vocabulary and the softmax over the context."""
    semantic, symbolic = output(1.0).component_probabilities(SYMBOLS, num_ids=5)
    beta = torch.sigmoid(torch.tensor(1.0))
    torch.testing.assert_close(semantic, beta * torch.tensor([[0.0, 0.25, 0.25, 0.25, 0.25]]))
    torch.testing.assert_close(symbolic, (1 - beta) * torch.tensor([[0.0, 0.5, 0.0, 0.5, 0.0]]))


def test_unseen_answer_comes_from_symbols_alone():
    """The semantic half has no mass for it."""
    unseen = torch.tensor([[6, 1, 0]])
    likelihood = output(0.0).log_likelihood(unseen, torch.tensor([6]))
    torch.testing.assert_close(likelihood.exp(), torch.tensor([0.25]))


def test_hidden_context_is_said_by_symbols_alone():
    """Words 3 and 1 are in the context: their semantic mass goes to words 2 and 4, but not in an example to keep."""
    both = Output(torch.zeros(2, 4), torch.zeros(2, 3), torch.tensor(0.0), {})
    hidden = both.hide_context(SYMBOLS.expand(2, 3), torch.tensor([True, False]))
    semantic, symbolic = hidden.component_probabilities(SYMBOLS.expand(2, 3), num_ids=5)
    torch.testing.assert_close(semantic, torch.tensor([[0.0, 0.125, 0.125, 0.125, 0.125], [0.0, 0.0, 0.25, 0.0, 0.25]]))
    assert torch.equal(symbolic, both.component_probabilities(SYMBOLS.expand(2, 3), num_ids=5)[1])


def test_hidden_context_may_be_of_some_words():
    """Of the words 3 and 1 of the context, vectors go on to say 1."""
    both = Output(torch.zeros(1, 4), torch.zeros(1, 3), torch.tensor(0.0), {})
    hidden = both.hide_context(SYMBOLS, torch.tensor([False]), torch.tensor([False, True, True, True]))
    semantic, _ = hidden.component_probabilities(SYMBOLS, num_ids=5)
    torch.testing.assert_close(semantic, torch.tensor([[0.0, 1 / 6, 1 / 6, 0.0, 1 / 6]]))


def test_hidden_context_wants_symbols():
    """A network that has none could not answer."""
    with refused("answer_dropout hides words that symbols can say, but this network has no symbols; set it to 0"):
        Output(torch.zeros(1, 4), None, None, {}).hide_context(SYMBOLS, torch.tensor([True]))
