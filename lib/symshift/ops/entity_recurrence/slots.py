"""The slots of an entity network over a story, as both forms of the recurrence return them."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from symshift.ops.functional import mask_logits


class Slots(NamedTuple):
    """Slots after the last sentence and after each, and how far each sentence rewrote them."""

    last: Float[Tensor, "batch slot dim"]
    each: Float[Tensor, "batch sentence slot dim"]
    gates: Float[Tensor, "batch slot sentence"]


class SlotMixture(NamedTuple):
    """Slots of the simple form as linear combinations of their start and the sentences.

    `log_norm_before` and `log_norm_after` hold the logarithm of all that a slot has been divided by since its start,
    before and after each sentence. `last` and `each` are those of `Slots`, formed when they are read.
    """

    start: Float[Tensor, "slot dim"]
    sentences: Float[Tensor, "batch sentence dim"]
    gates: Float[Tensor, "batch slot sentence"]
    log_norm_before: Float[Tensor, "batch slot sentence"]
    log_norm_after: Float[Tensor, "batch slot sentence"]

    @property
    def last(self) -> Float[Tensor, "batch slot dim"]:
        """Slots after the last sentence."""
        log_norm = self.log_norm_after[..., -1:]
        shares = self.gates * (self.log_norm_before - log_norm).exp()
        return (-log_norm).exp() * self.start + shares @ self.sentences

    @property
    def each(self) -> Float[Tensor, "batch sentence slot dim"]:
        """Slots after each sentence."""
        log_norm = self.log_norm_after.mT.unsqueeze(-1)
        index = torch.arange(log_norm.shape[1], device=log_norm.device)
        read = (index <= index[:, None])[:, None]
        log_shares = self.log_norm_before.unsqueeze(1) - log_norm
        shares = self.gates.unsqueeze(1) * mask_logits(log_shares, read.expand(log_shares.shape)).exp()
        return (-log_norm).exp() * self.start + shares @ self.sentences.unsqueeze(1)
