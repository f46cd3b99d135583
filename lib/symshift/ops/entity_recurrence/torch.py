"""The recurrence in torch operations, on any device: the simple form, and one sentence of the general form.

`function` runs `forward_step` and `backward_step` over the sentences and does the products with U.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from symshift.ops.entity_recurrence.slots import SlotMixture
from symshift.ops.entity_recurrence.state import MIN_NORM, ForwardState, Gradients, StepInputs


def simple_entity_recurrence(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    gate_logits: Float[Tensor, "batch sentence slot"],
) -> SlotMixture:
    """Find the gates and norms of the simple form from dot products alone.

    The loop carries `products`: h_j . s for each sentence s still to come. The squared norm is a difference of numbers
    near 1; where a sentence cancels a slot it is clamped at what such a difference can resolve.
    """
    resolution = torch.finfo(sentences.dtype).eps
    overlaps = sentences @ sentences.mT
    # expanded, so that a model alone multiplies story by story as an ensemble does, and rounds alike
    products = start.expand(len(sentences), -1, -1) @ sentences.mT
    gates, log_norms = [], []
    for t, gate_logit in enumerate(gate_logits.unbind(1)):
        product, products_ahead = products[..., 0], products[..., 1:]
        gate = (product + gate_logit).sigmoid()
        norm = (1 + gate * (2 * product + gate * overlaps[:, t, t, None])).clamp(min=resolution).sqrt()
        products = (products_ahead + gate.unsqueeze(-1) * overlaps[:, t, None, t + 1 :]) / norm.unsqueeze(-1)
        gates.append(gate)
        log_norms.append(norm.log())
    log_norm = torch.stack(log_norms, -1)
    log_norm_after = log_norm.cumsum(-1)
    return SlotMixture(start, sentences, torch.stack(gates, -1), log_norm_after - log_norm, log_norm_after)


def forward_step(state: ForwardState, inputs: StepInputs, t: int, group: slice) -> None:
    """Fill `state` at sentence t for a group of models, whose `state.inner` holds U h so far."""
    sentence, slots = state.sentences[group, :, t, None], _slots_before(state, t, group)
    slots_after, inner = state.slots[t, group], state.inner[t, group]
    gate, scale = state.gates[t, group], state.scales[t, group]
    inner.add_(inputs.sentence_proj[group, :, t, None]).add_(inputs.key_proj[group, None])
    scratch = slots * sentence
    torch.sum(scratch, -1, keepdim=True, out=gate).add_(inputs.gate_logits[group, :, t, :, None]).sigmoid_()
    candidate = slots_after
    torch.addcmul(inner, torch.clamp(inner, max=0, out=scratch), _slope_minus_one(state, group), out=candidate)
    torch.addcmul(slots, candidate, gate, out=scratch)
    torch.linalg.vector_norm(scratch, dim=-1, keepdim=True, out=scale).clamp_(min=MIN_NORM).reciprocal_()
    torch.mul(scratch, scale, out=slots_after)


def backward_step(state: ForwardState, grads: Gradients, t: int, group: slice) -> None:
    """Turn the gradient of the slots after sentence t, in `grads.slots`, into that of the slots before it.

    What reaches these through U is left out; all other gradients are filled or added to.
    """
    sentence, slots = state.sentences[group, :, t, None], _slots_before(state, t, group)
    slots_after, inner = state.slots[t, group], state.inner[t, group]
    gate, scale = state.gates[t, group], state.scales[t, group]
    slope_minus_one = _slope_minus_one(state, group)
    grad_slots, grad_inner = grads.slots[group], grads.inner[: len(slots)]
    if len(grads.each):
        grad_slots.add_(grads.each[t, group])
    # normalization: only what is orthogonal to the slot passes
    minus_parallel = torch.mul(grad_slots, slots_after, out=grad_inner).sum(-1, keepdim=True).neg_()
    grad_slots.addcmul_(slots_after, minus_parallel).mul_(scale)
    # gate: grad_inner serves as scratch until it is filled
    negative_part = inner.clamp(max=0)
    candidate = torch.addcmul(inner, negative_part, slope_minus_one, out=grad_inner)
    grad_gate_logit = candidate.mul_(grad_slots).sum(-1, keepdim=True)
    grad_gate_logit.mul_(gate).mul_(1 - gate)
    # candidate
    grad_candidate = grad_slots * gate
    grads.slope[group] += torch.mul(negative_part, grad_candidate, out=grad_inner).sum((1, 2))
    derivative = torch.addcmul(
        torch.ones_like(slope_minus_one), negative_part.sign_(), slope_minus_one, value=-1, out=grad_inner
    )
    torch.mul(derivative, grad_candidate, out=grad_inner)
    grads.gate_logits[group, :, t] = grad_gate_logit.squeeze(-1)
    grads.sentence_proj[group, :, t] = grad_inner.sum(2)
    grads.key_proj[group] += grad_inner.sum(1)
    grads.sentences[group, :, t] = torch.mul(slots, grad_gate_logit, out=grad_candidate).sum(2)
    grad_slots.addcmul_(sentence, grad_gate_logit)


def _slots_before(state: ForwardState, t: int, group: slice) -> Float[Tensor, "group #batch slot dim"]:
    return state.slots[t - 1, group] if t else state.start[group].unsqueeze(1)


def _slope_minus_one(state: ForwardState, group: slice) -> Float[Tensor, "group 1 1 dim"]:
    """What phi adds to x below zero, in units of x."""
    return state.slope[group, None, None] - 1
