"""Long stories, and the series that stand in compiled loops for a library's functions."""

import numpy as np
import pytest
import torch

from symshift.ops.backend import use_backend
from symshift.ops.symbolic_attention.series_numba import exp_of_negative, log_one_plus
from symshift.ops.symbolic_attention.tokens_numba import MAX_QUERIES
from tests.ops.cases import attend_symbols, attention_arguments


@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
@pytest.mark.parametrize("recency", [False, True], ids=["softmax", "recency"])
def test_queries_beyond_those_answered_together(recency, causal):
    """Values and gradients are those of the torch form, which takes a story as a whole."""
    tokens = 2 * MAX_QUERIES + 3
    arguments = attention_arguments(2, torch.Generator().manual_seed(0), tokens, recency, tokens)
    leaves = [x.requires_grad_() for x in arguments if x.is_floating_point() and x.numel()]

    def values_and_gradients(backend):
        with use_backend(backend):
            *attended, weights = attend_symbols(*arguments, rate=0.2, causal=causal)
        return *attended, weights, *torch.autograd.grad(sum(x.sin().sum() for x in attended), leaves)

    found, expected = map(values_and_gradients, ("numba", "torch"))
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-10)


def test_exp_of_negative_is_exp():
    """From -40 to 0 the error is below 1e-12 of e^x, and below that e^x is as good as 0."""
    x = np.linspace(-40, 0, 10_001)
    np.testing.assert_allclose([exp_of_negative(value) for value in x], np.exp(x), rtol=1e-12)
    assert all(0 < exp_of_negative(value) < 1e-17 for value in (-40.1, -300.0, -1e30, -np.inf))


def test_log_one_plus_is_log1p():
    """From 0 to 1 the error is below 1e-13 of log(1 + x)."""
    x = np.linspace(0, 1, 10_001)
    np.testing.assert_allclose([log_one_plus(value) for value in x], np.log1p(x), rtol=1e-13)
