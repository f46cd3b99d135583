"""The two dynamics of the slots of a Recurrent Entity Network (Henaff et al. 2017, Eq. 2-5), fast.

    gate       g_j = sigmoid(s . h_j + s . w_j + b_j)
    candidate  c_j = phi(U h_j + V w_j + W s + b)            general; s itself in the simple form
    slot       h_j <- (h_j + g_j c_j) / |h_j + g_j c_j|

What no slot enters is computed by the caller, for all sentences at once: how far a sentence opens a slot,
s . w_j + b_j; what it tells, W s + b; what a slot's key holds, V w_j. A sentence that opens no slot changes nothing:
slots start, and stay, of unit norm.

Simple: a slot is its start and the sentences so far, each times a number. So the loop runs on the dot products of slots
and sentences alone. General: the loop is one autograd function that works in place and keeps no more than its backward
pass needs; `entity_steps` says what a sentence does there. On a CPU large models go through it one by one, so that
their slots stay in the cache.
"""

from types import ModuleType
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.models.symbolic import mask_logits
from symshift.ops.backend import numba_supports, stacked
from symshift.ops.entity_recurrence import numba as entity_steps_compiled
from symshift.ops.entity_recurrence import torch as entity_steps
from symshift.ops.entity_recurrence.torch import SMALLEST, ForwardState, Gradients, StepInputs

CACHE = 1 << 18  # bytes of slots that a CPU keeps near


class Slots(NamedTuple):
    """The slots after the last sentence, and after each; how far each sentence opened them (no gradient)."""

    last: Float[Tensor, "batch slot dim"]
    each: Float[Tensor, "batch sentence slot dim"]
    gates: Float[Tensor, "batch slot sentence"]


class Mixture(NamedTuple):
    """The same, as what they are made of: the gate of each sentence, and the logarithm of all that a slot has been
    divided by since its start, before and after each sentence."""

    start: Float[Tensor, "slot dim"]
    sentences: Float[Tensor, "batch sentence dim"]
    gates: Float[Tensor, "batch slot sentence"]
    before: Float[Tensor, "batch slot sentence"]
    after: Float[Tensor, "batch slot sentence"]

    @property
    def last(self) -> Float[Tensor, "batch slot dim"]:
        end = self.after[..., -1:]
        return (-end).exp() * self.start + (self.gates * (self.before - end).exp()) @ self.sentences

    @property
    def each(self) -> Float[Tensor, "batch sentence slot dim"]:
        after = self.after.mT.unsqueeze(-1)
        number = torch.arange(after.shape[1], device=after.device)
        earlier = (number <= number[:, None])[:, None]
        past = self.before.unsqueeze(1) - after
        shares = self.gates.unsqueeze(1) * mask_logits(past, earlier.expand(past.shape)).exp()
        return (-after).exp() * self.start + shares @ self.sentences.unsqueeze(1)


def simple(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    opening: Float[Tensor, "batch sentence slot"],
) -> Mixture:
    """The simple form. The loop carries h_j . s for the sentences s still to come."""
    overlap = sentences @ sentences.mT
    ahead = start @ sentences.mT
    gates, norms = [], []
    for t, opens in enumerate(opening.unbind(1)):
        here, rest = ahead[..., 0], ahead[..., 1:]
        gate = (here + opens).sigmoid()
        norm = (1 + gate * (2 * here + gate * overlap[:, t, t, None])).clamp(min=SMALLEST**2).sqrt()
        ahead = (rest + gate.unsqueeze(-1) * overlap[:, t, None, t + 1 :]) / norm.unsqueeze(-1)
        gates.append(gate)
        norms.append(norm.log())
    grown = torch.stack(norms, -1)
    after = grown.cumsum(-1)
    return Mixture(start, sentences, torch.stack(gates, -1), after - grown, after)


