"""The chained reads of TPR-RNN from the values of `fast_weights_loops`, there and back, for 32 stories side by side.

Each read starts from the one before, after its layer norm. What a read finds is kept; the norm is made again on the way
back."""

from typing import no_type_check

import numpy as np

from symshift.models.layers import NORM_EPSILON
from symshift.ops.backend import njit_kernel
from symshift.ops.tensor_product_memory.solve_numba import LANES, SECOND, THIRD, products


@no_type_check
def pair_overlaps(asked, vectors, a):
    """The dot products of one vector with two others."""
    for x in range(2 * LANES):
        a[x] = asked.dtype.type(0)
    for d in range(len(asked)):
        for b in range(LANES):
            a[b] += asked[d, b] * vectors[d, b]
            a[LANES + b] += asked[d, b] * vectors[d, SECOND + b]


@no_type_check
def triple_overlaps(asked, vectors, c):
    """The dot products of one vector with three others."""
    for x in range(3 * LANES):
        c[x] = asked.dtype.type(0)
    for d in range(len(asked)):
        for b in range(LANES):
            c[b] += asked[d, b] * vectors[d, b]
            c[LANES + b] += asked[d, b] * vectors[d, SECOND + b]
            c[2 * LANES + b] += asked[d, b] * vectors[d, THIRD + b]


@no_type_check
def add_triple(c, vectors, found):
    """Three vectors to one, each times its number."""
    for d in range(len(found)):
        for b in range(LANES):
            x, y, z = vectors[d, b], vectors[d, SECOND + b], vectors[d, THIRD + b]
            found[d, b] += c[b] * x + c[LANES + b] * y + c[2 * LANES + b] * z


@no_type_check
def add_to_triple(c, of_found, of_vectors):
    """One vector to three, times the number of each."""
    for d in range(len(of_found)):
        for b in range(LANES):
            of_vectors[d, b] += c[b] * of_found[d, b]
            of_vectors[d, SECOND + b] += c[LANES + b] * of_found[d, b]
            of_vectors[d, THIRD + b] += c[2 * LANES + b] * of_found[d, b]


