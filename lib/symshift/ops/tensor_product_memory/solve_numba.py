"""The triangular system of `fast_weights`, there and back, for 32 stories side by side.

Each sentence t looks back at every sentence u before it. `a` has the dot products of their entities, `c` those of the
relations that t takes a read with and the relations that u wrote with; a row of t loses the values of u, each times its
number of both. Vectors of a sentence lie a constant apart, and so do the numbers of `a` and `c`: the compiler then sees
that they do not overlap. The parts are functions of their own, for Numba makes slower code of them all in one."""

from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel

LANES = 32  # stories side by side
TOGETHER = 8  # sentences that look back at the same time, so that what they see is still in the cache
SECOND, THIRD = LANES, 2 * LANES  # where the further vectors of a sentence begin


def products(of_entity: int, of_relation: int, e: Any, r: Any) -> int:
    """Multiplications and additions of so many products of entities, and of relations, in every story."""
    return 2 * len(e) * LANES * (of_entity * e.shape[2] + of_relation * r.shape[2])


def _looks(e: Any) -> int:
    return e.shape[1] * (e.shape[1] - 1) // 2


@no_type_check
def overlaps(one, other, a):
    """The dot products of two vectors with two others."""
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
    """The dot products of three vectors with three others."""
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
    """From each of two vectors the two others, each times its number."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y = other[d, b], other[d, SECOND + b]
            one[d, b] -= a[b] * x + a[LANES + b] * y
            one[d, SECOND + b] -= a[2 * LANES + b] * x + a[3 * LANES + b] * y


@no_type_check
def subtract_turned(a, one, other):
    """The same with the numbers turned."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y = one[d, b], one[d, SECOND + b]
            other[d, b] -= a[b] * x + a[2 * LANES + b] * y
            other[d, SECOND + b] -= a[LANES + b] * x + a[3 * LANES + b] * y


@no_type_check
def subtract_rows(c, other, one):
    """From each of three vectors the three others, each times its number."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y, z = other[d, b], other[d, SECOND + b], other[d, THIRD + b]
            one[d, b] -= c[b] * x + c[LANES + b] * y + c[2 * LANES + b] * z
            one[d, SECOND + b] -= c[3 * LANES + b] * x + c[4 * LANES + b] * y + c[5 * LANES + b] * z
            one[d, THIRD + b] -= c[6 * LANES + b] * x + c[7 * LANES + b] * y + c[8 * LANES + b] * z


@no_type_check
def subtract_rows_turned(c, one, other):
    """The same with the numbers turned."""
    for d in range(len(one)):
        for b in range(LANES):
            x, y, z = one[d, b], one[d, SECOND + b], one[d, THIRD + b]
            other[d, b] -= c[b] * x + c[3 * LANES + b] * y + c[6 * LANES + b] * z
            other[d, SECOND + b] -= c[LANES + b] * x + c[4 * LANES + b] * y + c[7 * LANES + b] * z
            other[d, THIRD + b] -= c[2 * LANES + b] * x + c[5 * LANES + b] * y + c[8 * LANES + b] * z


@no_type_check
def asked_of(relations, q):
    """The relations that a sentence takes a read with: r1 for W, r2 - r1 for M, which has the same entity, r3 for B."""
    for d in range(len(relations)):
        for b in range(LANES):
            q[d, b] = relations[d, b]
            q[d, SECOND + b] = relations[d, SECOND + b] - relations[d, b]
            q[d, THIRD + b] = relations[d, THIRD + b]


@njit_kernel(
    helpers=[overlaps, row_overlaps, subtract_rows, asked_of],
    flops=lambda e, r, v: _looks(e) * products(4 + 9, 9, e, r),
)
@no_type_check
def solve(e, r, v):
    """The values v of entities e and relations r."""
    a, c, q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    zero, sentences = e.dtype.type(0), e.shape[1]
    for m in range(len(e)):
        for t in range(sentences):
            asked_of(r[m, t], q[t])
            entities, values = e[m, t], v[m, t]
            for d in range(len(entities)):
                for b in range(LANES):
                    values[d, b] = entities[d, SECOND + b]
                    values[d, SECOND + b] = zero
                    values[d, THIRD + b] = entities[d, b]
        for first in range(0, sentences, TOGETHER):
            end = min(first + TOGETHER, sentences)
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
    helpers=[overlaps, row_overlaps, subtract, subtract_turned, subtract_rows, subtract_rows_turned, asked_of],
    flops=lambda e, r, *_: _looks(e) * products(4 + 9 + 9 + 8, 9 + 18, e, r),
)
@no_type_check
def solve_back(e, r, v, of_e, of_r, of_v):
    """From the gradient of the values, which is used up, those of entities and relations, added to what is there."""
    a, c, q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    of_a, of_c, of_q = np.empty(4 * LANES, e.dtype), np.empty(9 * LANES, e.dtype), np.empty_like(r[0])
    zero, sentences = e.dtype.type(0), e.shape[1]
    for m in range(len(e)):
        of_q[:] = zero
        for t in range(sentences):
            asked_of(r[m, t], q[t])
        for end in range(sentences, 0, -TOGETHER):
            first = max(0, end - TOGETHER)
            for u in range(end - 2, -1, -1):
                for t in range(max(u + 1, first), end):
                    overlaps(e[m, t], e[m, u], a)
                    row_overlaps(q[t], r[m, u], c)
                    row_overlaps(of_v[m, t], v[m, u], of_c)
                    of_a[:] = zero
                    for i in range(3):
                        for j in range(3):
                            row, pair = (3 * i + j) * LANES, (2 * (i // 2) + j // 2) * LANES
                            for b in range(LANES):
                                of_a[pair + b] += of_c[row + b] * c[row + b]
                                c[row + b] *= a[pair + b]
                                of_c[row + b] *= a[pair + b]
                    subtract_rows_turned(c, of_v[m, t], of_v[m, u])
                    subtract_rows_turned(of_c, q[t], of_r[m, u])
                    subtract_rows(of_c, r[m, u], of_q[t])
                    subtract(of_a, e[m, u], of_e[m, t])
                    subtract_turned(of_a, e[m, t], of_e[m, u])
        for t in range(sentences):
            of_entities, of_relations, of_values, of_asked = of_e[m, t], of_r[m, t], of_v[m, t], of_q[t]
            for d in range(len(of_entities)):
                for b in range(LANES):
                    of_entities[d, b] += of_values[d, THIRD + b]
                    of_entities[d, SECOND + b] += of_values[d, b]
            for d in range(len(of_relations)):
                for b in range(LANES):
                    of_relations[d, b] += of_asked[d, b] - of_asked[d, SECOND + b]
                    of_relations[d, SECOND + b] += of_asked[d, SECOND + b]
                    of_relations[d, THIRD + b] += of_asked[d, THIRD + b]
