"""Kernels of the triangular system, forward and backward, for 32 stories side by side.

Each sentence t subtracts what every sentence u before it wrote. `a` has the dot products of their entities, `c` those
of the relations that t reads with and the relations that u wrote with; a row of t loses the values of u, each times its
number of both. Vectors of a sentence lie a constant apart, and so do the numbers of `a` and `c`: the compiler then sees
that they do not overlap. The parts are functions of their own, for Numba makes slower code of them all in one.

In kernels e, r and v are entities, relations and values as in `state.KeysAndValues`, q the relations of reads.
"""

from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel

LANES = 32  # stories side by side
GROUP = 8  # sentences that subtract the past together, so that what they need of it is still in the cache
SECOND, THIRD = LANES, 2 * LANES  # where the second and third vector of a sentence begin


def product_flops(entity_products: int, relation_products: int, story: Any) -> int:
    """Return the multiplications and additions of so many products of entities and of relations, in every story."""
    entity, relation = story.entities.shape[2], story.relations.shape[2]
    return 2 * len(story.entities) * LANES * (entity_products * entity + relation_products * relation)


def _pairs(story: Any) -> int:
    """Pairs of a sentence and an earlier one."""
    sentences = story.entities.shape[1]
    return sentences * (sentences - 1) // 2


@no_type_check
def overlaps(one, other, a):
    """Compute the dot products of two vectors with two others."""
    for x in range(4 * LANES):
        a[x] = one.dtype.type(0)
    for d in range(len(one)):
        for b in range(LANES):
            x, y, z, w = one[d, b], one[d, SECOND + b], other[d, b], other[d, SECOND + b]
            a[b] += x * z
            a[LANES + b] += x * w
            a[2 * LANES + b] += y * z
            a[3 * LANES + b] += y * w


@no_type_check
def row_overlaps(one, other, c):
    """Compute the dot products of three vectors with three others."""
    for x in range(9 * LANES):
        c[x] = one.dtype.type(0)
    for d in range(len(one)):
        for i in range(3):
            row = 3 * i * LANES
            for b in range(LANES):
                x = one[d, i * LANES + b]
                c[row + b] += x * other[d, b]
                c[row + LANES + b] += x * other[d, SECOND + b]
                c[row + 2 * LANES + b] += x * other[d, THIRD + b]


@no_type_check
def subtract(a, other, one):
    """Subtract from each of two vectors the two others, each times its number."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y = other[d, b], other[d, SECOND + b]
            one[d, b] -= a[b] * x + a[LANES + b] * y
            one[d, SECOND + b] -= a[2 * LANES + b] * x + a[3 * LANES + b] * y


@no_type_check
def subtract_transposed(a, one, other):
    """Subtract with the numbers transposed: from the others the ones."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y = one[d, b], one[d, SECOND + b]
            other[d, b] -= a[b] * x + a[2 * LANES + b] * y
            other[d, SECOND + b] -= a[LANES + b] * x + a[3 * LANES + b] * y


@no_type_check
def subtract_rows(c, other, one):
    """Subtract from each of three vectors the three others, each times its number."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y, z = other[d, b], other[d, SECOND + b], other[d, THIRD + b]
            one[d, b] -= c[b] * x + c[LANES + b] * y + c[2 * LANES + b] * z
            one[d, SECOND + b] -= c[3 * LANES + b] * x + c[4 * LANES + b] * y + c[5 * LANES + b] * z
            one[d, THIRD + b] -= c[6 * LANES + b] * x + c[7 * LANES + b] * y + c[8 * LANES + b] * z


@no_type_check
def subtract_rows_transposed(c, one, other):
    """Subtract rows with the numbers transposed: from the others the ones."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y, z = one[d, b], one[d, SECOND + b], one[d, THIRD + b]
            other[d, b] -= c[b] * x + c[3 * LANES + b] * y + c[6 * LANES + b] * z
            other[d, SECOND + b] -= c[LANES + b] * x + c[4 * LANES + b] * y + c[7 * LANES + b] * z
            other[d, THIRD + b] -= c[2 * LANES + b] * x + c[5 * LANES + b] * y + c[8 * LANES + b] * z


