"""The public function of attention over slots, and its compiled form as an autograd function over several models."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend, to_arrays
from symshift.ops.slot_attention import naive
from symshift.ops.slot_attention import numba as kernels
from symshift.ops.slot_attention import torch as operations
from symshift.ops.slot_attention.state import ForwardState, Gradients


def slot_attention(
    contents: Float[Tensor, "batch sentence slot dim"],
    key_query_proj: Float[Tensor, "batch slot width"],
    weight_a: Float[Tensor, "attended width"],
    score_vector: Float[Tensor, " width"],
    slot_mask: Bool[Tensor, "batch sentence slot"],
) -> tuple[Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"]]:
    """Attend over the slots of a memory after each sentence (Palma 2020, Eq. 1-3 and 8-10).

    attention_tj = softmax_j(v . tanh(A h_tj + f_j)) and memory_t = sum_j attention_tj h_tj.

    Args:
        contents: Slots h_tj.
        key_query_proj: f_j = B w_j + C q, what is the same at each sentence.
        weight_a: A, which sees the first `attended` dims of the slots.
        score_vector: v.
        slot_mask: Slots that exist by then; others get no attention.

    Returns:
        Attention weights and memory of each sentence.
    """
    backend, arguments = select_backend(contents), (contents, key_query_proj, weight_a, score_vector, slot_mask)
    if backend != "numba":
        return (naive if backend == "naive" else operations).slot_attention(*arguments)
    attention, memory, _ = _SlotAttention.apply(*(x.unsqueeze(0) for x in arguments))
    return attention.squeeze(0), memory.squeeze(0)


class _SlotAttention(AutogradFunction):
    """Attention over the slots of several models, the first axis of every argument and result."""

    @staticmethod
    def forward(
        contents: Float[Tensor, "model batch sentence slot dim"],
        key_query_proj: Float[Tensor, "model batch slot width"],
        weight_a: Float[Tensor, "model attended width"],
        score_vector: Float[Tensor, "model width"],
        slot_mask: Bool[Tensor, "model batch sentence slot"],
    ) -> tuple[Tensor, ...]:
        """Return attention, memory, and for the backward pass the sigmoids."""
        models, batch, times, slots, dims = contents.shape
        attended, width = weight_a.shape[1:]
        hidden = contents.new_empty(models, times, batch, slots, width)
        attention, memory = (
            contents.new_empty(models, times, batch, slots),
            contents.new_empty(models, times, batch, dims),
        )
        state = ForwardState(_by_sentence(contents), hidden, score_vector.contiguous(), _by_sentence(slot_mask))
        buffers = to_arrays(state), attention.numpy(), memory.numpy()
        for m, (a, f) in enumerate(zip(2 * weight_a, 2 * key_query_proj.flatten(1, 2), strict=True)):
            pairs = zip(_matrices(state.contents[:, m], attended), _matrices(hidden[m], width), strict=True)
            for t, (rows, sigmoids) in enumerate(pairs):
                torch.mm(rows, a, out=sigmoids).add_(f).sigmoid_()
                kernels.forward_step(*buffers, t, m)
        return attention.transpose(1, 2), memory.transpose(1, 2), hidden

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        contents, _, weight_a, score_vector, slot_mask = inputs
        attention, _, hidden = output
        ctx.mark_non_differentiable(hidden)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(contents, weight_a, score_vector, slot_mask, attention, hidden)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, grad_attention: Tensor | None, grad_memory: Tensor | None, _: None
    ) -> tuple[Tensor | None, ...]:
        contents, weight_a, score_vector, slot_mask, attention, hidden = ctx.saved_tensors
        attended = weight_a.shape[1]
        if grad_attention is None:
            grad_attention = torch.zeros_like(attention)
        if grad_memory is None:
            grad_memory = contents.new_zeros(*contents.shape[:3], contents.shape[4])
        state = ForwardState(
            _by_sentence(contents), hidden.contiguous(), score_vector.contiguous(), _by_sentence(slot_mask)
        )
        grads = Gradients(
            attention=_by_sentence(grad_attention),
            memory=_by_sentence(grad_memory),
            contents=torch.empty_like(state.contents),
            inner=torch.empty_like(state.hidden[0, 0]),
            key_query_proj=torch.zeros_like(state.hidden[:, 0]),
            score_vector=torch.zeros_like(state.score_vector),
        )
        grad_weight_a = torch.zeros_like(weight_a)
        buffers = to_arrays(state), _by_sentence(attention).numpy(), to_arrays(grads)
        inner_matrix = grads.inner.flatten(0, 1)
        for m, (a, grad_a) in enumerate(zip(weight_a, grad_weight_a, strict=True)):
            pairs = zip(*(_matrices(x[:, m], attended) for x in (state.contents, grads.contents)), strict=True)
            for t, (rows, grad_rows) in enumerate(pairs):
                kernels.backward_step(*buffers, t, m)
                grad_a.addmm_(rows.mT, inner_matrix)
                grad_rows.addmm_(inner_matrix, a.mT)
        grad_contents = grads.contents.movedim(0, 2)
        if contents.is_contiguous():  # else what follows would round differently in an ensemble
            grad_contents = grad_contents.contiguous()
        return grad_contents, grads.key_query_proj, grad_weight_a, grads.score_vector, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor, ...], tuple]:
        results = _SlotAttention.apply(*merge_vmap_dim(info, in_dims, arguments))
        return tuple(x.unflatten(0, (info.batch_size, -1)) for x in results), (0, 0, 0)


def _by_sentence(x: Tensor) -> Tensor:
    """The tensor with its third axis, sentences, first."""
    return x.movedim(2, 0).contiguous()


def _matrices(x: Float[Tensor, "sentence batch slot dim"], dims: int) -> tuple[Float[Tensor, "row first"], ...]:
    """The first dims of each sentence as a matrix with a row for each slot of each story."""
    return x.flatten(1, 2)[..., :dims].unbind()
