"""Sentences as bags of words straight from the table of words: s = sum_j p_j * drop(A_x(j)).

In torch's operations the vectors of all words of all stories go through memory for the lookup, the dropout, the places
and the sum, there and back; the compiled loop reads the table, which stays in the cache, and writes the sums."""

from typing import Any, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.ops.backend import merge_vmap_dim, njit_kernel, select_backend
from symshift.ops.functional import embed, position_weighted_sum
from symshift.ops.hashing import KEEP_ALL, hash_element, pair_position
from symshift.ops.rng import NO_DROPOUT, DropoutSpec, NoRng, StepRng


def word_bags(
    table: Float[Tensor, "vocabulary dim"],
    ids: Int[Tensor, "batch *position word"],
    places: Float[Tensor, "longest dim"],
    rng: StepRng | NoRng,
    units: DropoutSpec = NO_DROPOUT,
    types: DropoutSpec = NO_DROPOUT,
) -> Float[Tensor, "batch *position dim"]:
    """The bag of each sentence; `ids` as in `symbols.embed`, `places` as in `layers.position_weighted_sum`, `units` as
    in `StepRng.dropout`, `types` as in `StepRng.word_type_dropout`."""
    if select_backend(table) != "numba":
        vectors = rng.dropout(embed(table, ids), *units)
        return position_weighted_sum(rng.word_type_dropout(vectors, ids, *types), places)
    key, *how = rng.mask(*units)
    _, salt, threshold, _ = rng.mask(*types)
    return _Bags.apply(*(x.unsqueeze(0) for x in (table, ids, places, key)), *how, salt, threshold).squeeze(0)


class _Bags(torch.autograd.Function):
    """The same for a stack, the first axis."""

    @staticmethod
    def forward(
        table: Float[Tensor, "stack vocabulary dim"],
        ids: Int[Tensor, "stack batch *position word"],
        places: Float[Tensor, "stack longest dim"],
        key: Int[Tensor, "stack 2"],
        *how: int | float,
    ) -> Float[Tensor, "stack batch *position dim"]:
        bags = table.new_empty(*ids.shape[:-1], table.shape[-1])
        _there(*_rows(table, ids, places, key, bags), *how)
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
        _back(*_rows(*ctx.saved_tensors, of), *ctx.how, of_table, of_places)
        return of_table, None, of_places, *(None for _ in range(1 + len(ctx.how)))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
        return _Bags.apply(*merge_vmap_dim(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0


def _rows(table: Tensor, ids: Tensor, places: Tensor, key: Tensor, bags: Tensor) -> tuple[Tensor, ...]:
    """All contiguous; ids and bags with one axis between the stories and the words or dims."""
    stories = (x.contiguous().unsqueeze(2).flatten(2, -2) for x in (ids, bags))
    return (table.contiguous(), places.contiguous(), key.contiguous(), *stories)


@no_type_check
def told(first, second, story, word, threshold):
    """Whether a word type is not hidden in a story; `rng.StepRng.word_type_dropout`."""
    return threshold == KEEP_ALL or hash_element(first, second, pair_position(story, word)) < np.int32(threshold)


@no_type_check
def keep_some(keep, first, second, start, threshold, kept):
    """The mask of a word's units."""
    nothing, below, start = keep.dtype.type(0), np.int32(threshold), np.uint32(start) + first
    for d in range(len(keep)):
        keep[d] = kept if hash_element(start, second, d) < below else nothing


@njit_kernel(helpers=[hash_element, pair_position, told, keep_some])
@no_type_check
def _there(table, places, key, ids, bags, salt, threshold, scale, type_salt, type_threshold):
    stack, batch, sentences, words = ids.shape
    dims, longest, kept = places.shape[2], places.shape[1], table.dtype.type(scale)
    keep = np.full(dims, kept)
    for m in range(stack):
        first, types, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 0] ^ type_salt), np.uint32(key[m, 1])
        vectors, placed_by = table[m], places[m]
        for b in range(batch):
            for s in range(sentences):
                bag = bags[m, b, s]
                bag[:] = table.dtype.type(0)
                for w in range(words):
                    row, at = ids[m, b, s, w] - 1, min(w, longest - 1)
                    if 0 <= row < table.shape[1] and told(types, second, b, row + 1, type_threshold):
                        if threshold != KEEP_ALL:
                            keep_some(keep, first, second, ((b * sentences + s) * words + w) * dims, threshold, kept)
                        for d in range(dims):
                            bag[d] += placed_by[at, d] * vectors[row, d] * keep[d]


@njit_kernel(helpers=[hash_element, pair_position, told, keep_some])
@no_type_check
def _back(table, places, key, ids, bags, salt, threshold, scale, type_salt, type_threshold, of_table, of_places):
    stack, batch, sentences, words = ids.shape
    dims, longest, kept = places.shape[2], places.shape[1], table.dtype.type(scale)
    keep = np.full(dims, kept)
    for m in range(stack):
        first, types, second = np.uint32(key[m, 0] ^ salt), np.uint32(key[m, 0] ^ type_salt), np.uint32(key[m, 1])
        vectors, placed_by, of_vectors, of_placed_by = table[m], places[m], of_table[m], of_places[m]
        for b in range(batch):
            for s in range(sentences):
                bag = bags[m, b, s]
                for w in range(words):
                    row, at = ids[m, b, s, w] - 1, min(w, longest - 1)
                    if 0 <= row < table.shape[1] and told(types, second, b, row + 1, type_threshold):
                        if threshold != KEEP_ALL:
                            keep_some(keep, first, second, ((b * sentences + s) * words + w) * dims, threshold, kept)
                        for d in range(dims):
                            of_vectors[row, d] += placed_by[at, d] * bag[d] * keep[d]
                        for d in range(dims):
                            of_placed_by[at, d] += vectors[row, d] * bag[d] * keep[d]
