"""Dropout by a hash in one compiled loop."""

from typing import no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.hashing import hash_element


@njit_kernel(helpers=[hash_element])
@no_type_check
def dropout_kernel(x, result, key, salt, threshold, scale):
    """Fill the result (model, element) from x of that shape and key (model, 2)."""
    zero, scale = x.dtype.type(0), x.dtype.type(scale)
    threshold = np.int32(threshold)
    for m in range(len(x)):
        first, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 1])
        for n in range(x.shape[1]):
            result[m, n] = x[m, n] * (scale if hash_element(first, second, n) < threshold else zero)
