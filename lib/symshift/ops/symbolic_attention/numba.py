"""Symbolic attention in compiled loops, for a CPU: one story at a time, whose tokens stay in the cache.

A token is one vector of semantic dims, then channels by symbols. Small products take four rows at a time; where fewer
are left, the last one fills in with a weight of zero.
"""

from typing import no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.hashing import KEEP_ALL, hash_element
from symshift.ops.symbolic_attention.state import EPSILON, MATCH_LOGIT


@no_type_check
def mix_rows(matrix, rows, result, add):
    """Fill result with matrix @ rows, or add it to what is there."""
    count, width = rows.shape
    outputs = matrix.shape[0]
    zero, last = rows.dtype.type(0), count - 1
    if not add:
        for o in range(outputs):
            for f in range(width):
                result[o, f] = zero
    for c in range(0, count, 4):
        c1, c2, c3 = min(c + 1, last), min(c + 2, last), min(c + 3, last)
        one = rows.dtype.type(1)
        k1, k2, k3 = one if c + 1 < count else zero, one if c + 2 < count else zero, one if c + 3 < count else zero
        for o in range(0, outputs - 1, 2):
            w0, w1, w2, w3 = matrix[o, c], k1 * matrix[o, c1], k2 * matrix[o, c2], k3 * matrix[o, c3]
            p = o + 1
            v0, v1, v2, v3 = matrix[p, c], k1 * matrix[p, c1], k2 * matrix[p, c2], k3 * matrix[p, c3]
            for f in range(width):
                x0, x1, x2, x3 = rows[c, f], rows[c1, f], rows[c2, f], rows[c3, f]
                result[o, f] += (w0 * x0 + w1 * x1) + (w2 * x2 + w3 * x3)
                result[p, f] += (v0 * x0 + v1 * x1) + (v2 * x2 + v3 * x3)
        if outputs % 2:
            o = outputs - 1
            w0, w1, w2, w3 = matrix[o, c], k1 * matrix[o, c1], k2 * matrix[o, c2], k3 * matrix[o, c3]
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
def gather_tokens(semantic, symbolic, mask, tokens, index, scales):
    """Fill tokens with both halves of the real ones, the symbolic one divided by its norm; return how many there are.

    `index` gets their numbers and `scales` one over their norms.
    """
    dim, (_, channels, symbols) = semantic.shape[1], symbolic.shape
    one, length = semantic.dtype.type(1), 0
    for j in range(len(semantic)):
        if mask[j]:
            index[length] = j
            for f in range(dim):
                tokens[length, f] = semantic[j, f]
            square = semantic.dtype.type(EPSILON)
            for c in range(channels):
                for s in range(symbols):
                    square += symbolic[j, c, s] * symbolic[j, c, s]
            scale = one / np.sqrt(square)
            scales[length] = scale
            for c in range(channels):
                for s in range(symbols):
                    tokens[length, dim + c * symbols + s] = symbolic[j, c, s] * scale
            length += 1
    return length


@no_type_check
def scatter_gradients(tokens, grad_tokens, index, scales, length, grad_semantic, grad_symbolic):
    """Fill the gradients of both halves, that of the symbolic one through its norm."""
    dim, (_, channels, symbols) = grad_semantic.shape[1], grad_symbolic.shape
    for r in range(length):
        j = index[r]
        for f in range(dim):
            grad_semantic[j, f] = grad_tokens[r, f]
        along = tokens.dtype.type(0)
        for f in range(dim, dim + channels * symbols):
            along += tokens[r, f] * grad_tokens[r, f]
        for c in range(channels):
            for s in range(symbols):
                f = dim + c * symbols + s
                grad_symbolic[j, c, s] = scales[r] * (grad_tokens[r, f] - along * tokens[r, f])


@no_type_check
def join_halves(semantic, symbolic, features):
    """Fill features (head, feature) from semantic (head, dim) and symbolic (head_channel, symbol)."""
    heads, dim = semantic.shape
    channels, symbols = symbolic.shape[0] // heads, symbolic.shape[1]
    for h in range(heads):
        for f in range(dim):
            features[h, f] = semantic[h, f]
        for c in range(channels):
            for s in range(symbols):
                features[h, dim + c * symbols + s] = symbolic[h * channels + c, s]


@no_type_check
def split_halves(features, semantic, symbolic):
    """Fill semantic (head, dim) and symbolic (head_channel, symbol) from features (head, feature)."""
    heads, dim = semantic.shape
    channels, symbols = symbolic.shape[0] // heads, symbolic.shape[1]
    for h in range(heads):
        for f in range(dim):
            semantic[h, f] = features[h, f]
        for c in range(channels):
            for s in range(symbols):
                symbolic[h * channels + c, s] = features[h, dim + c * symbols + s]


@no_type_check
def unpack_symbols(token, dim, own):
    """Fill own (channel, symbol) from a token."""
    channels, symbols = own.shape
    for c in range(channels):
        for s in range(symbols):
            own[c, s] = token[dim + c * symbols + s]


