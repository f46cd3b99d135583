"""Buffers of one sentence's step in compiled loops, forward and backward."""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor


class ForwardState(NamedTuple):
    """What both passes read."""

    contents: Float[Tensor, "sentence model batch slot dim"]
    hidden: Float[Tensor, "model sentence batch slot width"]  # sigmoid(2x), where tanh(x) is wanted
    score_vector: Float[Tensor, "model width"]
    slot_mask: Bool[Tensor, "sentence model batch slot"]


class Gradients(NamedTuple):
    """Gradients, by the name of what they belong to: the first two come from outside, the rest are filled.

    `inner` is of one sentence at a time: of A h_j + f_j. `key_query_proj` and `score_vector` add up.
    """

    attention: Float[Tensor, "sentence model batch slot"]
    memory: Float[Tensor, "sentence model batch dim"]
    contents: Float[Tensor, "sentence model batch slot dim"]
    inner: Float[Tensor, "batch slot width"]
    key_query_proj: Float[Tensor, "model batch slot width"]
    score_vector: Float[Tensor, "model width"]
