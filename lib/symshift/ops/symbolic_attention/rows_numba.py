"""Products, copies and sums of a few rows in compiled loops, which are too small for a call of OpenBLAS.

A product takes four rows at a time; where fewer are left, the last one fills in with a weight of zero.
"""

from typing import no_type_check


@no_type_check
def mix_rows(matrix, rows, result, add):
    """Fill result with matrix @ rows, or add it to what is there; there is at least one row."""
    count, width = rows.shape
    outputs, last = matrix.shape[0], count - 1
    zero, one = rows.dtype.type(0), rows.dtype.type(1)
    for c in range(0, count, 4):
        c1, c2, c3 = min(c + 1, last), min(c + 2, last), min(c + 3, last)
        k1, k2, k3 = one if c + 1 < count else zero, one if c + 2 < count else zero, one if c + 3 < count else zero
        fill = c == 0 and not add
        for o in range(0, outputs - 1, 2):
            w0, w1, w2, w3 = matrix[o, c], k1 * matrix[o, c1], k2 * matrix[o, c2], k3 * matrix[o, c3]
            p = o + 1
            v0, v1, v2, v3 = matrix[p, c], k1 * matrix[p, c1], k2 * matrix[p, c2], k3 * matrix[p, c3]
            if fill:
                for f in range(width):
                    x0, x1, x2, x3 = rows[c, f], rows[c1, f], rows[c2, f], rows[c3, f]
                    result[o, f] = (w0 * x0 + w1 * x1) + (w2 * x2 + w3 * x3)
                    result[p, f] = (v0 * x0 + v1 * x1) + (v2 * x2 + v3 * x3)
            else:
                for f in range(width):
                    x0, x1, x2, x3 = rows[c, f], rows[c1, f], rows[c2, f], rows[c3, f]
                    result[o, f] += (w0 * x0 + w1 * x1) + (w2 * x2 + w3 * x3)
                    result[p, f] += (v0 * x0 + v1 * x1) + (v2 * x2 + v3 * x3)
        if outputs % 2:
            o = outputs - 1
            w0, w1, w2, w3 = matrix[o, c], k1 * matrix[o, c1], k2 * matrix[o, c2], k3 * matrix[o, c3]
            if fill:
                result[o] = zero
            for f in range(width):
                result[o, f] += (w0 * rows[c, f] + w1 * rows[c1, f]) + (w2 * rows[c2, f] + w3 * rows[c3, f])


@no_type_check
def compare_rows(first, second, result, add):
    """Fill result with first @ second.T, or add it to what is there."""
    count, width = first.shape
    others = second.shape[0]
    zero, last = first.dtype.type(0), count - 1
    if not add:
        for c in range(count):
            for o in range(others):
                result[c, o] = zero
    for c in range(0, count, 4):
        c1, c2, c3 = min(c + 1, last), min(c + 2, last), min(c + 3, last)
        for o in range(0, others, 2):
            p = min(o + 1, others - 1)
            sum0, sum1, sum2, sum3 = zero, zero, zero, zero
            total0, total1, total2, total3 = zero, zero, zero, zero
            for f in range(width):
                a, b, e, d = first[c, f], first[c1, f], first[c2, f], first[c3, f]
                x, y = second[o, f], second[p, f]
                sum0 += a * x
                sum1 += b * x
                sum2 += e * x
                sum3 += d * x
                total0 += a * y
                total1 += b * y
                total2 += e * y
                total3 += d * y
            result[c, o] += sum0
            if c + 1 < count:
                result[c1, o] += sum1
            if c + 2 < count:
                result[c2, o] += sum2
            if c + 3 < count:
                result[c3, o] += sum3
            if o + 1 < others:
                result[c, p] += total0
                if c + 1 < count:
                    result[c1, p] += total1
                if c + 2 < count:
                    result[c2, p] += total2
                if c + 3 < count:
                    result[c3, p] += total3


@no_type_check
def table(buffer, rows, columns):
    """Return the first numbers of a buffer as rows without gaps, so that one loop may go through all of them."""
    return buffer[: rows * columns].reshape(rows, columns)


@no_type_check
def copy_row(source, result):
    """Fill one row with another."""
    for f in range(len(result)):
        result[f] = source[f]


@no_type_check
def add_row(source, result):
    """Add one row to another."""
    for f in range(len(result)):
        result[f] += source[f]
