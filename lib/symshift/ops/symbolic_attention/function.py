"""The public function of symbolic attention, and its compiled form as an autograd function over several models."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend
from symshift.ops.hash_dropout import NO_DROPOUT, DropoutSpec
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.symbolic_attention import naive
from symshift.ops.symbolic_attention import torch as operations
from symshift.ops.symbolic_attention.numba import backward_kernel, forward_kernel
from symshift.ops.symbolic_attention.state import AttentionInputs, AttentionOutputs, Dropout, Gradients, contiguous

OUTPUTS = len(AttentionOutputs._fields)


def symbolic_attention(
    inputs: AttentionInputs, rng: StepRng | NoRng, dropout: DropoutSpec, causal: bool = False
) -> AttentionOutputs:
    """Attend to tokens by both of their halves.

    p_h = softmax_j(l_hij), l_hij = q_ih . u_j + <M_h, D_ij> + bias_h(age_j - age_i), where D_ij = N_i N_j^T and
    N_i = S_i / ||S_i||. With a recency r_h, tokens that match hide earlier ones:

    p_hj ~ exp(l_hij) prod_k>j (1 - sigmoid(l_hik - 3))^r_h.

    Args:
        inputs: Tokens, and what heads do with them.
        rng: Randomness of the dropout.
        dropout: Of single attention weights.
        causal: Whether a token attends to itself and those before it alone; the first attends to all.

    Returns:
        What each query attends to.
    """
    backend = select_backend(inputs.queries)
    if backend != "numba":
        return (naive if backend == "naive" else operations).symbolic_attention(inputs, rng, dropout, causal)
    if isinstance(rng, NoRng):
        key, dropout = torch.zeros(2, dtype=torch.int32), NO_DROPOUT
    else:
        key = rng.key
    arguments = (x.unsqueeze(0) for x in (*inputs, key))
    results = _SymbolicAttention.apply(*arguments, dropout.salt, dropout.threshold, dropout.scale, causal)
    return AttentionOutputs(*(x.squeeze(0) for x in results[:OUTPUTS]))


class _SymbolicAttention(AutogradFunction):
    """Attention in several models, the first axis of every tensor."""

    @staticmethod
    def forward(*arguments: Any) -> tuple[Tensor, ...]:
        """Return what is attended to; for the backward pass how well tokens match, and the mean of N_j of each head."""
        *tensors, salt, threshold, scale, causal = arguments
        *fields, key = contiguous(tuple(tensors))
        inputs = AttentionInputs(*fields)
        semantic, (channels, symbols) = torch.empty_like(inputs.queries), inputs.symbolic.shape[-2:]
        position, heads, tokens = semantic.shape[:3], semantic.shape[3], inputs.mask.shape[-1]
        attended = AttentionOutputs(
            semantic=semantic,
            relations=semantic.new_empty(*position, channels, heads * channels),
            symbolic=semantic.new_empty(*position, channels, symbols),
            weights=semantic.new_empty(*position, heads, tokens),
        )
        means = semantic.new_empty(*position, heads * channels, symbols)
        matches = semantic.new_empty(*position, heads, tokens if inputs.recency.shape[1] else 0)
        forward_kernel(inputs, key, Dropout(salt, threshold, scale), causal, attended, matches, means)
        return *attended, matches, means

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        *tensors, salt, threshold, scale, causal = inputs
        *_, weights, matches, means = output
        ctx.mark_non_differentiable(weights, matches, means)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors, weights, matches, means)
        ctx.dropout, ctx.causal = Dropout(salt, threshold, scale), causal

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor | None) -> tuple[Tensor | None, ...]:
        *fields, key, weights, matches, means = contiguous(ctx.saved_tensors)
        inputs = AttentionInputs(*fields)
        heads_times_channels, symbols = means.shape[-2:]
        position, channels = means.shape[:3], inputs.symbolic.shape[-2]
        shapes = inputs.queries.shape[3:], (channels, heads_times_channels), (channels, symbols)
        from_outside = [
            means.new_zeros(*position, *shape) if grad is None else grad
            for grad, shape in zip(grad_outputs[:3], shapes, strict=True)
        ]
        by_token, shared = inputs[:4], inputs[4:8]
        grads = Gradients(
            *contiguous(tuple(from_outside)), *map(torch.empty_like, by_token), *map(torch.zeros_like, shared)
        )
        backward_kernel(inputs, key, ctx.dropout, ctx.causal, weights, matches, means, grads)
        return *grads[3:], *[None] * 7

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[tuple[Tensor, ...], tuple]:
        results = _SymbolicAttention.apply(*merge_vmap_dim(info, in_dims, arguments))
        return tuple(x.unflatten(0, (info.batch_size, -1)) for x in results), (0,) * len(results)
