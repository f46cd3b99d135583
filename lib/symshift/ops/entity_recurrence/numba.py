"""One sentence of the general form in compiled loops, for a CPU. Each function is its namesake in `torch`."""

from typing import no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.entity_recurrence.state import MIN_NORM


@njit_kernel(reassociate=True)
@no_type_check
def forward_step(state, inputs, t, first_model, last_model):
    """Fill `state` at sentence t for these models, whose `state.inner` holds U h so far."""
    _, _, batch, num_slots, dims = state.slots.shape
    number = state.start.dtype.type
    zero, one, min_norm = number(0), number(1), number(MIN_NORM)
    for m in range(first_model, last_model):
        slope = state.slope[m]
        for b in range(batch):
            slots = state.slots[t - 1, m, b] if t else state.start[m]
            sentence, inner, slots_after = state.sentences[m, b, t], state.inner[t, m, b], state.slots[t, m, b]
            sentence_proj, key_proj = inputs.sentence_proj[m, b, t], inputs.key_proj[m]
            for j in range(num_slots):
                logit = inputs.gate_logits[m, b, t, j]
                for d in range(dims):
                    logit += slots[j, d] * sentence[d]
                gate = one / (one + np.exp(-logit))
                square = zero
                for d in range(dims):
                    x = inner[j, d] + sentence_proj[d] + key_proj[j, d]
                    y = slots[j, d] + gate * (x + (slope[d] - one) * min(x, zero))
                    square += y * y
                    inner[j, d], slots_after[j, d] = x, y
                scale = one / max(np.sqrt(square), min_norm)
                for d in range(dims):
                    slots_after[j, d] *= scale
                state.gates[t, m, b, j, 0], state.scales[t, m, b, j, 0] = gate, scale


@njit_kernel(reassociate=True)
@no_type_check
def backward_step(state, grads, t, first_model, last_model):
    """Turn the gradient of the slots after sentence t into that of the slots before it, but for what U passes."""
    _, _, batch, num_slots, dims = state.slots.shape
    number = state.start.dtype.type
    zero, one = number(0), number(1)
    for m in range(first_model, last_model):
        slope, grad_slope = state.slope[m], grads.slope[m]
        for b in range(batch):
            slots = state.slots[t - 1, m, b] if t else state.start[m]
            sentence, inner, slots_after = state.sentences[m, b, t], state.inner[t, m, b], state.slots[t, m, b]
            grad_slots, grad_inner = grads.slots[m, b], grads.inner[m - first_model, b]
            grad_key_proj = grads.key_proj[m]
            grad_sentence, grad_sentence_proj = grads.sentences[m, b, t], grads.sentence_proj[m, b, t]
            grad_sentence[:] = zero
            grad_sentence_proj[:] = zero
            for j in range(num_slots):
                gate, scale = state.gates[t, m, b, j, 0], state.scales[t, m, b, j, 0]
                if len(grads.each):
                    for d in range(dims):
                        grad_slots[j, d] += grads.each[t, m, b, j, d]
                parallel = zero
                for d in range(dims):
                    parallel += grad_slots[j, d] * slots_after[j, d]
                grad_logit = zero
                for d in range(dims):
                    x, slope_d = inner[j, d], slope[d]
                    grad_sum = (grad_slots[j, d] - parallel * slots_after[j, d]) * scale  # of h + g c
                    negative_part, grad_candidate = min(x, zero), grad_sum * gate
                    grad_logit += grad_sum * (x + (slope_d - one) * negative_part)
                    grad_slope[d] += negative_part * grad_candidate
                    grad_x = grad_candidate * (slope_d if x < zero else one)
                    grad_sentence_proj[d] += grad_x
                    grad_key_proj[j, d] += grad_x
                    grad_inner[j, d], grad_slots[j, d] = grad_x, grad_sum
                grad_logit *= gate * (one - gate)
                grads.gate_logits[m, b, t, j] = grad_logit
                for d in range(dims):
                    grad_sentence[d] += slots[j, d] * grad_logit
                    grad_slots[j, d] += sentence[d] * grad_logit
