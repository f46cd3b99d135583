"""e^x and log(1 + x) by arithmetic alone, so that a compiled loop takes several numbers at a time."""

from typing import no_type_check

import numpy as np

LOWEST_EXPONENT = -700.0  # e to this is near the smallest double


@no_type_check
def exp_of_negative(x):
    """Return e^x for x <= 0 as a double.

    e^x = (e^(x / 512))^512, by a series and nine squares. From -40 on its error is below 1e-12 of it.
    """
    y = max(np.float64(x), LOWEST_EXPONENT) * (1 / 512)
    tail = 1 / 24 + y * (1 / 120 + y * (1 / 720 + y * (1 / 5040 + y * (1 / 40320))))
    p = 1 + y * (1 + y * (1 / 2 + y * (1 / 6 + y * tail)))
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    return p * p


@no_type_check
def log_one_plus(x):
    """Return log(1 + x) for x from 0 to 1: 2 artanh(x / (2 + x)), by its series up to 1e-14."""
    t = x / (2 + x)
    s = t * t
    tail = 1 / 15 + s * (1 / 17 + s * (1 / 19 + s * (1 / 21 + s * (1 / 23 + s * (1 / 25 + s * (1 / 27))))))
    return 2 * t * (1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13 + s * tail)))))))