@no_type_check
def fill_columns(ages, i, index, length, longest, columns):
    """Fill in the column of the bias for token i and each real token."""
    for r in range(length):
        columns[r] = min(max(ages[index[r]] - ages[i], -longest), longest) + longest


@no_type_check
def fill_dropout(factors, index, length, first, second, start, dropout):
    """Fill in what dropout multiplies attention weights by; `start` is the number of the first."""
    _, threshold, scale = dropout
    zero, scale = factors.dtype.type(0), factors.dtype.type(scale)
    if threshold == KEEP_ALL:
        factors[:length] = scale
        return
    threshold = np.int32(threshold)
    for r in range(length):
        factors[r] = scale if hash_element(first, second, start + index[r]) < threshold else zero


@no_type_check
def fill_softmax(logits):
    """Put weights in place of logits."""
    number = logits.dtype.type
    largest, total = number(-np.inf), number(0)
    for r in range(len(logits)):
        largest = max(largest, logits[r])
    for r in range(len(logits)):
        logits[r] = np.exp(logits[r] - largest)
        total += logits[r]
    share = number(1) / total
    for r in range(len(logits)):
        logits[r] *= share


@no_type_check
def hide_earlier(logits, recency):
    """Take from each logit what later tokens hide of it."""
    number = logits.dtype.type
    later = number(0)
    for r in range(len(logits) - 1, -1, -1):
        excess = logits[r] - number(MATCH_LOGIT)
        logits[r] -= recency * later
        later += max(excess, number(0)) + np.log1p(np.exp(-abs(excess)))


@no_type_check
def hide_earlier_gradient(logits, recency, grads):
    """Put gradients of logits in place of those of what is left of them; return that of recency."""
    number = grads.dtype.type
    earlier, grad_recency = number(0), number(0)
    for r in range(len(logits)):
        excess, own = logits[r] - number(MATCH_LOGIT), grads[r]
        small = np.exp(-abs(excess))
        slope = (number(1) if excess > number(0) else small) / (number(1) + small)
        grads[r] = own - recency * slope * earlier
        grad_recency -= (max(excess, number(0)) + np.log1p(small)) * earlier
        earlier += own
    return grad_recency


HELPERS = [
    hash_element,
    mix_rows,
    compare_rows,
    gather_tokens,
    scatter_gradients,
    join_halves,
    split_halves,
    unpack_symbols,
    fill_columns,
    fill_dropout,
    fill_softmax,
    hide_earlier,
    hide_earlier_gradient,
]


@njit_kernel(helpers=HELPERS, reassociate=True)
@no_type_check
def forward_kernel(inputs, keys, dropout, causal, attended, means):
    """Fill `attended`, and `means` (model, batch, query, head_channel, symbol) of N_j under the dropped weights."""
    salt = dropout[0]
    models, batch, queries, heads, dim = inputs.queries.shape
    count, channels, symbols = inputs.symbolic.shape[2:]
    number = inputs.queries.dtype.type
    longest = inputs.bias.shape[2] // 2
    columns, factors = np.empty(count, np.int64), np.empty(count, number)
    features = dim + channels * symbols
    tokens, index, scales = np.empty((count, features), number), np.empty(count, np.int64), np.empty(count, number)
    own = np.empty((channels, symbols), number)
    query, mean = np.empty((heads, features), number), np.empty((heads, features), number)
    matched = np.empty((heads * channels, symbols), number)
    logits = np.empty((heads, count), number)
    for m in range(models):
        first, second = np.uint32(keys[m, 0] ^ salt), np.uint32(keys[m, 1])
        match, carry, bias, recency = inputs.match[m], inputs.carry[m], inputs.bias[m], inputs.recency[m]
        for b in range(batch):
            ages, mask = inputs.ages[m, b], inputs.mask[m, b]
            length = gather_tokens(inputs.semantic[m, b], inputs.symbolic[m, b], mask, tokens, index, scales)
            at = -1
            for i in range(queries):
                weights = attended.weights[m, b, i]
                weights[:] = number(0)
                if not mask[i]:
                    attended.semantic[m, b, i] = number(0)
                    attended.relations[m, b, i] = number(0)
                    attended.symbolic[m, b, i] = number(0)
                    continue
                at += 1
                seen = at + 1 if causal and i > 0 else length
                unpack_symbols(tokens[at], dim, own)
                mix_rows(match, own, matched, False)
                join_halves(inputs.queries[m, b, i], matched, query)
                compare_rows(query, tokens[:seen], logits, False)
                fill_columns(ages, i, index, seen, longest, columns)
                for h in range(heads):
                    for r in range(seen):
                        logits[h, r] += bias[h, columns[r]]
                    if len(recency):
                        hide_earlier(logits[h, :seen], recency[h])
                    fill_softmax(logits[h, :seen])
                    start = ((b * queries + i) * heads + h) * count
                    fill_dropout(factors, index, seen, first, second, start, dropout)
                    for r in range(seen):
                        weights[h, index[r]] = logits[h, r]
                        logits[h, r] *= factors[r]
                mix_rows(logits[:, :seen], tokens[:seen], mean, False)
                split_halves(mean, attended.semantic[m, b, i], means[m, b, i])
                compare_rows(own, means[m, b, i], attended.relations[m, b, i], False)
                mix_rows(carry, means[m, b, i], attended.symbolic[m, b, i], False)


