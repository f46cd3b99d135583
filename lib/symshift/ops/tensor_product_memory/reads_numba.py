"""Kernels of chained reads from solved values, forward and backward, for 32 stories side by side.

Each read starts from the one before, after its layer norm. The forward pass keeps what was read before the norm, and
the backward pass computes the norm again.
"""

from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.functional import NORM_EPSILON
from symshift.ops.tensor_product_memory.solve_numba import LANES, SECOND, THIRD, product_flops
from symshift.ops.tensor_product_memory.state import KeysAndValues


@no_type_check
def pair_overlaps(query, vectors, a):
    """Compute the dot products of one vector with two others."""
    for x in range(2 * LANES):
        a[x] = query.dtype.type(0)
    for d in range(len(query)):
        for b in range(LANES):
            a[b] += query[d, b] * vectors[d, b]
            a[LANES + b] += query[d, b] * vectors[d, SECOND + b]


@no_type_check
def triple_overlaps(query, vectors, c):
    """Compute the dot products of one vector with three others."""
    for x in range(3 * LANES):
        c[x] = query.dtype.type(0)
    for d in range(len(query)):
        for b in range(LANES):
            c[b] += query[d, b] * vectors[d, b]
            c[LANES + b] += query[d, b] * vectors[d, SECOND + b]
            c[2 * LANES + b] += query[d, b] * vectors[d, THIRD + b]


@no_type_check
def add_from_triple(c, vectors, retrieved):
    """Add three vectors to one, each times its number."""
    for d in range(len(retrieved)):
        for b in range(LANES):
            x, y, z = vectors[d, b], vectors[d, SECOND + b], vectors[d, THIRD + b]
            retrieved[d, b] += c[b] * x + c[LANES + b] * y + c[2 * LANES + b] * z


@no_type_check
def add_to_triple(c, grad_retrieved, grad_vectors):
    """Add one vector to three, times the number of each."""
    for d in range(len(grad_retrieved)):
        for b in range(LANES):
            grad_vectors[d, b] += c[b] * grad_retrieved[d, b]
            grad_vectors[d, SECOND + b] += c[LANES + b] * grad_retrieved[d, b]
            grad_vectors[d, THIRD + b] += c[2 * LANES + b] * grad_retrieved[d, b]


