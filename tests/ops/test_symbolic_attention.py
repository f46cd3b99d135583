"""The series that stand in compiled loops for a library's functions."""

import numpy as np

from symshift.ops.symbolic_attention.numba import exp_of_negative, log_one_plus


def test_exp_of_negative_is_exp():
    """From -40 to 0 the error is below 1e-12 of e^x, and below that e^x is as good as 0."""
    x = np.linspace(-40, 0, 10_001)
    np.testing.assert_allclose([exp_of_negative(value) for value in x], np.exp(x), rtol=1e-12)
    assert all(0 < exp_of_negative(value) < 1e-17 for value in (-40.1, -300.0, -1e30, -np.inf))


def test_log_one_plus_is_log1p():
    """From 0 to 1 the error is below 1e-13 of log(1 + x)."""
    x = np.linspace(0, 1, 10_001)
    np.testing.assert_allclose([log_one_plus(value) for value in x], np.log1p(x), rtol=1e-13)
