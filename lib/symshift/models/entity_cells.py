"""The two dynamics of the slots of a Recurrent Entity Network (Henaff et al. 2017, Eq. 2-5), fast.

    gate       g_j = sigmoid(s . h_j + s . w_j + b_j)
    candidate  c_j = phi(U h_j + V w_j + W s + b)            general; s itself in the simple form
    slot       h_j <- (h_j + g_j c_j) / |h_j + g_j c_j|

What no slot enters is computed by the caller, for all sentences at once: how far a sentence opens a slot,
s . w_j + b_j; what it tells, W s + b; what a slot's key holds, V w_j. A sentence that opens no slot changes nothing:
slots start, and stay, of unit norm.

Simple: a slot is its start and the sentences so far, each times a number. So the loop runs on the dot products of slots
and sentences alone. General: the loop is one autograd function that works in place and keeps no more than its backward
pass needs. On a CPU large models go through it one by one, so that their slots stay in the cache.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.models.symbols import masked

SMALLEST = 1e-12  # norm of a slot
CACHE = 1 << 18  # bytes of slots that a CPU keeps near


class Slots(NamedTuple):
    """The slots after the last sentence, and after each; how far each sentence opened them (no gradient)."""

    last: Float[Tensor, "batch slot dim"]
    each: Float[Tensor, "batch sentence slot dim"]
    gates: Float[Tensor, "batch slot sentence"]


class Mixture(NamedTuple):
    """The same, as what they are made of: the gate of each sentence, and the logarithm of all that a slot has been
    divided by since its start, before and after each sentence."""

    start: Float[Tensor, "batch slot dim"]
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
        shares = self.gates.unsqueeze(1) * masked(past, earlier.expand(past.shape)).exp()
        return (-after).exp() * self.start.unsqueeze(1) + shares @ self.sentences.unsqueeze(1)


def simple(
    start: Float[Tensor, "batch slot dim"],
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
    start: Float[Tensor, "batch slot dim"],
    sentences: Float[Tensor, "batch sentence dim"],
    opening: Float[Tensor, "batch sentence slot"],
    told: Float[Tensor, "batch sentence dim"],
    held: Float[Tensor, "#batch slot dim"],
    change: Float[Tensor, "dim dim"],
    slope: Float[Tensor, " dim"],
) -> Slots:
    """The general form; `change` is U, `slope` that of phi below zero, dim by dim."""
    one = (x.unsqueeze(0) for x in (start, sentences, opening, told, held, change, slope))
    last, each, _, gates, _ = _Loop.apply(*one)
    return Slots(last[0], each[:, 0].transpose(0, 1), gates[:, 0, ..., 0].movedim(0, -1))


class _Loop(torch.autograd.Function):
    """The general form for a stack of models: the stack is the first axis of every argument, the second, after time, of
    every result but the last slots."""

    @staticmethod
    def forward(
        start: Float[Tensor, "stack batch slot dim"],
        sentences: Float[Tensor, "stack batch sentence dim"],
        opening: Float[Tensor, "stack batch sentence slot"],
        told: Float[Tensor, "stack batch sentence dim"],
        held: Float[Tensor, "stack #batch slot dim"],
        change: Float[Tensor, "stack dim dim"],
        slope: Float[Tensor, "stack dim"],
    ) -> tuple[Tensor, ...]:
        """The last slots; slots, U h + V w + W s + b, gates and inverse norms of each sentence."""
        times = sentences.shape[2]
        states, inner = (start.new_empty(times, *start.shape) for _ in range(2))
        gates, scales = (start.new_empty(times, *start.shape[:-1], 1) for _ in range(2))
        for models in _groups(start):
            h, matrix, bend = start[models], change[models].mT, slope[models, None, None] - 1
            part, candidate = torch.empty_like(h), torch.empty_like(h)
            for t in range(times):
                a, gate, scale = (x[t, models] for x in (inner, gates, scales))
                torch.add(told[models, :, t, None], held[models], out=a)
                a.flatten(1, 2).baddbmm_(h.flatten(1, 2), matrix)
                torch.sum(torch.mul(h, sentences[models, :, t, None], out=part), -1, keepdim=True, out=gate)
                gate.add_(opening[models, :, t, :, None]).sigmoid_()
                torch.addcmul(a, torch.clamp(a, max=0, out=part), bend, out=candidate)
                torch.addcmul(h, candidate, gate, out=part)
                torch.linalg.vector_norm(part, dim=-1, keepdim=True, out=scale).clamp_(min=SMALLEST).reciprocal_()
                h = torch.mul(part, scale, out=states[t, models])
        return states[-1].clone(), states, inner, gates, scales

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        start, sentences, _, _, held, change, slope = inputs
        ctx.mark_non_differentiable(*output[2:])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output[1:], start, sentences, change, slope)
        ctx.shared = held.shape[1] == 1

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, last: Tensor | None, each: Tensor | None, *_: None) -> tuple[Tensor, ...]:
        """Names are those of the forward pass; each holds the gradient of what it names."""
        states, inner, gates, scales, start, sentences, change, slope = ctx.saved_tensors
        times = len(states)
        of = {"start": torch.empty_like(start)} | {x: torch.empty_like(sentences) for x in ("sentences", "told")}
        opening, held = torch.empty_like(gates), start[:, :1] if ctx.shared else start
        of |= {name: torch.zeros_like(x) for name, x in (("held", held), ("change", change), ("slope", slope))}
        for models in _groups(start):
            before, matrix, bend = [start[models], *states[:, models]], change[models], slope[models, None, None] - 1
            part, other, da = (torch.empty_like(before[0]) for _ in range(3))
            flow = torch.zeros_like(before[0]) if last is None else last[models].clone()
            one = torch.ones_like(bend)
            for t in reversed(range(times)):
                h, after, a, gate = before[t], before[t + 1], inner[t, models], gates[t, models]
                s = sentences[models, :, t, None]
                if each is not None:
                    flow.add_(each[t, models])
                along = torch.mul(flow, after, out=part).sum(-1, keepdim=True).neg_()
                flow.addcmul_(after, along).mul_(scales[t, models])
                below = torch.clamp(a, max=0, out=part)
                candidate = torch.addcmul(a, below, bend, out=other)
                opens = candidate.mul_(flow).sum(-1, keepdim=True)
                opening[t, models] = opens.mul_(gate).mul_(1 - gate)
                torch.mul(flow, gate, out=other)
                of["slope"][models] += torch.mul(below, other, out=da).sum((1, 2))
                torch.mul(torch.addcmul(one, below.sign_(), bend, value=-1, out=da), other, out=da)
                rows = da.flatten(1, 2)
                of["change"][models].baddbmm_(rows.mT, h.flatten(1, 2))
                of["told"][models, :, t] = da.sum(2)
                of["held"][models] += da.sum(1, keepdim=True) if ctx.shared else da
                of["sentences"][models, :, t] = torch.mul(h, opens, out=part).sum(2)
                flow.addcmul_(s, opens).flatten(1, 2).baddbmm_(rows, matrix)
            of["start"][models] = flow
        of["opening"] = opening.squeeze(-1).permute(1, 2, 0, 3)
        return tuple(of[name] for name in ("start", "sentences", "opening", "told", "held", "change", "slope"))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor, ...], tuple]:
        rows = (
            x.expand(info.batch_size, *x.shape) if at is None else x.movedim(at, 0)
            for x, at in zip(arguments, in_dims, strict=True)
        )
        last, *each = _Loop.apply(*(x.flatten(0, 1) for x in rows))
        shape = (info.batch_size, -1)
        return (last.unflatten(0, shape), *(x.unflatten(1, shape) for x in each)), (0, *(1 for _ in each))


def _groups(stack: Tensor) -> list[slice]:
    """Which models to run side by side: on a CPU so many that their slots stay in the cache, on a GPU all. Batches of
    16 or a multiple, whole registers, round alike in any company."""
    size = max(1, CACHE // max(1, stack[0].nbytes)) if stack.device.type == "cpu" else len(stack)
    return [slice(first, first + size) for first in range(0, len(stack), size)]
