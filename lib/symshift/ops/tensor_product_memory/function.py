"""The chained reads of `fast_weights` on a CPU, with 32 stories side by side.

In torch's operations a matrix of row by row goes through memory a dozen times, and a small product costs more to start
than to compute. The loops of `fast_weights_loops` and `chained_reads_loops` keep no such matrix, and take a number of
32 stories at once, so that what a story gives does not depend on its company."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import merge_vmap_dim
from symshift.ops.tensor_product_memory import reads_numba as chained_reads_loops
from symshift.ops.tensor_product_memory import solve_numba as fast_weights_loops
from symshift.ops.tensor_product_memory.solve_numba import LANES


def chained_reads(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    start: Float[Tensor, "batch entity"],
    steps: Float[Tensor, "batch step relation"],
    dims: Float[Tensor, "batch entity"],
    gains: Float[Tensor, " step"],
    biases: Float[Tensor, " step"],
) -> Float[Tensor, "batch step entity"]:
    """As in `fast_weights`; a sentence without entities changes nothing."""
    reads, *_ = _Chain.apply(*(x.unsqueeze(0) for x in (entities, relations, start, steps, dims, gains, biases)))
    return reads.squeeze(0)


class _Chain(torch.autograd.Function):
    """The same for a stack, the first axis; and what the way back needs, side by side. For each dim of a block: e1 of
    `LANES` stories and e2 of them, and so on."""

    @staticmethod
    def forward(
        entities: Float[Tensor, "stack batch sentence 2 entity"],
        relations: Float[Tensor, "stack batch sentence 3 relation"],
        start: Float[Tensor, "stack batch entity"],
        steps: Float[Tensor, "stack batch step relation"],
        dims: Float[Tensor, "stack batch entity"],
        gains: Float[Tensor, "stack step"],
        biases: Float[Tensor, "stack step"],
    ) -> tuple[Float[Tensor, "..."], ...]:
        first, real = (_side_by_side(x[:, :, None, None]) for x in (start, dims))
        asked, e, r = (_side_by_side(x) for x in (steps.unsqueeze(3), entities, relations))
        values = e.new_empty(*e.shape[:-1], 3 * LANES)
        fast_weights_loops.solve(e, r, values)
        found, reads = (e.new_empty(*asked.shape[:2], *first.shape[2:]) for _ in range(2))
        known = first, asked, e, r, values, real
        chained_reads_loops.chain(gains.contiguous(), biases.contiguous(), *known, found, reads)
        return _one_by_one(reads, *start.shape[:2]).squeeze(3), *known, found, reads

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)
        start, gains = inputs[2], inputs[5]
        ctx.save_for_backward(gains, *output[1:])
        ctx.stories = start.shape[:2]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_reads: Tensor, *_: None) -> tuple[Tensor | None, ...]:
        gains, *known = ctx.saved_tensors
        first, asked, e, r, values, *_ = known
        gains = gains.contiguous()
        of = [torch.zeros_like(x) for x in (first, asked, e, r, values, gains, gains)]
        chained_reads_loops.chain_back(gains, *known, _side_by_side(of_reads.unsqueeze(3)), *of)
        of_first, of_asked, of_e, of_r, of_values, *of_scalars = of
        fast_weights_loops.solve_back(e, r, values, of_e, of_r, of_values)
        of_e, of_r, of_start, of_steps = (_one_by_one(x, *ctx.stories) for x in (of_e, of_r, of_first, of_asked))
        return of_e, of_r, of_start.flatten(2), of_steps.squeeze(3), None, *of_scalars

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor], tuple[int]]:
        """The reads alone."""
        reads, *_ = _Chain.apply(*merge_vmap_dim(info, in_dims, arguments))
        return (reads.unflatten(0, (info.batch_size, -1)),), (0,)


def _side_by_side(x: Float[Tensor, "stack batch position row dim"]) -> Float[Tensor, "block position dim rows"]:
    """A copy; zeros fill the last block of a model."""
    if missing := -x.shape[1] % LANES:
        x = F.pad(x, (0, 0, 0, 0, 0, 0, 0, missing))
    blocks = x.unflatten(1, (-1, LANES)).flatten(0, 1).permute(0, 2, 4, 3, 1)
    return blocks.clone(memory_format=torch.contiguous_format).flatten(-2)


def _one_by_one(
    x: Float[Tensor, "block position dim rows"], stack: int, batch: int
) -> Float[Tensor, "stack batch position row dim"]:
    """The same back, for so many models and stories."""
    return x.unflatten(-1, (-1, LANES)).permute(0, 4, 1, 3, 2).unflatten(0, (stack, -1)).flatten(1, 2)[:, :batch]
