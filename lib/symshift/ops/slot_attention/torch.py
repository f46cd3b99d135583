"""Attention over slots in torch operations, all sentences at once, on any device."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.ops.functional import mask_logits, project


def slot_attention(
    contents: Float[Tensor, "batch sentence slot dim"],
    key_query_proj: Float[Tensor, "batch slot width"],
    weight_a: Float[Tensor, "attended width"],
    score_vector: Float[Tensor, " width"],
    slot_mask: Bool[Tensor, "batch sentence slot"],
) -> tuple[Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"]]:
    """Return attention and memory; the arguments are those of the public function in `function`."""
    hidden = torch.tanh(project(contents[..., : len(weight_a)], weight_a) + key_query_proj.unsqueeze(1))
    attention = mask_logits((hidden * score_vector).sum(-1), slot_mask).softmax(-1)
    return attention, (attention.unsqueeze(-1) * contents).sum(-2)