@njit_kernel(helpers=HELPERS, reassociate=True)
@no_type_check
def backward_kernel(inputs, keys, dropout, causal, weights, means, grads):
    """Fill the gradients of queries, tokens and, added up over questions, of match, carry and bias."""
    salt = dropout[0]
    models, batch, queries, heads, dim = inputs.queries.shape
    count, channels, symbols = inputs.symbolic.shape[2:]
    number = inputs.queries.dtype.type
    longest = inputs.bias.shape[2] // 2
    columns, factors = np.empty(count, np.int64), np.empty(count, number)
    features = dim + channels * symbols
    tokens, index, scales = np.empty((count, features), number), np.empty(count, np.int64), np.empty(count, number)
    grad_tokens, grad_query = np.empty((count, features), number), np.empty((heads, features), number)
    own_weights, logits = np.empty(count, number), np.empty((heads, count), number)
    rows, shares = np.empty((2 * heads, features), number), np.empty((2 * heads, count), number)
    query, grad_mean = rows[:heads], rows[heads:]
    grad_logits, dropped = shares[:heads], shares[heads:]
    matched, grad_matched = np.empty((heads * channels, symbols), number), np.empty((heads * channels, symbols), number)
    own, grad_own = np.empty((channels, symbols), number), np.empty((channels, symbols), number)
    for m in range(models):
        first, second = np.uint32(keys[m, 0] ^ salt), np.uint32(keys[m, 1])
        match, carry, bias, recency = inputs.match[m], inputs.carry[m], inputs.bias[m], inputs.recency[m]
        for b in range(batch):
            ages, mask = inputs.ages[m, b], inputs.mask[m, b]
            length = gather_tokens(inputs.semantic[m, b], inputs.symbolic[m, b], mask, tokens, index, scales)
            grad_tokens[:length] = number(0)
            at = -1
            for i in range(queries):
                if not mask[i]:
                    grads.queries[m, b, i] = number(0)
                    continue
                at += 1
                seen = at + 1 if causal and i > 0 else length
                mean = means[m, b, i]
                unpack_symbols(tokens[at], dim, own)
                mix_rows(match, own, matched, False)
                join_halves(inputs.queries[m, b, i], matched, query)
                grad_relations, grad_symbolic = grads.attended_relations[m, b, i], grads.attended_symbolic[m, b, i]
                mix_rows(carry.T, grad_symbolic, grad_matched, False)
                mix_rows(grad_relations.T, own, grad_matched, True)
                join_halves(grads.attended_semantic[m, b, i], grad_matched, grad_mean)
                compare_rows(grad_symbolic, mean, grads.carry[m], True)
                compare_rows(grad_mean, tokens[:seen], grad_logits, False)
                if len(recency):
                    compare_rows(query, tokens[:seen], logits, False)
                fill_columns(ages, i, index, seen, longest, columns)
                for h in range(heads):
                    start = ((b * queries + i) * heads + h) * count
                    fill_dropout(factors, index, seen, first, second, start, dropout)
                    total = number(0)
                    for r in range(seen):
                        own_weights[r] = weights[m, b, i, h, index[r]]
                        dropped[h, r] = own_weights[r] * factors[r]
                        total += dropped[h, r] * grad_logits[h, r]
                    for r in range(seen):
                        grad_logits[h, r] = dropped[h, r] * grad_logits[h, r] - own_weights[r] * total
                    if len(recency):
                        for r in range(seen):
                            logits[h, r] += bias[h, columns[r]]
                        grad = hide_earlier_gradient(logits[h, :seen], recency[h], grad_logits[h, :seen])
                        grads.recency[m, h] += grad
                    for r in range(seen):
                        grads.bias[m, h, columns[r]] += grad_logits[h, r]
                mix_rows(grad_logits[:, :seen], tokens[:seen], grad_query, False)
                mix_rows(shares[:, :seen].T, rows, grad_tokens[:seen], True)
                split_halves(grad_query, grads.queries[m, b, i], grad_matched)
                compare_rows(grad_matched, own, grads.match[m], True)
                mix_rows(match.T, grad_matched, grad_own, False)
                mix_rows(grad_relations, mean, grad_own, True)
                for c in range(channels):
                    for s in range(symbols):
                        grad_tokens[at, dim + c * symbols + s] += grad_own[c, s]
            scatter_gradients(tokens, grad_tokens, index, scales, length, grads.semantic[m, b], grads.symbolic[m, b])
