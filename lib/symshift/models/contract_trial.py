"""What two models of a network did when they were tried out, and what is wrong with it though it could be trained."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from symshift.models.base import Network
from symshift.models.contract_errors import network_title


class Trial(NamedTuple):
    """What two models of a network did.

    Attributes:
        name: The network's name in the registry.
        models: The models, of seeds 0 and 1.
        again: Another model of seed 0.
        losses: Of each model and question, in nats.
        gradients: Of the sum of losses, by parameter; None where the loss does not depend on it.
        logits: `semantic` and, if there are any, `symbolic` ones without dropout, with a leading model axis.
        symbol_mask: The symbols that are real.
    """

    name: str
    models: list[Network]
    again: Network
    losses: Tensor
    gradients: dict[str, Tensor | None]
    logits: dict[str, Tensor]
    symbol_mask: Tensor

    def faults(self) -> Iterator[str]:
        """Yield what is wrong, one line each, though the network could be trained."""
        title = network_title(self.name, self.models[0])
        for (name, one), other in zip(self.models[0].named_parameters(), self.again.parameters(), strict=True):
            if not torch.equal(one.nan_to_num(), other.nan_to_num()):
                yield (
                    f"{title}.__init__ gives parameter {name!r} other values at the second call with the same seed; "
                    "initial values are from `generator` alone"
                )
                break
        for half, values in self.logits.items():
            mask = self.symbol_mask if half == "symbolic" else torch.tensor(True)
            if (values.isnan() & mask).any():
                yield f"{title}.forward gives `{half}` logits that are NaN at the initial parameters; numbers are right"
            elif _are_probabilities(values.where(mask, 0)):
                yield f"{title}.forward gives probabilities as `{half}` logits; what softmax is taken of is right"
        if not self.losses.isfinite().all():
            bad = self.losses[~self.losses.isfinite()][0].item()
            yield f"{title}.loss is {bad} at the initial parameters; a finite number is right"
        for name, gradient in self.gradients.items():
            if gradient is None:
                yield (
                    f"{title}.forward makes no use of parameter {name!r}: it gets no gradient; "
                    "use it, or leave it out of __init__"
                )


def _are_probabilities(logits: Tensor) -> bool:
    """Return whether each row is that of a softmax: no number is negative, and they add up to 1."""
    return bool((logits >= 0).all() and torch.allclose(logits.sum(-1), logits.new_ones(()), atol=1e-4))
