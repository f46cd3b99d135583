"""The public function of bags of words, and its compiled form as an autograd function over several models."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend
from symshift.ops.bag_of_words import naive
from symshift.ops.bag_of_words import torch as operations
from symshift.ops.bag_of_words.numba import Inputs, Masks, backward_kernel, forward_kernel
from symshift.ops.hash_dropout import NO_DROPOUT, DropoutSpec
from symshift.ops.rng import NoRng, StepRng


def bag_of_words(
    table: Float[Tensor, "vocabulary dim"],
    ids: Int[Tensor, "batch *position word"],
    position_weights: Float[Tensor, "longest dim"],
    rng: StepRng | NoRng,
    unit_dropout: DropoutSpec = NO_DROPOUT,
    type_dropout: DropoutSpec = NO_DROPOUT,
) -> Float[Tensor, "batch *position dim"]:
    """Embed each sentence as the sum of its word vectors, weighted by position: s = sum_j p_j * drop(A_x(j)).

    Args:
        table: A, a vector for each word; id i has row i - 1.
        ids: Of the words; 0 is padding and ids above the vocabulary are words never seen. Both count as zero.
        position_weights: p, a vector for each position; words beyond the last one share it.
        rng: The randomness of both dropouts.
        unit_dropout: Of single units of the word vectors, as in `StepRng.dropout`.
        type_dropout: Of all vectors of a word type of an example, as in `StepRng.word_type_dropout`; its scale is not
            used.

    Returns:
        The bag of each sentence.
    """
    backend = select_backend(table)
    if backend != "numba":
        form = naive if backend == "naive" else operations
        return form.bag_of_words(table, ids, position_weights, rng, unit_dropout, type_dropout)
    if isinstance(rng, NoRng):
        key, unit_dropout, type_dropout = torch.zeros(2, dtype=torch.int32), NO_DROPOUT, NO_DROPOUT
    else:
        key = rng.key
    unit_mask = unit_dropout.salt, unit_dropout.threshold, unit_dropout.scale
    masks = Masks(*unit_mask, type_dropout.salt, type_dropout.threshold)
    return _BagOfWords.apply(*(x.unsqueeze(0) for x in (table, ids, position_weights, key)), *masks).squeeze(0)


class _BagOfWords(AutogradFunction):
    """Bags of several models, the first axis of every tensor."""

    @staticmethod
    def forward(
        table: Float[Tensor, "model vocabulary dim"],
        ids: Int[Tensor, "model batch *position word"],
        position_weights: Float[Tensor, "model longest dim"],
        key: Int[Tensor, "model 2"],
        *masks: Any,
    ) -> Float[Tensor, "model batch *position dim"]:
        bags = table.new_empty(*ids.shape[:-1], table.shape[-1])
        forward_kernel(_inputs(table, ids, position_weights, key), Masks(*masks), _one_axis_of_sentences(bags))
        return bags

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[:4])
        ctx.masks = Masks(*inputs[4:])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_bags: Tensor) -> tuple[Tensor | None, ...]:
        table, _, position_weights, _ = ctx.saved_tensors
        grad_table, grad_position_weights = (
            torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (table, position_weights)
        )
        gradients = _one_axis_of_sentences(grad_bags), grad_table, grad_position_weights
        backward_kernel(_inputs(*ctx.saved_tensors), ctx.masks, *gradients)
        return grad_table, None, grad_position_weights, *[None] * (1 + len(ctx.masks))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
        bags = _BagOfWords.apply(*merge_vmap_dim(info, in_dims, arguments))
        return bags.unflatten(0, (info.batch_size, -1)), 0


def _inputs(table: Tensor, ids: Tensor, position_weights: Tensor, key: Tensor) -> Inputs:
    """Contiguous arrays, ids with one axis of sentences."""
    tensors = table.contiguous(), _one_axis_of_sentences(ids), position_weights.contiguous(), key.contiguous()
    return Inputs(*(x.detach().numpy() for x in tensors))


def _one_axis_of_sentences(x: Tensor) -> Float[Tensor, "..."] | Int[Tensor, "..."]:
    """A contiguous tensor with one axis between that of the batch and the last."""
    return x.contiguous().unsqueeze(2).flatten(2, -2)
