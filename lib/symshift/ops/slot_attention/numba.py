"""One sentence of the attention over slots in compiled loops, for a CPU: all but the products with A."""

from typing import no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.functional import NEG_INF


@njit_kernel(reassociate=True)
@no_type_check
def forward_step(state, attention, memory, t, m):
    """Fill attention (model, sentence, batch, slot) and memory (model, sentence, batch, dim) of sentence t, model m."""
    contents, hidden = state.contents[t, m], state.hidden[m, t]
    score_vector, slot_mask = state.score_vector[m], state.slot_mask[t, m]
    attention, memory = attention[m, t], memory[m, t]
    batch, slots, dims = contents.shape
    zero, one = contents.dtype.type(0), contents.dtype.type(1)
    for b in range(batch):
        largest = contents.dtype.type(-np.inf)
        for j in range(slots):
            logit = zero
            for w in range(len(score_vector)):
                logit += (hidden[b, j, w] + hidden[b, j, w] - one) * score_vector[w]
            attention[b, j] = logit if slot_mask[b, j] else NEG_INF
            largest = max(largest, attention[b, j])
        total = zero
        for j in range(slots):
            attention[b, j] = np.exp(attention[b, j] - largest)
            total += attention[b, j]
        for d in range(dims):
            memory[b, d] = zero
        for j in range(slots):
            attention[b, j] /= total
            share = attention[b, j]
            for d in range(dims):
                memory[b, d] += share * contents[b, j, d]


@njit_kernel(reassociate=True)
@no_type_check
def backward_step(state, attention, grads, t, m):
    """Fill the gradients of sentence t of model m, but for what goes through A; `attention` has sentences first."""
    contents, hidden = state.contents[t, m], state.hidden[m, t]
    score_vector, slot_mask = state.score_vector[m], state.slot_mask[t, m]
    attention, grad_attention, grad_memory = attention[t, m], grads.attention[t, m], grads.memory[t, m]
    grad_contents, grad_inner = grads.contents[t, m], grads.inner
    grad_key_query_proj, grad_score_vector = grads.key_query_proj[m], grads.score_vector[m]
    batch, slots, dims = contents.shape
    zero, one = contents.dtype.type(0), contents.dtype.type(1)
    grad_shares = np.empty(slots, contents.dtype)
    for b in range(batch):
        mean = zero
        for j in range(slots):
            grad_share = grad_attention[b, j]
            for d in range(dims):
                grad_share += contents[b, j, d] * grad_memory[b, d]
            grad_shares[j] = grad_share
            mean += attention[b, j] * grad_share
        for j in range(slots):
            share = attention[b, j]
            grad_logit = share * (grad_shares[j] - mean) if slot_mask[b, j] else zero
            for w in range(len(score_vector)):
                tanh = hidden[b, j, w] + hidden[b, j, w] - one
                grad_score_vector[w] += grad_logit * tanh
                grad_x = grad_logit * score_vector[w] * (one - tanh * tanh)
                grad_inner[b, j, w] = grad_x
                grad_key_query_proj[b, j, w] += grad_x
            for d in range(dims):
                grad_contents[b, j, d] = share * grad_memory[b, d]
