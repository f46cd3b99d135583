"""Adam and plain gradient descent, by the functions that torch.optim's classes call.

The classes themselves import torch's compiler when they are built. Nothing is compiled here, and the import takes a
second of every process that trains. Their weight decay is one number; here each parameter may have its own.
"""

from typing import Protocol

import torch
from torch import Tensor
from torch.optim.adam import adam
from torch.optim.sgd import sgd


class Optimizer(Protocol):
    """What an ensemble asks of an optimizer.

    Attributes:
        state: Tensors that a checkpoint keeps: moments with a row a model, and the number of steps.
    """

    state: dict[str, Tensor]

    def step(self, weights: Tensor, gradient: Tensor, rate: Tensor) -> None:
        """Change the weights in place.

        Args:
            weights: The parameters, of any shape.
            gradient: The gradient, of the same shape.
            rate: The learning rate, a tensor without axes: float64 on the host, float32 on a GPU.
        """


class Adam:
    """Adam (Kingma & Ba 2015), fused: one kernel for all that it does but decay.

    Weights decay by themselves, not through their gradients (AdamW, Loshchilov & Hutter 2019): an update takes `rate *
    decay` of each.
    """

    def __init__(
        self, weights: Tensor, betas: tuple[float, float], state: dict[str, Tensor], decay: Tensor | None = None
    ):
        self.beta1, self.beta2 = betas
        self.decay = decay  # of each parameter
        if not state:
            moments = {name: torch.zeros_like(weights, requires_grad=False) for name in ("exp_avg", "exp_avg_sq")}
            state = moments | {"step": torch.zeros((), dtype=torch.float32)}
        self.state = {name: value.to(weights.device) for name, value in state.items()}

    @torch.no_grad()
    def step(self, weights: Tensor, gradient: Tensor, rate: Tensor) -> None:
        """Change the weights in place (see `Optimizer.step`)."""
        if self.decay is not None:
            weights.mul_(1 - rate * self.decay)
        adam(
            [weights],
            [gradient],
            [self.state["exp_avg"]],
            [self.state["exp_avg_sq"]],
            [],
            [self.state["step"]],
            fused=True,
            capturable=weights.is_cuda,
            amsgrad=False,
            beta1=self.beta1,
            beta2=self.beta2,
            lr=rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )


class Sgd:
    """Gradient descent without momentum. It has no state. An update takes `rate * decay` of each weight."""

    def __init__(self, decay: Tensor | None = None) -> None:
        self.state: dict[str, Tensor] = {}
        self.decay = decay  # of each parameter

    @torch.no_grad()
    def step(self, weights: Tensor, gradient: Tensor, rate: Tensor) -> None:
        """Change the weights in place (see `Optimizer.step`)."""
        if self.decay is not None:
            gradient = gradient.addcmul(weights, self.decay)
        sgd(
            [weights],
            [gradient],
            [None],
            foreach=False,
            fused=weights.is_cuda,
            weight_decay=0.0,
            momentum=0,
            lr=rate,  # type: ignore[arg-type]  # a tensor too, as of the class
            dampening=0,
            nesterov=False,
            maximize=False,
        )
