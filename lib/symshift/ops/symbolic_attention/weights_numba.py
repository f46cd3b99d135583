"""From logits to weights in compiled loops: the bias of ages, matches that hide earlier ones, softmax and dropout.

A row of logits has one number for each token; rows are queries by heads.
"""

from typing import no_type_check

import numpy as np

from symshift.ops.hashing import KEEP_ALL, hash_element
from symshift.ops.symbolic_attention.series_numba import exp_of_negative, log_one_plus
from symshift.ops.symbolic_attention.state import MATCH_LOGIT


@no_type_check
def fill_columns(ages, index, first, last, seen, longest, columns):
    """Fill in the column of the bias for some tokens and each one that they attend to."""
    for r in range(first, last):
        for j in range(seen):
            columns[r - first, j] = min(max(ages[index[j]] - ages[index[r]], -longest), longest) + longest


@no_type_check
def add_bias(logits, bias, columns, first, causal):
    """Add the bias of each head; where tokens attend to those before them alone, later ones have no weight."""
    heads, seen = len(bias), logits.shape[1]
    for row in range(len(logits)):
        r, h = row // heads, row % heads
        for j in range(seen):
            logits[row, j] += bias[h, columns[r, j]]
        if causal and first + r > 0:
            for j in range(first + r + 1, seen):
                logits[row, j] = -np.inf


@no_type_check
def fill_softmax(logits):
    """Put weights in place of the logits of each row."""
    rows, count = logits.shape
    number, flat = logits.dtype.type, logits.reshape(rows * count)
    for h in range(rows):
        largest = number(-np.inf)
        for r in range(count):
            largest = max(largest, logits[h, r])
        for r in range(count):
            logits[h, r] -= largest
    for n in range(rows * count):
        flat[n] = exp_of_negative(flat[n])
    for h in range(rows):
        total = number(0)
        for r in range(count):
            total += logits[h, r]
        share = number(1) / total
        for r in range(count):
            logits[h, r] *= share


@no_type_check
def hide_earlier(logits, recency, matches):
    """Take from each logit what later tokens hide of it; fill in how well each token matches, softplus(logit - 3)."""
    rows, count = logits.shape
    number = logits.dtype.type
    flat, flat_matches = logits.reshape(rows * count), matches.reshape(rows * count)
    for n in range(rows * count):
        excess = flat[n] - number(MATCH_LOGIT)
        flat_matches[n] = max(excess, number(0)) + log_one_plus(exp_of_negative(-abs(excess)))
    for row in range(rows):
        later, rate = number(0), recency[row % len(recency)]
        for j in range(count - 1, -1, -1):
            logits[row, j] -= rate * later
            later += matches[row, j]


@no_type_check
def hide_earlier_gradient(matches, recency, grads, slopes, grad_recency):
    """Put gradients of logits in place of those of what is left of them, and add to that of recency.

    A match is softplus(logit - 3), so its slope, which is filled in, is 1 - exp(-match).
    """
    rows, count = grads.shape
    number, flat_slopes, flat_matches = grads.dtype.type, slopes.reshape(rows * count), matches.reshape(rows * count)
    for n in range(rows * count):
        flat_slopes[n] = 1 - exp_of_negative(-flat_matches[n])
    for row in range(rows):
        h, earlier, total = row % len(recency), number(0), number(0)
        for j in range(count):
            own = grads[row, j]
            total += matches[row, j] * earlier
            grads[row, j] = own - recency[h] * slopes[row, j] * earlier
            earlier += own
        grad_recency[h] -= total


@no_type_check
def fill_dropout(factors, index, first, second, start, dropout):
    """Fill in what dropout multiplies the weights of one head by; `start` is the number of the first."""
    _, threshold, scale = dropout
    zero, scale = factors.dtype.type(0), factors.dtype.type(scale)
    if threshold == KEEP_ALL:
        factors[:] = scale
        return
    threshold = np.int32(threshold)
    for j in range(len(factors)):
        factors[j] = scale if hash_element(first, second, start + index[j]) < threshold else zero
