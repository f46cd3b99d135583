"""A counter-based hash: 32 random bits are a function of a seed, an update, a site and a position, and of nothing else.

It is the 32-bit mixer with two multiplications known as lowbias32, with a second key between its rounds. It is written
twice, for tensors (`hash_bits`) and for one element in a compiled loop (`hash_element`), from one table of constants;
tests hold both against Python's integers.
"""

from collections.abc import Sequence
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

# lowbias32: x ^= x >> 16, x *= first, x ^= x >> 15, x *= second, x ^= x >> 16
SHIFT_1, MULTIPLIER_1 = 16, 0x7FEB352D
SHIFT_2, MULTIPLIER_2 = 15, 0x846CA68B
SHIFT_3 = 16
# SplitMix64, which turns a seed into keys
SEED_STEP, SEED_MULTIPLIER_1, SEED_MULTIPLIER_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

SITE_STEP = 0x9E3779B1  # between the keys of neighbouring sites
PAIR_STEP = 65536  # between the positions of neighbouring examples, see `pair_position`
HIGH_STEP = 0x85EBCA6B
HIGH_EXAMPLE_STEP = 0x27D4EB2F
KEEP_ALL = 2**31 - 1  # the threshold that no bits are above


def signed(value: int, bits: int) -> int:
    """Return the two's complement reading of the lowest bits, which is how torch's integers are written."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _finalize(x: int) -> int:
    """SplitMix64's finalizer."""
    x %= 2**64
    x = (x ^ x >> 30) * SEED_MULTIPLIER_1 % 2**64
    x = (x ^ x >> 27) * SEED_MULTIPLIER_2 % 2**64
    return x ^ x >> 31


def fold_in(seeds: Sequence[int], update: int, device: str | torch.device = "cpu") -> Int[Tensor, "model 2"]:
    """Return two 32-bit keys for each seed at this update."""
    mixed = [_finalize(_finalize(seed * SEED_STEP) + update) for seed in seeds]
    keys = [(signed(x, 32), signed(x >> 32, 32)) for x in mixed]
    return torch.tensor(keys, dtype=torch.int32, device=device).view(-1, 2)


def site_salt(site: int) -> int:
    """Return what a site changes of a key's first half."""
    return signed(site * SITE_STEP, 32)


def keep_threshold(probability: float) -> int:
    """Return the number that signed 32-bit hashes are below with this probability; KEEP_ALL for 1."""
    return min(int((probability - 0.5) * 2**32), KEEP_ALL)


def hash_bits(key: Int[Tensor, "*model 2"], site: int, position: Int[Tensor, "*shape"]) -> Int[Tensor, "..."]:
    """Hash each position at a site.

    Args:
        key: The two keys of each model, from `fold_in`.
        site: What the bits are for; sites are independent of each other.
        position: Integers, of which the lowest 32 bits count.

    Returns:
        32 uniform bits for each model and position, as int32 from -2**31 to 2**31 - 1; axes of the key come first.
    """
    first, second = key[..., 0] ^ site_salt(site), key[..., 1]
    for _ in range(position.ndim):
        first, second = first.unsqueeze(-1), second.unsqueeze(-1)
    x = position.to(torch.int32) + first  # from here in place: an ensemble has millions of positions
    x.bitwise_xor_((x >> SHIFT_1).bitwise_and_(0xFFFF)).mul_(MULTIPLIER_1).bitwise_xor_(second)
    x.bitwise_xor_((x >> SHIFT_2).bitwise_and_(0x1FFFF)).mul_(signed(MULTIPLIER_2, 32))
    return x.bitwise_xor_((x >> SHIFT_3).bitwise_and_(0xFFFF))


@no_type_check
def hash_element(first, second, position):
    """Hash one position in a compiled loop; `first` is salted. See `hash_bits`."""
    x = np.uint32(np.uint32(position) + first)
    x = np.uint32((x ^ (x >> np.uint32(SHIFT_1))) * np.uint32(MULTIPLIER_1)) ^ second
    x = np.uint32((x ^ (x >> np.uint32(SHIFT_2))) * np.uint32(MULTIPLIER_2))
    return np.int32(x ^ (x >> np.uint32(SHIFT_3)))


@no_type_check
def pair_position(example, word):
    """Return the position of a word type of an example, for integers and for tensors.

    The last two terms are zero for word ids and examples below 65,536. Without them, word w + 65,536 of an example
    would share its bits with word w of the next, and example 65,536 with example 0.
    """
    return example * PAIR_STEP + word + (word >> 16) * HIGH_STEP + (example >> 16) * HIGH_EXAMPLE_STEP
