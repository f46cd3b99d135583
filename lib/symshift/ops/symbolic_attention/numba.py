"""Symbolic attention in compiled loops, for a CPU: one story at a time, whose tokens stay in the cache.

A few queries are answered together, so that their products with all tokens are worth a call of OpenBLAS; those of one
token's channels are loops.
"""

from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.hashing import hash_element
from symshift.ops.symbolic_attention.rows_numba import add_row, compare_rows, copy_row, mix_rows, table
from symshift.ops.symbolic_attention.series_numba import exp_of_negative, log_one_plus
from symshift.ops.symbolic_attention.tokens_numba import (
    MAX_QUERIES,
    fill_queries,
    gather_tokens,
    join_halves,
    queries_at_once,
    scatter_gradients,
    split_halves,
)
from symshift.ops.symbolic_attention.weights_numba import (
    add_bias,
    fill_columns,
    fill_dropout,
    fill_softmax,
    hide_earlier,
    hide_earlier_gradient,
)

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
    salt = dropout.salt
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
    salt = dropout.salt
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
