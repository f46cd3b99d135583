"""Attention over slots, sentence by sentence and slot by slot, in plain autograd: the specification."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.ops.functional import mask_logits


def slot_attention(
    contents: Float[Tensor, "batch sentence slot dim"],
    key_query_proj: Float[Tensor, "batch slot width"],
    weight_a: Float[Tensor, "attended width"],
    score_vector: Float[Tensor, " width"],
    slot_mask: Bool[Tensor, "batch sentence slot"],
) -> tuple[Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"]]:
    """Return attention and memory; the arguments are those of the public function in `function`."""
    attentions, memories = [], []
    for t in range(contents.shape[1]):
        logits = []
        for j in range(contents.shape[2]):
            attended = contents[:, t, j, : weight_a.shape[0]]
            hidden = torch.tanh(attended @ weight_a + key_query_proj[:, j])
            logits.append(hidden @ score_vector)
        attention = mask_logits(torch.stack(logits, -1), slot_mask[:, t]).softmax(-1)
        attentions.append(attention)
        memories.append(torch.einsum("bj,bjd->bd", attention, contents[:, t]))
    return torch.stack(attentions, 1), torch.stack(memories, 1)
