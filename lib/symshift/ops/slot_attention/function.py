"""Attention over what the slots of a memory hold after each sentence.

    intra_tj = softmax_j(v . tanh(A h_tj + f_j))        memory_t = sum_j intra_tj h_tj

f_j is what no time enters, of a slot's key and the question. On a CPU each of torch's operations takes the slots of all
sentences of all models from memory and back, so there one autograd function goes sentence by sentence, whose slots stay
in the cache, with tanh x = 2 sigmoid(2x) - 1, for torch's sigmoid takes a fifth of the time of its tanh."""

from collections.abc import Callable
from functools import partial
from typing import Any, no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.models.layers import project
from symshift.models.symbolic import NEG_INF, mask_logits
from symshift.ops.backend import loop, numba_supports, stacked


def intra_attention(
    contents: Float[Tensor, "batch sentence slot dim"],
    fixed: Float[Tensor, "batch slot width"],
    matrix: Float[Tensor, "inner width"],
    score: Float[Tensor, " width"],
    present: Bool[Tensor, "batch sentence slot"],
) -> tuple[Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"]]:
    """intra and memory. `matrix` is A, of the first `inner` dims of the contents; `score` is v; slots that are not
    present get no attention."""
    if numba_supports(contents):
        intra, memory, _ = _Attend.apply(*(x.unsqueeze(0) for x in (contents, fixed, matrix, score, present)))
        return intra.squeeze(0), memory.squeeze(0)
    hidden = torch.tanh(project(contents[..., : len(matrix)], matrix) + fixed.unsqueeze(1))
    intra = mask_logits((hidden * score).sum(-1), present).softmax(-1)
    return intra, (intra.unsqueeze(-1) * contents).sum(-2)


class _Attend(torch.autograd.Function):
    """The same for a stack of models, the first axis of every argument and result."""

    @staticmethod
    def forward(
        contents: Float[Tensor, "stack batch sentence slot dim"],
        fixed: Float[Tensor, "stack batch slot width"],
        matrix: Float[Tensor, "stack inner width"],
        score: Float[Tensor, "stack width"],
        present: Bool[Tensor, "stack batch sentence slot"],
    ) -> tuple[Tensor, ...]:
        """Attention and memory, and for the way back the sigmoids, sentences before stories."""
        stack, batch, times, slots, dims = contents.shape
        inner, width = matrix.shape[1:]
        intra, memory = contents.new_empty(stack, times, batch, slots), contents.new_empty(stack, times, batch, dims)
        hidden = contents.new_empty(stack, times, batch, slots, width)
        by_time, keep = _by_time(contents, present)
        attend = _prepared(_there, by_time, hidden, score, keep, intra, memory)
        for m, (a, f) in enumerate(zip(2 * matrix, 2 * fixed.flatten(1, 2), strict=True)):
            for t, (c, h) in enumerate(zip(_rows(by_time[:, m], inner), _rows(hidden[m], width), strict=True)):
                torch.mm(c, a, out=h).add_(f).sigmoid_()
                attend(t, m)
        return intra.transpose(1, 2), memory.transpose(1, 2), hidden

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        contents, _, matrix, score, present = inputs
        intra, _, hidden = output
        ctx.mark_non_differentiable(hidden)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(contents, matrix, score, present, intra, hidden)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_intra: Tensor | None, of_memory: Tensor | None, _: None) -> tuple[Tensor | None, ...]:
        contents, matrix, score, present, intra, hidden = ctx.saved_tensors
        stack, batch, times, _, dims = contents.shape
        inner = matrix.shape[1]
        of_intra = torch.zeros_like(intra) if of_intra is None else of_intra
        of_memory = contents.new_zeros(stack, batch, times, dims) if of_memory is None else of_memory
        by_time, *given = _by_time(contents, present, intra, of_intra, of_memory)
        of_contents, da = torch.empty_like(by_time), torch.empty_like(hidden[0, 0])
        of_fixed, of_matrix = torch.zeros_like(hidden[:, 0]), torch.zeros_like(matrix)
        of_score = score.new_zeros(score.shape)
        attend = _prepared(_back, by_time, hidden, score, *given, of_contents, da, of_fixed, of_score)
        inside = da.flatten(0, 1)
        for m, (a, of_a) in enumerate(zip(matrix.mT, of_matrix, strict=True)):
            both = (_rows(x[:, m], inner) for x in (by_time, of_contents))
            for t, (c, of_c) in enumerate(zip(*both, strict=True)):
                attend(t, m)
                of_a.addmm_(c.mT, inside)
                of_c.addmm_(inside, a)
        of_contents = of_contents.movedim(0, 2)
        if contents.is_contiguous():  # else what follows would round otherwise in a stack
            of_contents = of_contents.contiguous()
        return of_contents, of_fixed, of_matrix, of_score, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[tuple[Tensor, ...], tuple]:
        results = _Attend.apply(*stacked(info, in_dims, arguments))
        return tuple(x.unflatten(0, (info.batch_size, -1)) for x in results), (0, 0, 0)