@no_type_check
def fill_read_relations(relations, q):
    """Fill in what a sentence reads with: r1 for row W, r2 - r1 for row M, which has W's entity, r3 for row B."""
    for d in range(len(relations)):
        for b in range(LANES):
            q[d, b] = relations[d, b]
            q[d, SECOND + b] = relations[d, SECOND + b] - relations[d, b]
            q[d, THIRD + b] = relations[d, THIRD + b]


@njit_kernel(
    helpers=[overlaps, row_overlaps, subtract_rows, fill_read_relations],
    flops=lambda story: _pairs(story) * product_flops(4 + 9, 9, story),
)
@no_type_check
def solve(story):
    """Fill in the values."""
    e, r, v = story
    a, c, q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    zero, sentences = e.dtype.type(0), e.shape[1]
    for m in range(len(e)):
        for t in range(sentences):
            fill_read_relations(r[m, t], q[t])
            entities, values = e[m, t], v[m, t]
            for d in range(len(entities)):
                for b in range(LANES):
                    values[d, b] = entities[d, SECOND + b]
                    values[d, SECOND + b] = zero
                    values[d, THIRD + b] = entities[d, b]
        for first in range(0, sentences, GROUP):
            end = min(first + GROUP, sentences)
            for u in range(end - 1):
                for t in range(max(u + 1, first), end):
                    overlaps(e[m, t], e[m, u], a)
                    row_overlaps(q[t], r[m, u], c)
                    for i in range(3):
                        for j in range(3):
                            row, pair = (3 * i + j) * LANES, (2 * (i // 2) + j // 2) * LANES
                            for b in range(LANES):
                                c[row + b] *= a[pair + b]
                    subtract_rows(c, v[m, u], v[m, t])


@njit_kernel(
    helpers=[
        overlaps,
        row_overlaps,
        subtract,
        subtract_transposed,
        subtract_rows,
        subtract_rows_transposed,
        fill_read_relations,
    ],
    flops=lambda story, _: _pairs(story) * product_flops(4 + 9 + 9 + 8, 9 + 18, story),
)
@no_type_check
def solve_backward(story, grads):
    """Add to the gradients of entities and relations what comes through the values, whose gradient is used up."""
    e, r, v = story
    grad_e, grad_r, grad_v = grads
    a, c, q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    grad_a, grad_c, grad_q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    zero, sentences = e.dtype.type(0), e.shape[1]
    for m in range(len(e)):
        grad_q[:] = zero
        for t in range(sentences):
            fill_read_relations(r[m, t], q[t])
        for end in range(sentences, 0, -GROUP):
            first = max(0, end - GROUP)
            for u in range(end - 2, -1, -1):
                for t in range(max(u + 1, first), end):
                    overlaps(e[m, t], e[m, u], a)
                    row_overlaps(q[t], r[m, u], c)
                    row_overlaps(grad_v[m, t], v[m, u], grad_c)
                    grad_a[:] = zero
                    for i in range(3):
                        for j in range(3):
                            row, pair = (3 * i + j) * LANES, (2 * (i // 2) + j // 2) * LANES
                            for b in range(LANES):
                                grad_a[pair + b] += grad_c[row + b] * c[row + b]
                                c[row + b] *= a[pair + b]
                                grad_c[row + b] *= a[pair + b]
                    subtract_rows_transposed(c, grad_v[m, t], grad_v[m, u])
                    subtract_rows_transposed(grad_c, q[t], grad_r[m, u])
                    subtract_rows(grad_c, r[m, u], grad_q[t])
                    subtract(grad_a, e[m, u], grad_e[m, t])
                    subtract_transposed(grad_a, e[m, t], grad_e[m, u])
        for t in range(sentences):
            grad_entities, grad_relations, grad_values = grad_e[m, t], grad_r[m, t], grad_v[m, t]
            grad_read_relations = grad_q[t]
            for d in range(len(grad_entities)):
                for b in range(LANES):
                    grad_entities[d, b] += grad_values[d, THIRD + b]
                    grad_entities[d, SECOND + b] += grad_values[d, b]
            for d in range(len(grad_relations)):
                for b in range(LANES):
                    grad_relations[d, b] += grad_read_relations[d, b] - grad_read_relations[d, SECOND + b]
                    grad_relations[d, SECOND + b] += grad_read_relations[d, SECOND + b]
                    grad_relations[d, THIRD + b] += grad_read_relations[d, THIRD + b]
