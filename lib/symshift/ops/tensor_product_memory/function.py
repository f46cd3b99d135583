"""The public function of chained reads, and its compiled form as an autograd function over several models."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend
from symshift.ops.tensor_product_memory import naive
from symshift.ops.tensor_product_memory import reads_numba as reads_kernels
from symshift.ops.tensor_product_memory import solve_numba as solve_kernels
from symshift.ops.tensor_product_memory import torch as operations
from symshift.ops.tensor_product_memory.solve_numba import LANES
from symshift.ops.tensor_product_memory.state import ForwardState, Gradients, KeysAndValues


def tensor_product_reads(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    sentence_mask: Bool[Tensor, "batch sentence"],
    query_entity: Float[Tensor, "batch entity"],
    query_relations: Float[Tensor, "batch read relation"],
    dim_mask: Float[Tensor, "batch entity"],
    gains: Float[Tensor, " read"],
    biases: Float[Tensor, " read"],
) -> Float[Tensor, "batch read entity"]:
    """Read the memory of a story in a chain (Schlag & Schmidhuber 2018, Eq. 9-14 and 17-19).

    Each read looks up F with the read before it and a relation of the query, then has its layer norm.

    Args:
        entities: e1 and e2 of each sentence.
        relations: r1, r2 and r3 of each sentence.
        sentence_mask: Sentences that are not blank; others change nothing.
        query_entity: n, from which the first read starts.
        query_relations: l1, l2, ... of the reads.
        dim_mask: 1 for entity dims that are real, 0 for others, in which all entities are 0; one at least is real.
        gains: Of each read's layer norm.
        biases: Of each read's layer norm.

    Returns:
        The reads, 0 in dims that are not real.
    """
    arguments = (entities, relations, sentence_mask, query_entity, query_relations, dim_mask, gains, biases)
    backend = select_backend(entities)
    if backend != "numba":
        return (naive if backend == "naive" else operations).tensor_product_reads(*arguments)
    entities = entities * sentence_mask[..., None, None]
    vectors = _RestrideGrads.apply(entities, relations, query_entity, query_relations)
    reads, *_ = _TensorProductReads.apply(*(x.unsqueeze(0) for x in (*vectors, dim_mask, gains, biases)))
    return reads.squeeze(0)


class _TensorProductReads(AutogradFunction):
    """Chained reads of several models, the first axis of every argument and of the reads."""

    @staticmethod
    def forward(
        entities: Float[Tensor, "model batch sentence 2 entity"],
        relations: Float[Tensor, "model batch sentence 3 relation"],
        query_entity: Float[Tensor, "model batch entity"],
        query_relations: Float[Tensor, "model batch read relation"],
        dim_mask: Float[Tensor, "model batch entity"],
        gains: Float[Tensor, "model read"],
        biases: Float[Tensor, "model read"],
    ) -> tuple[Float[Tensor, "..."], ...]:
        """Return the reads, then for the backward pass the fields of `KeysAndValues` and `ForwardState`."""
        start, mask = (_to_lanes(x[:, :, None, None]) for x in (query_entity, dim_mask))
        query = _to_lanes(query_relations.unsqueeze(3))
        e, r = _to_lanes(entities), _to_lanes(relations)
        story = KeysAndValues(e, r, e.new_empty(*e.shape[:-1], 3 * LANES))
        retrieved, reads = (e.new_empty(*query.shape[:2], *start.shape[2:]) for _ in range(2))
        state = ForwardState(start, query, mask, retrieved, reads)
        solve_kernels.solve(story)
        reads_kernels.read_forward(story, state, gains.contiguous(), biases.contiguous())
        return _from_lanes(reads, *query_entity.shape[:2]).squeeze(3), *story, *state

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        _, _, query_entity, _, _, gains, _ = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(gains, *output[1:])
        ctx.models_and_batch = query_entity.shape[:2]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_reads: Tensor | None, *_: None) -> tuple[Tensor | None, ...]:
        if grad_reads is None:
            return (None,) * 7
        gains, *saved = ctx.saved_tensors
        story, state = KeysAndValues(*saved[:3]), ForwardState(*saved[3:])
        gains = gains.contiguous()
        grad_story = KeysAndValues(*map(torch.zeros_like, story))
        grads = Gradients(*map(torch.zeros_like, (state.query_entity, state.query_relations, gains, gains)))
        grad_lanes = _to_lanes(grad_reads.unsqueeze(3))
        reads_kernels.read_backward(story, state, gains, grad_lanes, grad_story, grads)
        solve_kernels.solve_backward(story, grad_story)
        grad_entities, grad_relations, grad_query_entity, grad_query_relations = (
            _from_lanes(x, *ctx.models_and_batch) for x in (*grad_story[:2], *grads[:2])
        )
        return (
            grad_entities,
            grad_relations,
            grad_query_entity.flatten(2),
            grad_query_relations.squeeze(3),
            None,
            grads.gains,
            grads.biases,
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor], tuple[int]]:
        """The reads alone."""
        reads, *_ = _TensorProductReads.apply(*merge_vmap_dim(info, in_dims, arguments))
        return (reads.unflatten(0, (info.batch_size, -1)),), (0,)


class _RestrideGrads(AutogradFunction):
    """Identity whose gradients have the strides of several models also where there is one.

    The stride of an axis of length 1 means nothing, and views set it as they like. But where torch joins gradients, as
    after `split` or `unbind`, it takes four or five axes for images and chooses by all strides how their sum lies in
    memory. By that later sums round.
    """

    @staticmethod
    def forward(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(x.view_as(x) for x in tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        return tuple(map(_restride, grads))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *tensors: Tensor) -> tuple[tuple[Tensor, ...], tuple]:
        models_first = (x if dim is None else x.movedim(dim, 0) for x, dim in zip(tensors, in_dims, strict=True))
        return _RestrideGrads.apply(*models_first), tuple(None if dim is None else 0 for dim in in_dims)


def _restride(grad: Tensor | None) -> Tensor | None:
    """Make the first axis outermost where its length is 1."""
    if grad is None or len(grad) != 1:
        return grad
    outermost = max(size * stride for size, stride in zip(grad.shape[1:], grad.stride()[1:], strict=True))
    return grad.as_strided(grad.shape, (outermost, *grad.stride()[1:]))


def _to_lanes(x: Float[Tensor, "model batch position vector dim"]) -> Float[Tensor, "block position dim row"]:
    """Copy stories into the lanes of blocks; zeros fill the last block of a model."""
    if missing := -x.shape[1] % LANES:
        x = F.pad(x, (0, 0, 0, 0, 0, 0, 0, missing))
    blocks = x.unflatten(1, (-1, LANES)).flatten(0, 1).permute(0, 2, 4, 3, 1)
    return blocks.clone(memory_format=torch.contiguous_format).flatten(-2)


def _from_lanes(
    x: Float[Tensor, "block position dim row"], models: int, batch: int
) -> Float[Tensor, "model batch position vector dim"]:
    """View blocks as so many models of so many stories."""
    return x.unflatten(-1, (-1, LANES)).permute(0, 4, 1, 3, 2).unflatten(0, (models, -1)).flatten(1, 2)[:, :batch]
