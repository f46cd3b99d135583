"""Small differentiable functions that operators and models share."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

NEG_INF = -1e9  # a log-probability that leaves no mass, and no NaN in a gradient


def mask_logits(logits: Float[Tensor, "*shape"], keep: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """`logits` where `keep`, else impossible."""
    return torch.where(keep, logits, NEG_INF)


def embed(
    table: Float[Tensor, "vocabulary *value"], ids: Int[Tensor, "*position"], unseen: float = 0.0
) -> Float[Tensor, "..."]:
    """The table's row of each id; zero for padding, `unseen` for ids above the vocabulary."""
    edge = torch.zeros_like(table[:1])
    rows = torch.cat((edge, table, edge + unseen))
    found = F.embedding(ids.clamp(max=len(table) + 1), rows.flatten(1) if rows.ndim > 1 else rows[:, None])
    return found.unflatten(-1, table.shape[1:]) if table.ndim > 1 else found.squeeze(-1)


def project(
    x: Float[Tensor, "*position inner"], matrix: Float[Tensor, "inner outer"]
) -> Float[Tensor, "*position outer"]:
    """x times the matrix, all positions in one product; a stack would otherwise multiply position by position."""
    return (x.flatten(0, -2) @ matrix).unflatten(0, x.shape[:-1])


def position_weighted_sum(
    vectors: Float[Tensor, "*position word dim"], places: Float[Tensor, "longest dim"]
) -> Float[Tensor, "*position dim"]:
    """The sum of a sentence's word vectors, each times its place's vector; words beyond the longest share the last."""
    at = torch.arange(vectors.shape[-2], device=vectors.device).clamp(max=len(places) - 1)
    return (vectors * places[at]).sum(-2)
