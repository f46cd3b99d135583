"""Dropout whose mask is a hash, in one compiled loop: nothing but the key is kept for the way back."""

from typing import Any, NamedTuple, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.backend import merge_vmap_dim, njit_kernel
from symshift.ops.hashing import hash_element


class Mask(NamedTuple):
    """An element is kept, times `scale`, where the `rng.bits` of its number are below the threshold; `salt` is what
    their site changes of the key."""

    key: Int[Tensor, " 2"]
    salt: int
    threshold: int
    scale: float


def dropped(x: Float[Tensor, "*shape"], mask: Mask) -> Float[Tensor, "*shape"]:
    """What the mask leaves of x."""
    key, *how = mask
    return _Dropped.apply(x.unsqueeze(0), key.unsqueeze(0), *how).squeeze(0)


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
        return _Dropped.apply(*merge_vmap_dim(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0


@njit_kernel(helpers=[hash_element])
@no_type_check
def _drop(x, made, key, salt, threshold, scale):
    nothing, kept = x.dtype.type(0), x.dtype.type(scale)
    below = np.int32(threshold)
    for m in range(len(x)):
        first, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 1])
        for n in range(x.shape[1]):
            made[m, n] = x[m, n] * (kept if hash_element(first, second, n) < below else nothing)