def general(
    start: Float[Tensor, "slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    opening: Float[Tensor, "batch sentence slot"],
    told: Float[Tensor, "batch sentence dim"],
    held: Float[Tensor, "slot dim"],
    change: Float[Tensor, "dim dim"],
    slope: Float[Tensor, " dim"],
) -> Slots:
    """The general form; `change` is U, `slope` that of phi below zero, dim by dim."""
    one = (x.unsqueeze(0) for x in (start, sentences, opening, told, held, change, slope))
    last, each, _, gates, _ = _Loop.apply(*one)
    return Slots(last.squeeze(0), each.squeeze(1).transpose(0, 1), gates[:, 0, ..., 0].movedim(0, -1))


class _Loop(torch.autograd.Function):
    """The general form for a stack of models: the stack is the first axis of every argument, the second, after time, of
    every result but the last slots."""

    @staticmethod
    def forward(
        start: Float[Tensor, "stack slot dim"],
        sentences: Float[Tensor, "stack batch sentence dim"],
        opening: Float[Tensor, "stack batch sentence slot"],
        told: Float[Tensor, "stack batch sentence dim"],
        held: Float[Tensor, "stack slot dim"],
        change: Float[Tensor, "stack dim dim"],
        slope: Float[Tensor, "stack dim"],
    ) -> tuple[Tensor, ...]:
        """The last slots; slots, U h + V w + W s + b, gates and inverse norms of each sentence."""
        stack, batch, times, _ = sentences.shape
        shape = times, stack, batch, start.shape[1]
        states, inner = (start.new_empty(*shape, start.shape[2]) for _ in range(2))
        gates, scales = (start.new_empty(*shape, 1) for _ in range(2))
        course = ForwardState(
            start.contiguous(), sentences.contiguous(), slope.contiguous(), states, inner, gates, scales
        )
        step = _steps(start).there(course, StepInputs(opening.contiguous(), told.contiguous(), held.contiguous()))
        for models in _groups(states[0]):
            matrix = change[models].mT
            inner[0, models] = (start[models] @ matrix).unsqueeze(1)
            step(0, models)
            matrices = (_rows(x[:, models]) for x in (states[:-1], inner[1:]))
            for t, (before, here) in enumerate(zip(*matrices, strict=True), 1):
                torch.bmm(before, matrix, out=here)
                step(t, models)
        return states[-1].clone(), states, inner, gates, scales

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        start, sentences, _, _, _, change, slope = inputs
        ctx.mark_non_differentiable(*output[2:])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output[1:], start, sentences, change, slope)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, last: Tensor | None, each: Tensor | None, *_: None) -> tuple[Tensor, ...]:
        states, inner, gates, scales, start, sentences, change, slope = ctx.saved_tensors
        course = ForwardState(
            start.contiguous(), sentences.contiguous(), slope.contiguous(), states, inner, gates, scales
        )
        groups = _groups(states[0])
        of = Gradients(
            each=states[:0] if each is None else each.contiguous(),
            slots=torch.zeros_like(states[0]) if last is None else last.clone(memory_format=torch.contiguous_format),
            sentences=torch.empty_like(course.sentences),
            slope=torch.zeros_like(course.slope),
            opening=start.new_empty(*sentences.shape[:3], start.shape[1]),
            told=torch.empty_like(course.sentences),
            held=torch.zeros_like(course.start),
            inner=torch.empty_like(states[0, groups[0]]),
        )
        step, of_start, of_change = _steps(start).back(course, of), torch.zeros_like(start), torch.zeros_like(change)
        for models in groups:
            matrix, of_matrix, of_slots = change[models], of_change[models], of.slots[models]
            of_inner = of.inner[: len(of_slots)]
            flow, inside = of_slots.flatten(1, 2), of_inner.flatten(1, 2)
            turned = inside.mT
            for t, before in reversed([*enumerate(_rows(states[:-1, models]), 1)]):
                step(t, models)
                of_matrix.baddbmm_(turned, before)
                flow.baddbmm_(inside, matrix)
            step(0, models)
            at_first = of_inner.sum(1)
            of_matrix.baddbmm_(at_first.mT, start[models])
            of_start[models] = of_slots.sum(1).baddbmm_(at_first, matrix)
        return of_start, of.sentences, of.opening, of.told, of.held, of_change, of.slope

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor, ...], tuple]:
        last, *each = _Loop.apply(*stacked(info, in_dims, arguments))
        shape = (info.batch_size, -1)
        return (last.unflatten(0, shape), *(x.unflatten(1, shape) for x in each)), (0, *(1 for _ in each))


def _steps(slots: Tensor) -> ModuleType:
    return entity_steps_compiled if numba_supports(slots) else entity_steps


def _rows(each: Float[Tensor, "sentence some batch slot dim"]) -> tuple[Float[Tensor, "some row dim"], ...]:
    """What each sentence has, all of a model's in one matrix."""
    return each.flatten(2, 3).unbind()


def _groups(stack: Float[Tensor, "stack batch slot dim"]) -> list[slice]:
    """Which models to run side by side: on a CPU so many that their slots stay in the cache, on a GPU all. Batches of
    16 or a multiple, whole registers, round alike in any company."""
    size = max(1, CACHE // max(1, stack[0].nbytes)) if stack.device.type == "cpu" else len(stack)
    return [slice(first, min(first + size, len(stack))) for first in range(0, len(stack), size)]
