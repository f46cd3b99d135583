"""Symbolic attention query by query, head by head and pair by pair, in plain autograd: the specification."""

import torch
from jaxtyping import Float
from torch import Tensor

from symshift.ops.hash_dropout import DropoutSpec
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.symbolic_attention.state import EPSILON, Attended, AttentionInputs


def symbolic_attention(
    inputs: AttentionInputs, rng: StepRng | NoRng, dropout: DropoutSpec, causal: bool, sticks: int
) -> Attended:
    """Return what each query attends to; the arguments are those of the public function in `function`."""
    queries, semantic, symbolic, match, carry, bias, ages, mask = inputs
    heads, channels, longest = queries.shape[2], symbolic.shape[2], bias.shape[-1] // 2
    symbolic = symbolic / torch.sqrt((symbolic**2).sum((-2, -1), keepdim=True) + EPSILON)
    rows = []
    for i in range(queries.shape[1]):
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
        hidden = [torch.where(attended_to, logit, -torch.inf) for logit in logits]
        shares = [break_sticks(logit) if h < sticks else logit.softmax(-1) for h, logit in enumerate(hidden)]
        rows.append(torch.stack(shares, 1))
    weights = torch.stack(rows, 1) if rows else queries.new_zeros(*queries.shape[:3], len(mask[0]))
    dropped = rng.dropout(weights, *dropout)
    attended = torch.einsum("bihj,bjd->bihd", dropped, semantic)
    means = torch.einsum("bihj,bjkm->bihkm", dropped, symbolic)
    relations = torch.einsum("bicm,bihkm->bichk", symbolic[:, : queries.shape[1]], means).flatten(3)
    carried = torch.einsum("ch,bihm->bicm", carry, means.flatten(2, 3))
    query_mask = mask[:, : queries.shape[1], None, None]
    results = (torch.where(query_mask, x, 0) for x in (attended, relations, carried, weights.detach()))
    return Attended(*results)


def break_sticks(logits: Float[Tensor, "batch token"]) -> Float[Tensor, "batch token"]:
    """Return weights: from the last token on, each breaks off its share of what is left."""
    rest = torch.ones_like(logits[:, 0])
    weights: list[Tensor] = []
    for logit in logits.flip(-1).unbind(-1):
        weights.insert(0, rest * logit.sigmoid())
        rest = rest * (-logit).sigmoid()
    return torch.stack(weights, -1)