@no_type_check
def read(entity, relation, e, r, v, found):
    """What is found with an entity and a relation."""
    a, c = np.empty(2 * LANES, e.dtype), np.empty(3 * LANES, e.dtype)
    found[:] = e.dtype.type(0)
    for t in range(len(e)):
        pair_overlaps(entity, e[t], a)
        triple_overlaps(relation, r[t], c)
        for i in range(3):
            for b in range(LANES):
                c[i * LANES + b] *= a[i // 2 * LANES + b]
        add_triple(c, v[t], found)


@no_type_check
def read_back(entity, relation, e, r, v, of_found, of_entity, of_relation, of_e, of_r, of_v):
    """From the gradient of what was found those of all else, added to what is there."""
    a, of_a = np.empty(2 * LANES, e.dtype), np.empty(2 * LANES, e.dtype)
    c, of_c = np.empty(3 * LANES, e.dtype), np.empty(3 * LANES, e.dtype)
    for t in range(len(e)):
        pair_overlaps(entity, e[t], a)
        triple_overlaps(relation, r[t], c)
        triple_overlaps(of_found, v[t], of_c)
        of_a[:] = e.dtype.type(0)
        for i in range(3):
            for b in range(LANES):
                row, pair = i * LANES + b, i // 2 * LANES + b
                of_a[pair] += of_c[row] * c[row]
                c[row] *= a[pair]
                of_c[row] *= a[pair]
        add_to_triple(c, of_found, of_v[t])
        add_to_triple(of_c, relation, of_r[t])
        add_triple(of_c, r[t], of_relation)
        entities, of_entities = e[t], of_e[t]
        for d in range(len(entity)):
            for b in range(LANES):
                of_entity[d, b] += of_a[b] * entities[d, b] + of_a[LANES + b] * entities[d, SECOND + b]
                of_entities[d, b] += of_a[b] * entity[d, b]
                of_entities[d, SECOND + b] += of_a[LANES + b] * entity[d, b]


@no_type_check
def standardise(found, real, standard, scale, share):
    """What was found over its real dims with mean 0 and variance 1, its `scale`, and the `share` of a real dim."""
    one, zero = found.dtype.type(1), found.dtype.type(0)
    mean = np.zeros(LANES, found.dtype)
    share[:], scale[:] = zero, zero
    for d in range(len(found)):
        for b in range(LANES):
            share[b] += real[d, b]
            mean[b] += found[d, b]
    for b in range(LANES):
        share[b] = one / max(share[b], one)
        mean[b] *= share[b]
    for d in range(len(found)):
        for b in range(LANES):
            standard[d, b] = (found[d, b] - mean[b]) * real[d, b]
            scale[b] += standard[d, b] * standard[d, b]
    for b in range(LANES):
        scale[b] = one / np.sqrt(scale[b] * share[b] + found.dtype.type(NORM_EPSILON))
    for d in range(len(found)):
        for b in range(LANES):
            standard[d, b] *= scale[b]


@no_type_check
def standardise_back(real, standard, scale, share, of):
    """From the gradient of what was standardised that of what was found, in its place."""
    along, mean = np.zeros(LANES, of.dtype), np.zeros(LANES, of.dtype)
    for d in range(len(of)):
        for b in range(LANES):
            along[b] += of[d, b] * standard[d, b]
    for b in range(LANES):
        along[b] *= share[b]
    for d in range(len(of)):
        for b in range(LANES):
            of[d, b] = (of[d, b] - along[b] * standard[d, b]) * scale[b] * real[d, b]
            mean[b] += of[d, b]
    for d in range(len(of)):
        for b in range(LANES):
            of[d, b] -= mean[b] * share[b]


@njit_kernel(
    helpers=[pair_overlaps, triple_overlaps, add_triple, read, standardise],
    flops=lambda gains, biases, start, steps, e, r, *_: steps.shape[1] * e.shape[1] * products(2 + 3, 3, e, r),
)
@no_type_check
def chain(gains, biases, start, steps, e, r, v, real, found, reads):
    """What each step finds, before its norm and after. The blocks of a model follow each other; a row of gains and of
    biases is a model's."""
    share, scale = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    for m in range(len(e)):
        model, at = m * len(gains) // len(e), start[m, 0]
        for k in range(steps.shape[1]):
            read(at, steps[m, k], e[m], r[m], v[m], found[m, k])
            at, gain, bias = reads[m, k], gains[model, k], biases[model, k]
            standardise(found[m, k], real[m, 0], at, scale, share)
            for d in range(len(at)):
                for b in range(LANES):
                    at[d, b] = at[d, b] * gain + bias * real[m, 0, d, b]


@njit_kernel(
    helpers=[pair_overlaps, triple_overlaps, add_triple, add_to_triple, read_back, standardise, standardise_back],
    flops=lambda gains, start, steps, e, r, *_: steps.shape[1] * e.shape[1] * products(6 + 6, 9, e, r),
)
@no_type_check
def chain_back(
    gains, start, steps, e, r, v, real, found, reads, of_reads,
    of_start, of_steps, of_e, of_r, of_v, of_gains, of_biases,
):  # fmt: skip
    """From the gradient of the reads that of the start, and those of all else, added to what is there."""
    share, scale = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    standard, of = np.empty_like(start[0, 0]), np.empty_like(start[0, 0])
    by_gain, by_bias = np.empty(LANES, e.dtype), np.empty(LANES, e.dtype)
    for m in range(len(e)):
        model, of_at = m * len(gains) // len(e), of_start[m, 0]
        of_at[:] = e.dtype.type(0)
        for k in range(steps.shape[1] - 1, -1, -1):
            standardise(found[m, k], real[m, 0], standard, scale, share)
            gain, of_gain, of_bias = gains[model, k], e.dtype.type(0), e.dtype.type(0)
            by_gain[:] = e.dtype.type(0)
            by_bias[:] = e.dtype.type(0)
            for d in range(len(of)):
                for b in range(LANES):
                    x = (of_reads[m, k, d, b] + of_at[d, b]) * real[m, 0, d, b]
                    by_gain[b] += x * standard[d, b]
                    by_bias[b] += x
                    of[d, b] = x * gain
            for b in range(LANES):
                of_gain += by_gain[b]
                of_bias += by_bias[b]
            of_gains[model, k] += of_gain
            of_biases[model, k] += of_bias
            standardise_back(real[m, 0], standard, scale, share, of)
            at = reads[m, k - 1] if k else start[m, 0]
            of_at[:] = e.dtype.type(0)
            read_back(at, steps[m, k], e[m], r[m], v[m], of, of_at, of_steps[m, k], of_e[m], of_r[m], of_v[m])
