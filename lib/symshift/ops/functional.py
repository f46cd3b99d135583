"""Small functions of tensors that operators and models share."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

NEG_INF = -1e9  # a log-probability that leaves no mass, and no NaN in a gradient
NORM_EPSILON = 1e-7  # added to a variance


def mask_logits(logits: Float[Tensor, "*shape"], mask: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Replace logits outside the mask by `NEG_INF`."""
    return torch.where(mask, logits, NEG_INF)


def embed(
    table: Float[Tensor, "vocabulary *value"], ids: Int[Tensor, "*position"], unseen: float = 0.0
) -> Float[Tensor, "..."]:
    """Look up the row of each word id.

    Args:
        table: Row i belongs to the word of id i + 1.
        ids: 0 is padding, and gives zeros.
        unseen: The value for ids above the vocabulary.
    """
    edge = torch.zeros_like(table[:1])
    rows = torch.cat((edge, table, edge + unseen))
    values = F.embedding(ids.clamp(max=len(table) + 1), rows.flatten(1) if rows.ndim > 1 else rows[:, None])
    return values.unflatten(-1, table.shape[1:]) if table.ndim > 1 else values.squeeze(-1)


def position_weighted_sum(
    vectors: Float[Tensor, "*position word dim"], position_weights: Float[Tensor, "longest dim"]
) -> Float[Tensor, "*position dim"]:
    """Sum a sentence's word vectors, each times the vector of its position; positions beyond the last share its."""
    return (vectors * position_rows(position_weights, vectors.shape[-2])).sum(-2)


def position_rows(table: Float[Tensor, "longest *value"], count: int) -> Float[Tensor, "{count} *value"]:
    """Return the rows of the first positions of a table; positions beyond the last share its."""
    if count <= len(table):
        return table[:count]  # the gradient of a slice is a copy, that of an index a sum
    return table[torch.arange(count, device=table.device).clamp(max=len(table) - 1)]


def project(
    x: Float[Tensor, "*position inner"], matrix: Float[Tensor, "inner outer"]
) -> Float[Tensor, "*position outer"]:
    """Multiply by a matrix, all positions in one product.

    With `x @ matrix` torch multiplies position by position under vmap; without vmap it takes another kernel, which
    rounds otherwise.
    """
    return torch.bmm(x.flatten(0, -2).unsqueeze(0), matrix.unsqueeze(0)).squeeze(0).unflatten(0, x.shape[:-1])


def project_heads(
    x: Float[Tensor, "*position head inner"], matrices: Float[Tensor, "head inner outer"]
) -> Float[Tensor, "*position head outer"]:
    """Multiply each head by a matrix of its own.

    The products of this module are those of `torch.einsum`, which makes views of its arguments that cost small networks
    more than the product itself.
    """
    return torch.bmm(x.flatten(0, -3).transpose(0, 1), matrices).transpose(0, 1).unflatten(0, x.shape[:-2])


def dot_products(
    vectors: Float[Tensor, "batch time dim"], query: Float[Tensor, "batch dim"]
) -> Float[Tensor, "batch time"]:
    """Return the dot product of each vector with the query of its story."""
    return torch.bmm(vectors, query.unsqueeze(-1)).squeeze(-1)


def weighted_sum(
    weights: Float[Tensor, "batch time"], vectors: Float[Tensor, "batch time dim"]
) -> Float[Tensor, "batch dim"]:
    """Return the sum of a story's vectors, each times its weight."""
    return torch.bmm(weights.unsqueeze(1), vectors).squeeze(1)


def scalar_layer_norm(
    x: Float[Tensor, "batch *time dim"],
    mask: Float[Tensor, "batch *#time dim"],
    gain: Float[Tensor, ""],
    bias: Float[Tensor, ""],
) -> Float[Tensor, "batch *time dim"]:
    """Normalize over the real dims of each vector (mask 1), with one gain and one bias; others (mask 0) become 0."""
    count = mask.sum(-1, keepdim=True)
    centred = (x - x.sum(-1, keepdim=True) / count) * mask
    scale = (centred.square().sum(-1, keepdim=True) / count + NORM_EPSILON).rsqrt()
    return (centred * scale * gain + bias) * mask