@no_type_check
def read(entity, relation, story, retrieved):
    """Compute F(entity, relation) of a block."""
    e, r, v = story
    a, c = np.empty(2 * LANES, e.dtype), np.empty(3 * LANES, e.dtype)
    retrieved[:] = e.dtype.type(0)
    for t in range(len(e)):
        pair_overlaps(entity, e[t], a)
        triple_overlaps(relation, r[t], c)
        for i in range(3):
            for b in range(LANES):
                c[i * LANES + b] *= a[i // 2 * LANES + b]
        add_from_triple(c, v[t], retrieved)


@no_type_check
def read_backward_block(entity, relation, story, grad_retrieved, grad_entity, grad_relation, grad_story):
    """Add to all other gradients of a block what comes from that of a read."""
    e, r, v = story
    grad_e, grad_r, grad_v = grad_story
    a, grad_a = np.empty(2 * LANES, e.dtype), np.empty(2 * LANES, e.dtype)
    c, grad_c = np.empty(3 * LANES, e.dtype), np.empty(3 * LANES, e.dtype)
    for t in range(len(e)):
        pair_overlaps(entity, e[t], a)
        triple_overlaps(relation, r[t], c)
        triple_overlaps(grad_retrieved, v[t], grad_c)
        grad_a[:] = e.dtype.type(0)
        for i in range(3):
            for b in range(LANES):
                row, pair = i * LANES + b, i // 2 * LANES + b
                grad_a[pair] += grad_c[row] * c[row]
                c[row] *= a[pair]
                grad_c[row] *= a[pair]
        add_to_triple(c, grad_retrieved, grad_v[t])
        add_to_triple(grad_c, relation, grad_r[t])
        add_from_triple(grad_c, r[t], grad_relation)
        entities, grad_entities = e[t], grad_e[t]
        for d in range(len(entity)):
            for b in range(LANES):
                grad_entity[d, b] += grad_a[b] * entities[d, b] + grad_a[LANES + b] * entities[d, SECOND + b]
                grad_entities[d, b] += grad_a[b] * entity[d, b]
                grad_entities[d, SECOND + b] += grad_a[LANES + b] * entity[d, b]


@no_type_check
def standardize(retrieved, mask, standard, scale, share):
    """Give real dims mean 0 and variance 1; `scale` is by what, `share` is one over the number of real dims."""
    one, zero = retrieved.dtype.type(1), retrieved.dtype.type(0)
    mean = np.zeros(LANES, retrieved.dtype)
    share[:], scale[:] = zero, zero
    for d in range(len(retrieved)):
        for b in range(LANES):
            share[b] += mask[d, b]
            mean[b] += retrieved[d, b]
    for b in range(LANES):
        share[b] = one / max(share[b], one)
        mean[b] *= share[b]
    for d in range(len(retrieved)):
        for b in range(LANES):
            standard[d, b] = (retrieved[d, b] - mean[b]) * mask[d, b]
            scale[b] += standard[d, b] * standard[d, b]
    for b in range(LANES):
        scale[b] = one / np.sqrt(scale[b] * share[b] + retrieved.dtype.type(NORM_EPSILON))
    for d in range(len(retrieved)):
        for b in range(LANES):
            standard[d, b] *= scale[b]


@no_type_check
def standardize_backward(mask, standard, scale, share, grad):
    """Turn the gradient of what is standardized into that of what was retrieved, in its place."""
    along, mean = np.zeros(LANES, grad.dtype), np.zeros(LANES, grad.dtype)
    for d in range(len(grad)):
        for b in range(LANES):
            along[b] += grad[d, b] * standard[d, b]
    for b in range(LANES):
        along[b] *= share[b]
    for d in range(len(grad)):
        for b in range(LANES):
            grad[d, b] = (grad[d, b] - along[b] * standard[d, b]) * scale[b] * mask[d, b]
            mean[b] += grad[d, b]
    for d in range(len(grad)):
        for b in range(LANES):
            grad[d, b] -= mean[b] * share[b]


@njit_kernel(
    helpers=[pair_overlaps, triple_overlaps, add_from_triple, read, standardize],
    flops=lambda story, state, *_: _reads(story, state) * product_flops(2 + 3, 3, story),
)
@no_type_check
def read_forward(story, state, gains, biases):
    """Fill in reads before and after their norms. The blocks of a model follow each other; it has a row of gains."""
    e, r, v = story
    share, scale = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    for m in range(len(e)):
        model, mask = m * len(gains) // len(e), state.dim_mask[m, 0]
        block = KeysAndValues(e[m], r[m], v[m])
        entity = state.query_entity[m, 0]
        for k in range(state.query_relations.shape[1]):
            retrieved = state.retrieved[m, k]
            read(entity, state.query_relations[m, k], block, retrieved)
            entity, gain, bias = state.reads[m, k], gains[model, k], biases[model, k]
            standardize(retrieved, mask, entity, scale, share)
            for d in range(len(entity)):
                for b in range(LANES):
                    entity[d, b] = entity[d, b] * gain + bias * mask[d, b]


@njit_kernel(
    helpers=[
        pair_overlaps,
        triple_overlaps,
        add_from_triple,
        add_to_triple,
        read_backward_block,
        standardize,
        standardize_backward,
    ],
    flops=lambda story, state, *_: _reads(story, state) * product_flops(6 + 6, 9, story),
)
@no_type_check
def read_backward(story, state, gains, grad_reads, grad_story, grads):
    """Fill in the gradient of the query entity, and add to all others what comes from that of the reads."""
    e, r, v = story
    grad_e, grad_r, grad_v = grad_story
    share, scale = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    standard, grad = np.empty_like(state.query_entity[0, 0]), np.empty_like(state.query_entity[0, 0])
    by_gain, by_bias = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    for m in range(len(e)):
        model, mask = m * len(gains) // len(e), state.dim_mask[m, 0]
        block, grad_block = KeysAndValues(e[m], r[m], v[m]), KeysAndValues(grad_e[m], grad_r[m], grad_v[m])
        grad_entity = grads.query_entity[m, 0]
        grad_entity[:] = e.dtype.type(0)
        for k in range(state.query_relations.shape[1] - 1, -1, -1):
            standardize(state.retrieved[m, k], mask, standard, scale, share)
            gain, grad_gain, grad_bias = gains[model, k], e.dtype.type(0), e.dtype.type(0)
            by_gain[:] = e.dtype.type(0)
            by_bias[:] = e.dtype.type(0)
            for d in range(len(grad)):
                for b in range(LANES):
                    x = (grad_reads[m, k, d, b] + grad_entity[d, b]) * mask[d, b]
                    by_gain[b] += x * standard[d, b]
                    by_bias[b] += x
                    grad[d, b] = x * gain
            for b in range(LANES):
                grad_gain += by_gain[b]
                grad_bias += by_bias[b]
            grads.gains[model, k] += grad_gain
            grads.biases[model, k] += grad_bias
            standardize_backward(mask, standard, scale, share, grad)
            entity, relation = state.reads[m, k - 1] if k else state.query_entity[m, 0], state.query_relations[m, k]
            grad_relation = grads.query_relations[m, k]
            grad_entity[:] = e.dtype.type(0)
            read_backward_block(entity, relation, block, grad, grad_entity, grad_relation, grad_block)


def _reads(story: Any, state: Any) -> int:
    """Pairs of a read and a sentence."""
    return state.query_relations.shape[1] * story.entities.shape[1]
