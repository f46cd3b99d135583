"""Bags of words in compiled loops, straight from the table of words, which stays in the CPU's cache."""

from typing import NamedTuple, no_type_check

import numpy as np

from symshift.ops.backend import njit_kernel
from symshift.ops.hashing import KEEP_ALL, hash_element, pair_position


class Masks(NamedTuple):
    """What the dropout of units and that of word types need beside the key."""

    unit_salt: int
    unit_threshold: int
    unit_scale: float
    type_salt: int
    type_threshold: int


class Inputs(NamedTuple):
    """Contiguous arrays of several models."""

    table: np.ndarray  # model vocabulary dim
    ids: np.ndarray  # model batch sentence word
    position_weights: np.ndarray  # model longest dim
    key: np.ndarray  # model 2


@no_type_check
def keep_word(first, second, example, word, threshold):
    """Whether a word type stays in an example; see `rng.StepRng.word_type_dropout`."""
    return threshold == KEEP_ALL or hash_element(first, second, pair_position(example, word)) < np.int32(threshold)


@no_type_check
def fill_unit_mask(mask, first, second, start, threshold, scale):
    """Fill the mask of a word's units, the first of which has the number `start`."""
    zero, threshold, start = mask.dtype.type(0), np.int32(threshold), np.uint32(start) + first
    for d in range(len(mask)):
        mask[d] = scale if hash_element(start, second, d) < threshold else zero


@njit_kernel(helpers=[hash_element, pair_position, keep_word, fill_unit_mask])
@no_type_check
def forward_kernel(inputs, masks, bags):
    """Fill the bags (model, batch, sentence, dim): sums over words of position weight * word vector * mask."""
    table, ids, position_weights, key = inputs
    unit_salt, unit_threshold, unit_scale, type_salt, type_threshold = masks
    models, batch, sentences, words = ids.shape
    longest, dims, scale = position_weights.shape[1], position_weights.shape[2], table.dtype.type(unit_scale)
    mask = np.full(dims, scale)
    for m in range(models):
        first, second = np.uint32(key[m, 0] ^ unit_salt), np.uint32(key[m, 1])
        type_first = np.uint32(key[m, 0] ^ type_salt)
        vectors, weights = table[m], position_weights[m]
        for b in range(batch):
            for s in range(sentences):
                bag = bags[m, b, s]
                bag[:] = table.dtype.type(0)
                for w in range(words):
                    row, p = ids[m, b, s, w] - 1, min(w, longest - 1)
                    if 0 <= row < table.shape[1] and keep_word(type_first, second, b, row + 1, type_threshold):
                        if unit_threshold != KEEP_ALL:
                            start = ((b * sentences + s) * words + w) * dims
                            fill_unit_mask(mask, first, second, start, unit_threshold, scale)
                        for d in range(dims):
                            bag[d] += weights[p, d] * vectors[row, d] * mask[d]


@njit_kernel(helpers=[hash_element, pair_position, keep_word, fill_unit_mask])
@no_type_check
def backward_kernel(inputs, masks, grad_bags, grad_table, grad_position_weights):
    """Add to the gradients of table and position weights what the bags' gradient says; masks are computed again."""
    table, ids, position_weights, key = inputs
    unit_salt, unit_threshold, unit_scale, type_salt, type_threshold = masks
    models, batch, sentences, words = ids.shape
    longest, dims, scale = position_weights.shape[1], position_weights.shape[2], table.dtype.type(unit_scale)
    mask = np.full(dims, scale)
    for m in range(models):
        first, second = np.uint32(key[m, 0] ^ unit_salt), np.uint32(key[m, 1])
        type_first = np.uint32(key[m, 0] ^ type_salt)
        vectors, weights = table[m], position_weights[m]
        grad_vectors, grad_weights = grad_table[m], grad_position_weights[m]
        for b in range(batch):
            for s in range(sentences):
                grad_bag = grad_bags[m, b, s]
                for w in range(words):
                    row, p = ids[m, b, s, w] - 1, min(w, longest - 1)
                    if 0 <= row < table.shape[1] and keep_word(type_first, second, b, row + 1, type_threshold):
                        if unit_threshold != KEEP_ALL:
                            start = ((b * sentences + s) * words + w) * dims
                            fill_unit_mask(mask, first, second, start, unit_threshold, scale)
                        for d in range(dims):
                            grad_vectors[row, d] += weights[p, d] * grad_bag[d] * mask[d]
                        for d in range(dims):
                            grad_weights[p, d] += vectors[row, d] * grad_bag[d] * mask[d]
