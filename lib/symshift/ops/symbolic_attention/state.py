"""Arguments and results of symbolic attention, and the buffers of its compiled form."""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor

EPSILON = 1e-6  # added to a squared norm
MATCH_LOGIT = 3.0  # a token whose logit is above this hides earlier ones


class AttentionInputs(NamedTuple):
    """Both halves of the tokens, and what heads do with them. A query is one of the first tokens.

    Attributes:
        queries: u_i W_Q W_K^T / sqrt(d_h) of each query and head.
        semantic: u_j.
        symbolic: S_j, a number for each channel and symbol; N_j is S_j divided by its norm.
        gate: g_i, how much a query takes over of the symbols of others.
        match: M_h^T, heads one below the other.
        carry: C_h, heads side by side.
        bias: Of each head for a difference of ages; the middle one is for 0, and ends serve for all beyond.
        recency: How much a token that matches hides earlier ones, of each head; empty where none are hidden.
        ages: Of each token.
        mask: Tokens that are real. Others neither attend, nor are they attended to.
    """

    queries: Float[Tensor, "*model batch query head dim"]
    semantic: Float[Tensor, "*model batch token dim"]
    symbolic: Float[Tensor, "*model batch token channel symbol"]
    gate: Float[Tensor, "*model batch query"]
    match: Float[Tensor, "*model head_channel channel"]
    carry: Float[Tensor, "*model channel head_channel"]
    bias: Float[Tensor, "*model head difference"]
    recency: Float[Tensor, "*model head_or_none"]
    ages: Int[Tensor, "*model batch token"]
    mask: Bool[Tensor, "*model batch token"]


class AttentionOutputs(NamedTuple):
    """What each query attends to; zero for blank ones.

    Attributes:
        semantic: The mean of u_j under the weights of each head.
        relations: The mean of D_ij = N_i N_j^T, of all heads side by side.
        symbolic: S_i plus g_i times the sum over heads of C_h times the mean of N_j.
        weights: Of each head, before dropout; no gradient passes through them.
    """

    semantic: Float[Tensor, "*model batch query head dim"]
    relations: Float[Tensor, "*model batch query channel head_channel"]
    symbolic: Float[Tensor, "*model batch query channel symbol"]
    weights: Float[Tensor, "*model batch query head token"]


class Dropout(NamedTuple):
    """Dropout of attention weights in a kernel: salt and threshold of the hash, and the scale of what stays."""

    salt: int
    threshold: int
    scale: float


class Gradients(NamedTuple):
    """Buffers of the backward pass by what they are gradients of: the first three come from outside."""

    attended_semantic: Tensor
    attended_relations: Tensor
    attended_symbolic: Tensor
    queries: Tensor
    semantic: Tensor
    symbolic: Tensor
    gate: Tensor
    match: Tensor
    carry: Tensor
    bias: Tensor
    recency: Tensor


def contiguous(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Tensors that lie in memory in the order of their axes, without their history."""
    return tuple(x.detach().contiguous() for x in tensors)
