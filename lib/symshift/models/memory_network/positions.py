"""Where a word stands in its sentence, and a sentence in its story: position encoding, ages and random time noise."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from symshift.ops.rng import NoRng, StepRng


def position_encoding(words: int, dim: int) -> Float[Tensor, "words dim"]:
    """Weigh the words of a sentence by position (Sukhbaatar et al. 2015, section 4.1).

    l_kj = (1 - j/J) - (k/d)(1 - 2j/J) for word j of J and dim k of d, both from 1. J is the length of the longest
    sentence, so that a position has one vector in all sentences. The authors' code has about twice these weights.
    """
    table = torch.empty(words, dim)
    if table.is_meta:  # which has shapes alone; to compute there torch imports its compiler, which takes a second
        return table
    j = torch.arange(1, words + 1).unsqueeze(-1) / words
    k = torch.arange(1, dim + 1) / dim
    return (1 - j) - k * (1 - 2 * j)


def sentence_ages(
    sentence_mask: Bool[Tensor, "batch sentence"], rng: StepRng | NoRng, share: float, site: int
) -> Int[Tensor, "batch sentence"]:
    """Count the memories between each sentence and the question; the latest sentence has age 0.

    Args:
        sentence_mask: Which sentences are real.
        rng: Training's randomness; at evaluation there is no time noise.
        share: Time noise puts up to ceil(share * length) blank memories among a story's sentences, at positions drawn
            without replacement, as the authors' code does.
        site: Of the time noise.

    Returns:
        The age of each sentence; that of a blank one means nothing.
    """
    after = sentence_mask.flip(-1).cumsum(-1).flip(-1)
    age = (after - 1).clamp(min=0)
    if share == 0 or isinstance(rng, NoRng):
        return age
    batch, sentences = sentence_mask.shape
    length = after[:, :1]
    maximum_blanks = (length.double() * share).ceil().long()  # in double, as the next line: the two may not differ
    slots = sentences + math.ceil(sentences * share)
    draws = rng.uniform(site, batch * (slots + 1)).view(batch, slots + 1)
    blanks = (draws[:, -1:] * (maximum_blanks + 1)).long()
    slot = torch.arange(slots, device=sentence_mask.device)
    usable = slot < length + blanks
    rank = torch.where(usable, draws[:, :-1], 2.0).argsort(-1).argsort(-1)
    has_sentence = usable & (rank >= blanks)
    slot_of_age = torch.where(has_sentence, slot, slots + slot).argsort(-1)
    return slot_of_age.gather(-1, age)