def _by_time(*each: Tensor) -> list[Tensor]:
    """Sentences, the third axis, first."""
    return [x.movedim(2, 0).contiguous() for x in each]


def _rows(each: Float[Tensor, "sentence batch slot dim"], first: int) -> tuple[Float[Tensor, "row first"], ...]:
    """The first dims of each sentence, a row each slot of each story."""
    return each.flatten(1, 2)[..., :first].unbind()


def _prepared(compiled: Callable[..., None], *tensors: Tensor) -> Callable[[int, int], None]:
    """The function of sentence t of model m."""
    return partial(compiled, *(tensor.contiguous().numpy() for tensor in tensors))


@partial(loop, any_order=True)
@no_type_check
def _there(contents, hidden, score, present, intra, memory, t, m):
    contents, hidden, score, present = contents[t, m], hidden[m, t], score[m], present[t, m]
    intra, memory = intra[m, t], memory[m, t]
    batch, slots, dims = contents.shape
    zero, one = contents.dtype.type(0), contents.dtype.type(1)
    for b in range(batch):
        largest = contents.dtype.type(-np.inf)
        for j in range(slots):
            total = zero
            for w in range(len(score)):
                total += (hidden[b, j, w] + hidden[b, j, w] - one) * score[w]
            intra[b, j] = total if present[b, j] else NEG_INF
            largest = max(largest, intra[b, j])
        whole = zero
        for j in range(slots):
            intra[b, j] = np.exp(intra[b, j] - largest)
            whole += intra[b, j]
        for d in range(dims):
            memory[b, d] = zero
        for j in range(slots):
            intra[b, j] /= whole
            share = intra[b, j]
            for d in range(dims):
                memory[b, d] += share * contents[b, j, d]


@partial(loop, any_order=True)
@no_type_check
def _back(contents, hidden, score, present, intra, dintra, dmemory, dcontents, dinner, dfixed, dscore, t, m):
    contents, hidden, score, present, intra = contents[t, m], hidden[m, t], score[m], present[t, m], intra[t, m]
    dintra, dmemory, dcontents, dfixed, dscore = dintra[t, m], dmemory[t, m], dcontents[t, m], dfixed[m], dscore[m]
    batch, slots, dims = contents.shape
    zero, one = contents.dtype.type(0), contents.dtype.type(1)
    share = np.empty(slots, contents.dtype)
    for b in range(batch):
        mean = zero
        for j in range(slots):
            total = dintra[b, j]
            for d in range(dims):
                total += contents[b, j, d] * dmemory[b, d]
            share[j] = total
            mean += intra[b, j] * total
        for j in range(slots):
            p = intra[b, j]
            s = p * (share[j] - mean) if present[b, j] else zero
            for w in range(len(score)):
                h = hidden[b, j, w] + hidden[b, j, w] - one
                dscore[w] += s * h
                inner = s * score[w] * (one - h * h)
                dinner[b, j, w] = inner
                dfixed[b, j, w] += inner
            for d in range(dims):
                dcontents[b, j, d] = p * dmemory[b, d]
