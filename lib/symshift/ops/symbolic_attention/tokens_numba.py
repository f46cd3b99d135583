"""Tokens and queries as rows of features in compiled loops: semantic dims, then channels by symbols."""

from typing import no_type_check

import numpy as np

from symshift.ops.symbolic_attention.rows_numba import copy_row, mix_rows
from symshift.ops.symbolic_attention.state import EPSILON

MAX_QUERIES = 16  # that are answered together
ONE_THREAD = 2**18  # multiplications of a product above which OpenBLAS may start threads


@no_type_check
def gather_tokens(semantic, symbolic, mask, tokens, index, scales):
    """Fill tokens with both halves of the real ones, the symbolic one divided by its norm; return how many there are.

    `index` gets their numbers and `scales` one over their norms.
    """
    dim, features = semantic.shape[1], tokens.shape[1]
    one, length = semantic.dtype.type(1), 0
    for j in range(len(semantic)):
        if mask[j]:
            index[length] = j
            own, square = symbolic[j].reshape(features - dim), semantic.dtype.type(EPSILON)
            for f in range(features - dim):
                square += own[f] * own[f]
            scale = one / np.sqrt(square)
            scales[length] = scale
            copy_row(semantic[j], tokens[length, :dim])
            for f in range(features - dim):
                tokens[length, dim + f] = own[f] * scale
            length += 1
    return length


@no_type_check
def scatter_gradients(tokens, grad_tokens, index, scales, length, grad_semantic, grad_symbolic):
    """Fill the gradients of both halves, that of the symbolic one through its norm; blank tokens have none."""
    dim, features = grad_semantic.shape[1], tokens.shape[1]
    zero = tokens.dtype.type(0)
    grad_semantic[:] = zero
    grad_symbolic[:] = zero
    for r in range(length):
        copy_row(grad_tokens[r, :dim], grad_semantic[index[r]])
        own, grad, along = tokens[r, dim:], grad_tokens[r, dim:], zero
        result = grad_symbolic[index[r]].reshape(features - dim)
        for f in range(features - dim):
            along += own[f] * grad[f]
        for f in range(features - dim):
            result[f] = scales[r] * (grad[f] - along * own[f])


@no_type_check
def join_halves(vectors, names, rows):
    """Fill the row of each head with its vector, then its channels, which lie below each other in `names`."""
    heads, dim = vectors.shape
    by_head = names.reshape(heads, -1)
    for h in range(heads):
        copy_row(vectors[h], rows[h, :dim])
        copy_row(by_head[h], rows[h, dim:])


@no_type_check
def split_halves(rows, vectors, names):
    """Fill in the vector and the channels of each head from its row."""
    heads, dim = vectors.shape
    by_head = names.reshape(heads, -1)
    for h in range(heads):
        copy_row(rows[h, :dim], vectors[h])
        copy_row(rows[h, dim:], by_head[h])


@no_type_check
def queries_at_once(heads, length, features):
    """Return how many queries to answer together."""
    return max(1, min(MAX_QUERIES, ONE_THREAD // max(1, 2 * heads * length * features)))


@no_type_check
def fill_queries(queries, match, tokens, index, first, last, matched, rows):
    """Fill rows with what the heads of some tokens match: q_ih with u_j, and M_h^T N_i with N_j."""
    heads, dim = queries.shape[1:]
    for r in range(first, last):
        mix_rows(match, tokens[r, dim:].reshape(match.shape[1], -1), matched, False)
        join_halves(queries[index[r]], matched, rows[(r - first) * heads :])
