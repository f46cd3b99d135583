"""Dropout whose mask is a hash, in one compiled loop: nothing but the key is kept for the way back."""

from typing import Any, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.models.compiled import loop, stacked


def dropped(
    x: Float[Tensor, "*shape"], key: Int[Tensor, " 2"], salt: int, threshold: int, scale: float
) -> Float[Tensor, "*shape"]:
    """Times `scale` where the `noise.bits` of an element's number are below the threshold, else zero; `salt` is what
    their site changes of the key."""
    return _Dropped.apply(x.unsqueeze(0), key.unsqueeze(0), salt, threshold, scale).squeeze(0)


class _Dropped(torch.autograd.Function):
    """The same for a stack, the first axis."""

    @staticmethod
    def forward(
        x: Float[Tensor, "stack *shape"], key: Int[Tensor, "stack 2"], salt: int, threshold: int, scale: float
    ) -> Float[Tensor, "stack *shape"]:
        made = torch.empty_like(x, memory_format=torch.contiguous_format)
        numbers = (y.view(len(x), -1) for y in (x.contiguous(), made))
        _drop(*numbers, key.contiguous(), salt, threshold, scale)
        return made

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.how = inputs[1:]

    @staticmethod
    def backward(ctx: Any, of: Tensor) -> tuple[Tensor | None, ...]:
        return _Dropped.apply(of, *ctx.how), None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
        return _Dropped.apply(*stacked(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0


@loop
@no_type_check
def _drop(x, made, key, salt, threshold, scale):
    """The hash of `noise.bits`."""
    number, word = x.dtype.type, np.uint32
    kept = number(scale)
    for m in range(len(x)):
        first, second = word(key[m, 0] ^ salt), word(key[m, 1])
        for n in range(x.shape[1]):
            h = word(word(n) + first)
            h = word((h ^ (h >> word(16))) * word(0x7FEB352D)) ^ second
            h = word((h ^ (h >> word(15))) * word(0x846CA68B))
            h ^= h >> word(16)
            made[m, n] = x[m, n] * (kept if np.int32(h) < threshold else number(0))
