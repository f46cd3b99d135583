"""The recurrence of an entity network sentence by sentence (Henaff et al. 2017, Eq. 2-5), in plain autograd.

This is the specification; the arguments are those of the public functions in `function`.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from symshift.ops.entity_recurrence.slots import Slots
from symshift.ops.entity_recurrence.state import MIN_NORM


def entity_recurrence(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    gate_logits: Float[Tensor, "batch sentence slot"],
    sentence_proj: Float[Tensor, "batch sentence dim"],
    key_proj: Float[Tensor, "slot dim"],
    weight_u: Float[Tensor, "dim dim"],
    slope: Float[Tensor, " dim"],
) -> Slots:
    """Update the slots by the general form."""
    slots = start.expand(sentences.shape[0], *start.shape)
    each, gates = [], []
    for t in range(sentences.shape[1]):
        gate = open_gate(slots, sentences[:, t], gate_logits[:, t])
        inner = slots @ weight_u.mT + key_proj + sentence_proj[:, t, None]
        candidate = torch.where(inner < 0, slope * inner, inner)  # Eq. 3; phi is a PReLU
        slots = write(slots, gate, candidate)
        each.append(slots)
        gates.append(gate)
    return Slots(slots, torch.stack(each, 1), torch.stack(gates, -1).detach())


def simple_entity_recurrence(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    gate_logits: Float[Tensor, "batch sentence slot"],
) -> Slots:
    """Update the slots by the simple form, whose candidate is the sentence."""
    slots = start.expand(sentences.shape[0], *start.shape)
    each, gates = [], []
    for t in range(sentences.shape[1]):
        gate = open_gate(slots, sentences[:, t], gate_logits[:, t])
        slots = write(slots, gate, sentences[:, t, None])
        each.append(slots)
        gates.append(gate)
    return Slots(slots, torch.stack(each, 1), torch.stack(gates, -1))


def open_gate(
    slots: Float[Tensor, "batch slot dim"],
    sentence: Float[Tensor, "batch dim"],
    gate_logit: Float[Tensor, "batch slot"],
) -> Float[Tensor, "batch slot"]:
    """Eq. 2: g_j = sigmoid(s . h_j + s . w_j + b_j)."""
    return torch.sigmoid((sentence.unsqueeze(1) * slots).sum(-1) + gate_logit)


def write(
    slots: Float[Tensor, "batch slot dim"],
    gate: Float[Tensor, "batch slot"],
    candidate: Float[Tensor, "batch #slot dim"],
) -> Float[Tensor, "batch slot dim"]:
    """Eq. 4-5: h_j <- h_j + g_j c_j, divided by its norm."""
    slots = slots + gate.unsqueeze(-1) * candidate
    return slots / torch.linalg.vector_norm(slots, dim=-1, keepdim=True).clamp(min=MIN_NORM)
