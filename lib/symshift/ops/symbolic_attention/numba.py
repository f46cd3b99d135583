"""Symbolic attention in compiled loops, for a CPU: one story at a time, whose tokens stay in the cache.

A token is one vector of features: semantic dims, then channels by symbols. A few queries are answered together, so that
their products with all tokens are worth a call of OpenBLAS. Those of one token's channels are loops that take four rows
at a time; where fewer are left, the last one fills in with a weight of zero.
"""

from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.hashing import KEEP_ALL, hash_element
from symshift.ops.symbolic_attention.state import EPSILON, MATCH_LOGIT

LOWEST_EXPONENT = -700.0  # e to this is near the smallest double
MAX_QUERIES = 16  # that are answered together
ONE_THREAD = 2**18  # multiplications of a product above which OpenBLAS may start threads


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


@no_type_check
def exp_of_negative(x):
    """Return e^x for x <= 0 as a double, by arithmetic alone, so that a loop takes several numbers at a time.

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
    """Return log(1 + x) for x from 0 to 1 in the same way: 2 artanh(x / (2 + x)), by its series up to 1e-14."""
    t = x / (2 + x)
    s = t * t
    tail = 1 / 15 + s * (1 / 17 + s * (1 / 19 + s * (1 / 21 + s * (1 / 23 + s * (1 / 25 + s * (1 / 27))))))
    return 2 * t * (1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13 + s * tail)))))))


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


HELPERS = [
    hash_element,
    mix_rows,
    compare_rows,
    table,
    copy_row,
    add_row,
    gather_tokens,
    scatter_gradients,
    join_halves,
    split_halves,
    queries_at_once,
    fill_queries,
    fill_columns,
    add_bias,
    fill_dropout,
    exp_of_negative,
    log_one_plus,
    fill_softmax,
    hide_earlier,
    hide_earlier_gradient,
]


def product_numbers(inputs: Any) -> int:
    """Count the numbers that the queries meet in the tokens: those of both halves, for each query, head and token."""
    models, batch, queries, heads, dim = inputs.queries.shape
    tokens, channels, symbols = inputs.symbolic.shape[2:]
    return models * batch * queries * heads * tokens * (dim + channels * symbols)


def forward_flops(inputs: Any, *_: Any) -> int:
    """Count the multiplications and additions of the logits and of the sums; those of C_h and M_h are left out."""
    return 2 * 2 * product_numbers(inputs)


def backward_flops(inputs: Any, *_: Any) -> int:
    """Count those of the gradients of both factors of the logits and of the sums."""
    return 2 * 4 * product_numbers(inputs)


@njit_kernel(helpers=HELPERS, flops=forward_flops, reassociate=True)
@no_type_check
def forward_kernel(inputs, keys, dropout, causal, attended, matches, means):
    """Fill `attended`, and what the backward pass wants.

    That is how well each token matches, `matches` (model, batch, and the logits of a story one after the other), where
    there is a recency, and `means` (model, batch, query, head_channel, symbol) of N_j under the dropped weights.
    """
    salt = dropout[0]
    models, batch, queries, heads, dim = inputs.queries.shape
    count, channels, symbols = inputs.symbolic.shape[2:]
    number, features, max_rows = inputs.queries.dtype.type, dim + channels * symbols, MAX_QUERIES * heads
    tokens, index, scales = np.empty((count, features), number), np.empty(count, np.int64), np.empty(count, number)
    # a row for each query and head: what it matches, and what it attends to
    all_rows, all_means = np.empty((max_rows, features), number), np.empty((max_rows, features), number)
    matched, gated = np.empty((heads * channels, symbols), number), np.empty((channels, heads * channels), number)
    buffer, factors = np.empty(max_rows * count, number), np.empty(count, number)
    columns = np.empty((MAX_QUERIES, count), np.int64)
    for m in range(models):
        first_key, second_key = np.uint32(keys[m, 0] ^ salt), np.uint32(keys[m, 1])
        match, carry, bias, recency = inputs.match[m], inputs.carry[m], inputs.bias[m], inputs.recency[m]
        for b in range(batch):
            mask, weights, story_matches = inputs.mask[m, b], attended.weights[m, b], matches[m, b].reshape(-1)
            length = gather_tokens(inputs.semantic[m, b], inputs.symbolic[m, b], mask, tokens, index, scales)
            weights[:] = number(0)
            real_queries = 0
            for i in range(queries):
                if mask[i]:
                    real_queries += 1
                else:
                    attended.semantic[m, b, i] = number(0)
                    attended.relations[m, b, i] = number(0)
                    attended.symbolic[m, b, i] = number(0)
            group = queries_at_once(heads, length, features)
            for first in range(0, real_queries, group):
                last = min(first + group, real_queries)
                seen, rows = last if causal and first > 0 else length, (last - first) * heads
                logits = table(buffer, rows, seen)
                fill_queries(inputs.queries[m, b], match, tokens, index, first, last, matched, all_rows)
                np.dot(all_rows[:rows], tokens[:seen].T, logits)
                fill_columns(inputs.ages[m, b], index, first, last, seen, bias.shape[1] // 2, columns)
                add_bias(logits, bias, columns, first, causal)
                if len(recency):
                    hide_earlier(logits, recency, table(story_matches[first * heads * count :], rows, seen))
                fill_softmax(logits)
                for row in range(rows):
                    i, h, own = index[first + row // heads], row % heads, logits[row]
                    start = ((b * queries + i) * heads + h) * count
                    fill_dropout(factors[:seen], index, first_key, second_key, start, dropout)
                    for j in range(seen):
                        weights[i, h, index[j]] = own[j]
                        own[j] *= factors[j]
                np.dot(logits, tokens[:seen], all_means[:rows])
                for r in range(first, last):
                    i, own = index[r], tokens[r, dim:].reshape(channels, symbols)
                    mean, symbolic = means[m, b, i], attended.symbolic[m, b, i]
                    split_halves(all_means[(r - first) * heads :], attended.semantic[m, b, i], mean)
                    compare_rows(own, mean, attended.relations[m, b, i], False)
                    for c in range(channels):
                        copy_row(inputs.symbolic[m, b, i, c], symbolic[c])
                        for k in range(heads * channels):
                            gated[c, k] = inputs.gate[m, b, i] * carry[c, k]
                    mix_rows(gated, mean, symbolic, True)


@njit_kernel(helpers=HELPERS, flops=backward_flops, reassociate=True)
@no_type_check
def backward_kernel(inputs, keys, dropout, causal, weights, matches, means, grads):
    """Fill the gradients of queries, tokens and gates; add to those of match, carry, bias and recency."""
    salt = dropout[0]
    models, batch, queries, heads, dim = inputs.queries.shape
    count, channels, symbols = inputs.symbolic.shape[2:]
    number, features, max_rows = inputs.queries.dtype.type, dim + channels * symbols, MAX_QUERIES * heads
    tokens, index, scales = np.empty((count, features), number), np.empty(count, np.int64), np.empty(count, number)
    grad_tokens, products = np.empty((count, features), number), np.empty((count, features), number)
    # what queries match, and behind it the gradients of what they attend to
    all_rows, all_grad_rows = np.empty((2 * max_rows, features), number), np.empty((max_rows, features), number)
    buffer, slopes = np.empty(2 * max_rows * count, number), np.empty(max_rows * count, number)
    columns, factors = np.empty((MAX_QUERIES, count), np.int64), np.empty(count, number)
    matched = np.empty((heads * channels, symbols), number)
    match_transposed = np.empty((channels, heads * channels), number)
    both, mixer = np.empty((2 * channels, symbols), number), np.empty((heads * channels, 2 * channels), number)
    grad_gated = np.empty((channels, heads * channels), number)
    for m in range(models):
        first_key, second_key = np.uint32(keys[m, 0] ^ salt), np.uint32(keys[m, 1])
        match, carry, recency = inputs.match[m], inputs.carry[m], inputs.recency[m]
        for k in range(heads * channels):  # to assign the transpose takes Numba 3 s more to compile
            for c in range(channels):
                match_transposed[c, k] = match[k, c]
        for b in range(batch):
            mask, story_matches = inputs.mask[m, b], matches[m, b].reshape(-1)
            length = gather_tokens(inputs.semantic[m, b], inputs.symbolic[m, b], mask, tokens, index, scales)
            grad_tokens[:length] = number(0)
            real_queries = 0
            for i in range(queries):
                if mask[i]:
                    real_queries += 1
                else:
                    grads.queries[m, b, i] = number(0)
                    grads.gate[m, b, i] = number(0)
            group = queries_at_once(heads, length, features)
            for first in range(0, real_queries, group):
                last = min(first + group, real_queries)
                seen, rows = last if causal and first > 0 else length, (last - first) * heads
                both_rows, grad_means = all_rows[: 2 * rows], all_rows[rows : 2 * rows]
                fill_queries(inputs.queries[m, b], match, tokens, index, first, last, matched, all_rows)
                for r in range(first, last):
                    i, own = index[r], tokens[r, dim:].reshape(channels, symbols)
                    gate, mean = inputs.gate[m, b, i], means[m, b, i]
                    grad_relations, grad_symbolic = grads.attended_relations[m, b, i], grads.attended_symbolic[m, b, i]
                    compare_rows(grad_symbolic, mean, grad_gated, False)  # of g_i C
                    grad_gate = number(0)
                    for c in range(channels):
                        copy_row(grad_symbolic[c], both[c])
                        copy_row(own[c], both[channels + c])
                        for k in range(heads * channels):
                            grads.carry[m, c, k] += gate * grad_gated[c, k]
                            grad_gate += carry[c, k] * grad_gated[c, k]
                            mixer[k, c] = gate * carry[c, k]  # g_i C^T and the gradient of relations, side by side
                            mixer[k, channels + c] = grad_relations[c, k]
                    grads.gate[m, b, i] = grad_gate
                    mix_rows(mixer, both, matched, False)
                    join_halves(grads.attended_semantic[m, b, i], matched, grad_means[(r - first) * heads :])
                    mix_rows(grad_relations, mean, grad_tokens[r, dim:].reshape(channels, symbols), True)
                shares = table(buffer, 2 * rows, seen)
                grad_logits, dropped = shares[:rows], shares[rows:]
                np.dot(grad_means, tokens[:seen].T, grad_logits)
                for row in range(rows):
                    i, h, own_weights = index[first + row // heads], row % heads, dropped[row]
                    start = ((b * queries + i) * heads + h) * count
                    fill_dropout(factors[:seen], index, first_key, second_key, start, dropout)
                    total = number(0)
                    for j in range(seen):
                        own_weights[j] = weights[m, b, i, h, index[j]]
                        total += own_weights[j] * factors[j] * grad_logits[row, j]
                    for j in range(seen):
                        grad_logits[row, j] = own_weights[j] * (factors[j] * grad_logits[row, j] - total)
                        own_weights[j] *= factors[j]
                if len(recency):
                    own_matches = table(story_matches[first * heads * count :], rows, seen)
                    own_slopes = table(slopes, rows, seen)
                    hide_earlier_gradient(own_matches, recency, grad_logits, own_slopes, grads.recency[m])
                fill_columns(inputs.ages[m, b], index, first, last, seen, inputs.bias.shape[2] // 2, columns)
                for row in range(rows):
                    for j in range(seen):
                        grads.bias[m, row % heads, columns[row // heads, j]] += grad_logits[row, j]
                np.dot(shares.T, both_rows, products[:seen])
                for j in range(seen):
                    add_row(products[j], grad_tokens[j])
                np.dot(grad_logits, tokens[:seen], all_grad_rows[:rows])
                for r in range(first, last):
                    split_halves(all_grad_rows[(r - first) * heads :], grads.queries[m, b, index[r]], matched)
                    compare_rows(matched, tokens[r, dim:].reshape(channels, symbols), grads.match[m], True)
                    mix_rows(match_transposed, matched, grad_tokens[r, dim:].reshape(channels, symbols), True)
            own_grads = grads.semantic[m, b], grads.symbolic[m, b]
            scatter_gradients(tokens, grad_tokens, index, scales, length, *own_grads)
            for i in range(queries):
                if mask[i]:
                    for c in range(channels):
                        add_row(grads.attended_symbolic[m, b, i, c], grads.symbolic[m, b, i, c])
