"""Sentences as bags of words straight from the table of words, under dropout: s = sum_j p_j * drop(A_x(j)).

In torch's operations the vectors of all words of all stories go through memory for the lookup, the dropout, the places
and the sum, there and back; the compiled loop reads the table, which stays in the cache, and writes the sums."""

from functools import partial
from typing import Any, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.models.compiled import can_be, loop, stacked
from symshift.models.dropout import bits_of
from symshift.models.layers import placed
from symshift.models.noise import Noise, Quiet
from symshift.models.symbols import lookup


def word_bags(
    table: Float[Tensor, "vocabulary dim"],
    ids: Int[Tensor, "*position word"],
    places: Float[Tensor, "longest dim"],
    noise: Noise | Quiet,
    rate: float,
    site: int,
) -> Float[Tensor, "*position dim"]:
    """The bag of each sentence; `ids` as in `symbols.lookup`, `places` as in `layers.placed`."""
    if rate == 0 or isinstance(noise, Quiet) or not can_be(table):
        return placed(noise.dropout(lookup(table, ids), rate, site), places)
    key, *how = noise.mask(rate, site)
    return _Bags.apply(*(x.unsqueeze(0) for x in (table, ids, places, key)), *how).squeeze(0)


class _Bags(torch.autograd.Function):
    """The same for a stack, the first axis."""

    @staticmethod
    def forward(
        table: Float[Tensor, "stack vocabulary dim"],
        ids: Int[Tensor, "stack *position word"],
        places: Float[Tensor, "stack longest dim"],
        key: Int[Tensor, "stack 2"],
        *how: int | float,
    ) -> Float[Tensor, "stack *position dim"]:
        bags = table.new_zeros(*ids.shape[:-1], table.shape[-1])
        _there(*_rows(table, ids, places, key), bags.flatten(1, -2), *how)
        return bags

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[:4])
        ctx.how = inputs[4:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of: Tensor) -> tuple[Tensor | None, ...]:
        table, _, places, _ = ctx.saved_tensors
        of_table, of_places = (torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (table, places))
        bags = of.contiguous().flatten(1, -2)
        _back(*_rows(*ctx.saved_tensors), bags, *ctx.how, of_table, of_places)
        return of_table, None, of_places, *(None for _ in range(1 + len(ctx.how)))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
        return _Bags.apply(*stacked(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0


def _rows(table: Tensor, ids: Tensor, places: Tensor, key: Tensor) -> tuple[Tensor, ...]:
    return table.contiguous(), ids.contiguous().flatten(1, -2), places.contiguous(), key.contiguous()


@partial(loop, parts=[bits_of])
@no_type_check
def _there(table, ids, places, key, bags, salt, threshold, scale):
    stack, sentences, words = ids.shape
    nothing, kept, below = table.dtype.type(0), table.dtype.type(scale), np.int32(threshold)
    dims, longest = places.shape[2], places.shape[1]
    for m in range(stack):
        first, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 1])
        for s in range(sentences):
            bag = bags[m, s]
            for w in range(words):
                row = ids[m, s, w] - 1
                if 0 <= row < table.shape[1]:
                    start = np.uint32((s * words + w) * dims) + first
                    vector, place = table[m, row], places[m, min(w, longest - 1)]
                    for d in range(dims):
                        bag[d] += place[d] * vector[d] * (kept if bits_of(start, second, d) < below else nothing)


@partial(loop, parts=[bits_of])
@no_type_check
def _back(table, ids, places, key, bags, salt, threshold, scale, of_table, of_places):
    stack, sentences, words = ids.shape
    nothing, kept, below = table.dtype.type(0), table.dtype.type(scale), np.int32(threshold)
    dims, longest = places.shape[2], places.shape[1]
    for m in range(stack):
        first, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 1])
        for s in range(sentences):
            bag = bags[m, s]
            for w in range(words):
                row, at = ids[m, s, w] - 1, min(w, longest - 1)
                if 0 <= row < table.shape[1]:
                    start = np.uint32((s * words + w) * dims) + first
                    vector, place = table[m, row], places[m, at]
                    of_vector, of_place = of_table[m, row], of_places[m, at]
                    for d in range(dims):
                        of = bag[d] * (kept if bits_of(start, second, d) < below else nothing)
                        of_vector[d] += place[d] * of
                        of_place[d] += vector[d] * of
