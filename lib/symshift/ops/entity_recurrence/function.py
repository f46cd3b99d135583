"""The public functions of the recurrence, and the general form as one autograd function over several models.

The loop over sentences and the products with U are here; what else a sentence does is a step of the backend. On a CPU
few models at a time go through the whole story, so that their slots stay in the cache.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import AutogradFunction, merge_vmap_dim, select_backend, to_arrays
from symshift.ops.entity_recurrence import naive
from symshift.ops.entity_recurrence import numba as numba_steps
from symshift.ops.entity_recurrence import torch as torch_steps
from symshift.ops.entity_recurrence.slots import SlotMixture, Slots
from symshift.ops.entity_recurrence.state import ForwardState, Gradients, StepInputs

CACHE_BYTES = 1 << 18  # of slots that a CPU core keeps near

Step = Callable[[int, slice], None]  # of sentence t, for a group of models


def simple_entity_recurrence(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    gate_logits: Float[Tensor, "batch sentence slot"],
) -> Slots | SlotMixture:
    """Update slots by sentences in the simple form (Henaff et al. 2017, Eq. 2-5 with U = V = 0, W = I, phi(x) = x).

    Args:
        start: Slots before the first sentence, of unit norm.
        sentences: Sentence vectors s.
        gate_logits: s . w_j + b_j; NEG_INF leaves a slot as it is.

    Returns:
        The slots after the last and after each sentence, and the gates.
    """
    form = naive if select_backend(start) == "naive" else torch_steps
    return form.simple_entity_recurrence(start, sentences, gate_logits)


def entity_recurrence(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    gate_logits: Float[Tensor, "batch sentence slot"],
    sentence_proj: Float[Tensor, "batch sentence dim"],
    key_proj: Float[Tensor, "slot dim"],
    weight_u: Float[Tensor, "dim dim"],
    slope: Float[Tensor, " dim"],
) -> Slots:
    """Update slots by sentences in the general form (Henaff et al. 2017, Eq. 2-5).

    Args:
        start: Slots before the first sentence, of unit norm.
        sentences: Sentence vectors s.
        gate_logits: s . w_j + b_j; NEG_INF leaves a slot as it is.
        sentence_proj: W s + b.
        key_proj: V w_j.
        weight_u: U.
        slope: Slope of phi, a PReLU, below zero.

    Returns:
        The slots after the last and after each sentence, and the gates, which pass no gradient.
    """
    backend = select_backend(start)
    if backend == "naive":
        return naive.entity_recurrence(start, sentences, gate_logits, sentence_proj, key_proj, weight_u, slope)
    arguments = start, sentences, gate_logits, sentence_proj, key_proj, weight_u, slope
    last, each, _, gates, _ = _Recurrence.apply(backend, *(x.unsqueeze(0) for x in arguments))
    return Slots(last.squeeze(0), each.squeeze(1).transpose(0, 1), gates[:, 0, ..., 0].movedim(0, -1))


class _Recurrence(AutogradFunction):
    """The general form for several models.

    They are the first axis of every argument and of the last slots, the second, after sentences, of all other results.
    """

    @staticmethod
    def forward(
        backend: str,
        start: Float[Tensor, "model slot dim"],
        sentences: Float[Tensor, "model batch sentence dim"],
        gate_logits: Float[Tensor, "model batch sentence slot"],
        sentence_proj: Float[Tensor, "model batch sentence dim"],
        key_proj: Float[Tensor, "model slot dim"],
        weight_u: Float[Tensor, "model dim dim"],
        slope: Float[Tensor, "model dim"],
    ) -> tuple[Tensor, ...]:
        """Return the last slots, then what `ForwardState` has of each sentence."""
        models, batch, times, _ = sentences.shape
        shape = times, models, batch, start.shape[1]
        slots, inner = (start.new_empty(*shape, start.shape[2]) for _ in range(2))
        gates, scales = (start.new_empty(*shape, 1) for _ in range(2))
        state = _state(start, sentences, slope, slots, inner, gates, scales)
        inputs = StepInputs(gate_logits.contiguous(), sentence_proj.contiguous(), key_proj.contiguous())
        if backend == "numba":
            step = _compiled(numba_steps.forward_step, state, inputs)
        else:
            step = partial(torch_steps.forward_step, state, inputs)
        for group in _groups(slots[0]):
            u_transposed = weight_u[group].mT
            inner[0, group] = (start[group] @ u_transposed).unsqueeze(1)
            step(0, group)
            pairs = zip(_matrices(slots[:-1, group]), _matrices(inner[1:, group]), strict=True)
            for t, (slots_before, inner_of_sentence) in enumerate(pairs, 1):
                torch.bmm(slots_before, u_transposed, out=inner_of_sentence)
                step(t, group)
        return slots[-1].clone(), slots, inner, gates, scales

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.backend, start, sentences, _, _, _, weight_u, slope = inputs
        ctx.mark_non_differentiable(*output[2:])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(weight_u, start, sentences, slope, *output[1:])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_last: Tensor | None, grad_each: Tensor | None, *_: None) -> tuple[Tensor | None, ...]:
        weight_u, start, *saved = ctx.saved_tensors
        state = _state(start, *saved)
        groups = _groups(state.slots[0])
        grads = _gradients(state, grad_last, grad_each, len(state.slots[0, groups[0]]))
        if ctx.backend == "numba":
            step = _compiled(numba_steps.backward_step, state, grads)
        else:
            step = partial(torch_steps.backward_step, state, grads)
        grad_start, grad_weight_u = torch.zeros_like(start), torch.zeros_like(weight_u)
        for group in groups:
            u, grad_u, grad_slots = weight_u[group], grad_weight_u[group], grads.slots[group]
            grad_inner = grads.inner[: len(grad_slots)]
            slots_matrix, inner_matrix = grad_slots.flatten(1, 2), grad_inner.flatten(1, 2)
            for t, slots_before in reversed([*enumerate(_matrices(state.slots[:-1, group]), 1)]):
                step(t, group)
                grad_u.baddbmm_(inner_matrix.mT, slots_before)
                slots_matrix.baddbmm_(inner_matrix, u)
            step(0, group)
            grad_inner_start = grad_inner.sum(1)
            grad_u.baddbmm_(grad_inner_start.mT, start[group])
            grad_start[group] = grad_slots.sum(1).baddbmm_(grad_inner_start, u)
        return (
            None,
            grad_start,
            grads.sentences,
            grads.gate_logits,
            grads.sentence_proj,
            grads.key_proj,
            grad_weight_u,
            grads.slope,
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[tuple[Tensor, ...], tuple]:
        last, *each = _Recurrence.apply(*merge_vmap_dim(info, in_dims, arguments))
        shape = (info.batch_size, -1)
        return (last.unflatten(0, shape), *(x.unflatten(1, shape) for x in each)), (0, *(1 for _ in each))


def _state(start: Tensor, sentences: Tensor, slope: Tensor, *computed: Tensor) -> ForwardState:
    return ForwardState(start.contiguous(), sentences.contiguous(), slope.contiguous(), *computed)


def _gradients(state: ForwardState, grad_last: Tensor | None, grad_each: Tensor | None, group: int) -> Gradients:
    """Where the backward pass starts; `group` is the largest number of models that run together."""
    if grad_last is None:
        grad_slots = torch.zeros_like(state.slots[0])
    else:
        grad_slots = grad_last.clone(memory_format=torch.contiguous_format)
    return Gradients(
        each=state.slots[:0] if grad_each is None else grad_each.contiguous(),
        slots=grad_slots,
        sentences=torch.empty_like(state.sentences),
        slope=torch.zeros_like(state.slope),
        gate_logits=state.start.new_empty(*state.sentences.shape[:3], state.start.shape[1]),
        sentence_proj=torch.empty_like(state.sentences),
        key_proj=torch.zeros_like(state.start),
        inner=torch.empty_like(state.slots[0, :group]),
    )


def _compiled(kernel: Callable[..., None], *arguments: Any) -> Step:
    """A kernel bound to named tuples of tensors, as arrays."""
    arrays = [to_arrays(tensors) for tensors in arguments]
    return lambda t, group: kernel(*arrays, t, group.start, group.stop)


def _matrices(x: Float[Tensor, "sentence model batch slot dim"]) -> tuple[Float[Tensor, "model row dim"], ...]:
    """One matrix per sentence and model, with a row for each slot of each story."""
    return x.flatten(2, 3).unbind()


def _groups(slots: Float[Tensor, "model batch slot dim"]) -> list[slice]:
    """Which models to run together: on a CPU as many as the cache has room for, on a GPU all.

    Batches of 32 or a multiple fill whole vector registers, so they round alike in any group.
    """
    models = len(slots)
    size = max(1, CACHE_BYTES // max(1, slots[0].nbytes)) if slots.device.type == "cpu" else models
    return [slice(first, min(first + size, models)) for first in range(0, models, size)]
