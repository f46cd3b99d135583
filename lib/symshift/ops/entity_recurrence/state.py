"""Buffers that one sentence's step reads and fills, forward and backward. Models that run together are an axis."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

MIN_NORM = 1e-12  # of a slot before it is normalized


class ForwardState(NamedTuple):
    """What both passes need: inputs, then what the forward pass computes for each sentence."""

    start: Float[Tensor, "model slot dim"]
    sentences: Float[Tensor, "model batch sentence dim"]
    slope: Float[Tensor, "model dim"]
    slots: Float[Tensor, "sentence model batch slot dim"]  # after the sentence
    inner: Float[Tensor, "sentence model batch slot dim"]  # U h + V w + W s + b
    gates: Float[Tensor, "sentence model batch slot 1"]
    scales: Float[Tensor, "sentence model batch slot 1"]  # 1 / |h + g c|


class StepInputs(NamedTuple):
    """What only the forward pass needs."""

    gate_logits: Float[Tensor, "model batch sentence slot"]  # s . w + b_j
    sentence_proj: Float[Tensor, "model batch sentence dim"]  # W s + b
    key_proj: Float[Tensor, "model slot dim"]  # V w


class Gradients(NamedTuple):
    """Gradients, by the name of what they belong to.

    `each` comes from outside: of the slots after each sentence (of no sentence, if nothing reads them). `slots` and
    `inner` are of one sentence at a time: of the slots before it, and of its U h + V w + W s + b. The rest add up.
    """

    each: Float[Tensor, "some model batch slot dim"]
    slots: Float[Tensor, "model batch slot dim"]
    sentences: Float[Tensor, "model batch sentence dim"]
    slope: Float[Tensor, "model dim"]
    gate_logits: Float[Tensor, "model batch sentence slot"]
    sentence_proj: Float[Tensor, "model batch sentence dim"]
    key_proj: Float[Tensor, "model slot dim"]
    inner: Float[Tensor, "group batch slot dim"]
