"""The public function of dropout by a hash, and its compiled form as an autograd function over several models."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend
from symshift.ops.hash_dropout import naive
from symshift.ops.hash_dropout import torch as operations
from symshift.ops.hash_dropout.numba import dropout_kernel
from symshift.ops.hash_dropout.spec import DropoutSpec


def hash_dropout(x: Float[Tensor, "*shape"], key: Int[Tensor, " 2"], dropout: DropoutSpec) -> Float[Tensor, "*shape"]:
    """Set each element to zero with probability `rate` and scale the others by 1 / (1 - rate).

    Args:
        x: What is dropped from.
        key: Two 32-bit keys, from `rng.fold_in`. Key, site and an element's number alone decide whether it stays.
        dropout: Rate and site.

    Returns:
        x with its dropout mask applied.
    """
    backend = select_backend(x)
    if backend != "numba":
        return (naive if backend == "naive" else operations).hash_dropout(x, key, dropout)
    return _HashDropout.apply(x.unsqueeze(0), key.unsqueeze(0), *dropout).squeeze(0)


class _HashDropout(AutogradFunction):
    """Dropout of several models, the first axis of x and key. The backward pass computes the mask again."""

    @staticmethod
    def forward(
        x: Float[Tensor, "model *shape"], key: Int[Tensor, "model 2"], rate: float, site: int
    ) -> Float[Tensor, "model *shape"]:
        dropout = DropoutSpec(rate, site)
        result = torch.empty_like(x, memory_format=torch.contiguous_format)
        rows, result_rows = (y.view(len(x), -1) for y in (x.contiguous(), result))
        dropout_kernel(rows, result_rows, key.contiguous(), dropout.salt, dropout.threshold, dropout.scale)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.key, *ctx.dropout = inputs

    @staticmethod
    def backward(ctx: Any, grad_result: Tensor) -> tuple[Tensor | None, ...]:
        return _HashDropout.apply(grad_result, ctx.key, *ctx.dropout), None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
        result = _HashDropout.apply(*merge_vmap_dim(info, in_dims, arguments))
        return result.unflatten(0, (info.batch_size, -1)), 0
