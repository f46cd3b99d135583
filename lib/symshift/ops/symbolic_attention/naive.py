"""Symbolic attention query by query, head by head and pair by pair, in plain autograd: the specification."""

import torch
from jaxtyping import Float
from torch import Tensor

from symshift.ops.hash_dropout import DropoutSpec
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.symbolic_attention.state import EPSILON, MATCH_LOGIT, AttentionInputs, AttentionOutputs


def symbolic_attention(
    inputs: AttentionInputs, rng: StepRng | NoRng, dropout: DropoutSpec, causal: bool
) -> AttentionOutputs:
    """Return what each query attends to; the arguments are those of the public function in `function`."""
    queries, semantic, symbolic, gate, match, carry, bias, recency, ages, mask = inputs
    heads, channels, longest = queries.shape[2], symbolic.shape[2], bias.shape[-1] // 2
    count, before = queries.shape[1], symbolic
    symbolic = symbolic / torch.sqrt((symbolic**2).sum((-2, -1), keepdim=True) + EPSILON)
    rows = []
    for i in range(count):
        pairs = torch.einsum("bcm,bjkm->bjck", symbolic[:, i], symbolic)  # D_ij
        logits = []
        for h in range(heads):
            m_h = match[h * channels : (h + 1) * channels].mT
            difference = (ages - ages[:, i, None]).clamp(-longest, longest) + longest
            logit = (queries[:, i, h].unsqueeze(1) * semantic).sum(-1) + (m_h * pairs).sum((-2, -1))
            logits.append(logit + bias[h][difference])
        attended_to = mask.clone()
        if causal and i > 0:
            attended_to[:, i + 1 :] = False
        left = [torch.where(attended_to, logit, -torch.inf) for logit in logits]
        for h in range(len(recency)):
            left[h] = hide_earlier(left[h], recency[h])
        rows.append(torch.stack(left, 1).softmax(-1))
    weights = torch.stack(rows, 1) if rows else queries.new_zeros(*queries.shape[:3], len(mask[0]))
    dropped = rng.dropout(weights, *dropout)
    attended = torch.einsum("bihj,bjd->bihd", dropped, semantic)
    means = torch.einsum("bihj,bjkm->bihkm", dropped, symbolic)
    relations = torch.einsum("bicm,bihkm->bichk", symbolic[:, :count], means).flatten(3)
    carried = torch.einsum("ch,bihm->bicm", carry, means.flatten(2, 3))
    after = before[:, :count] + gate[..., None, None] * carried
    results = (torch.where(mask[:, :count, None, None], x, 0) for x in (attended, relations, after, weights.detach()))
    return AttentionOutputs(*results)


def hide_earlier(logits: Float[Tensor, "batch token"], recency: Float[Tensor, ""]) -> Float[Tensor, "batch token"]:
    """Return what later tokens leave of each logit."""
    later = torch.zeros_like(logits[:, 0])
    left: list[Tensor] = []
    for logit in logits.flip(-1).unbind(-1):
        left.insert(0, logit - recency * later)
        later = later + torch.log1p((logit - MATCH_LOGIT).exp())
    return torch.stack(left, -1)
