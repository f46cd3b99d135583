"""Randomness that belongs to the model, not to the process: a counter-based generator.

Every random bit of update u of the model with seed s is a hash of (s, u, site, position). There is no hidden state:
a seed gets the same dropout masks alone, in any stack, and after any resume, and a checkpoint stores no generator.
The hash is the two-multiplication 32-bit mixer known as lowbias32, with a second key between its rounds.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from symshift.ops.backend import numba_supports
from symshift.ops.hash_dropout.function import EVERYTHING, Mask, dropped

GOLDEN = 0x9E3779B97F4A7C15
WORDS = 65536  # more than a vocabulary has


def _signed(value: int, bits: int) -> int:
    """The two's complement reading of `value`'s lowest bits, as torch's integer types want it."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _spread(x: Tensor) -> Tensor:
    """SplitMix64's finaliser, elementwise on int64."""
    x = (x ^ (x >> 30 & 0x3FFFFFFFF)) * _signed(0xBF58476D1CE4E5B9, 64)
    x = (x ^ (x >> 27 & 0x1FFFFFFFFF)) * _signed(0x94D049BB133111EB, 64)
    return x ^ (x >> 31 & 0x1FFFFFFFF)


def keys(seeds: Int[Tensor, "*stack"], update: Int[Tensor, ""]) -> Int[Tensor, "*stack 2"]:
    """Two 32-bit keys for each seed at this update."""
    mixed = _spread(_spread(seeds * _signed(GOLDEN, 64)) + update)
    return torch.stack((mixed, mixed >> 32), -1).to(torch.int32)


def _salt(site: int) -> int:
    """What a site changes of a key."""
    return _signed(site * 0x9E3779B1, 32)


def bits(key: Int[Tensor, "*stack 2"], site: int, position: Int[Tensor, "*shape"]) -> Int[Tensor, "..."]:
    """32 uniform bits for each position at a site, as int32 from -2**31 to 2**31 - 1."""
    first, second = key[..., 0] ^ _salt(site), key[..., 1]
    for _ in range(position.ndim):
        first, second = first.unsqueeze(-1), second.unsqueeze(-1)
    x = position.to(torch.int32) + first  # from here in place: a stack has millions of positions
    x.bitwise_xor_((x >> 16).bitwise_and_(0xFFFF)).mul_(0x7FEB352D).bitwise_xor_(second)
    x.bitwise_xor_((x >> 15).bitwise_and_(0x1FFFF)).mul_(_signed(0x846CA68B, 32))
    return x.bitwise_xor_((x >> 16).bitwise_and_(0xFFFF))


def integers(
    key: Int[Tensor, "*stack 2"], site: int, count: int, below: Int[Tensor, "*stack"]
) -> Int[Tensor, "*stack count"]:
    """`count` integers for each key, uniform from 0 to `below` - 1 (to within below / 2**31)."""
    drawn = bits(key, site, torch.arange(count, device=key.device))
    return (drawn & 0x7FFFFFFF).long() % below.unsqueeze(-1)


def _threshold(chance: float) -> int:
    """Bits are below it with this probability."""
    return min(int((chance - 0.5) * 2**32), EVERYTHING)


class StepRng:
    """The randomness of one training update of one model: dropout, word dropout, time noise.

    `progress` goes from 0 to 1 over the updates of a run, for models with a schedule of their own (linear start)."""

    def __init__(self, key: Int[Tensor, " 2"], progress: Float[Tensor, ""]):
        self.key, self.progress = key, progress

    def below(self, chance: float, site: int, position: Int[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
        """True with probability `chance`, independently for each position at each site."""
        return bits(self.key, site, position) < _threshold(chance)

    def uniform(self, site: int, count: int) -> Float[Tensor, " count"]:
        """Numbers from 0 to 1."""
        drawn = bits(self.key, site, torch.arange(count, device=self.key.device))
        return (drawn >> 8 & 0xFFFFFF).float() / 2**24

    def dropout(self, x: Float[Tensor, "*shape"], rate: float, site: int) -> Float[Tensor, "*shape"]:
        """Each element is zero with probability `rate`, else scaled by 1 / (1 - rate)."""
        if rate == 0:
            return x
        if numba_supports(x):
            return dropped(x, self.mask(rate, site))
        position = torch.arange(x.numel(), device=x.device, dtype=torch.int32).view(x.shape)
        return x * self.below(1 - rate, site, position).to(x.dtype).div_(1 - rate)

    def mask(self, rate: float, site: int) -> Mask:
        """What dropout keeps at a site."""
        return Mask(self.key, _salt(site), _threshold(1 - rate), 1 / (1 - rate))

    def word_type_dropout(
        self,
        vectors: Float[Tensor, "batch *position dim"],
        words: Int[Tensor, "batch *position"],
        rate: float,
        site: int,
    ) -> Float[Tensor, "batch *position dim"]:
        """Word dropout: with probability `rate` the vectors of a word type are zero for this whole example. The same
        word of the same example meets the same fate wherever it stands."""
        if rate == 0:
            return vectors
        example = torch.arange(len(words), device=words.device).view(-1, *[1] * (words.ndim - 1))
        known = self.below(1 - rate, site, example * WORDS + words)
        return vectors * known.unsqueeze(-1).to(vectors.dtype)


class NoRng:
    """Evaluation: nothing is dropped, every schedule has ended."""

    progress = 1.0

    def dropout(self, x: Tensor, rate: float, site: int) -> Tensor:
        return x

    def word_type_dropout(self, vectors: Tensor, words: Tensor, rate: float, site: int) -> Tensor:
        return vectors

    def mask(self, rate: float, site: int) -> Mask:
        return Mask(torch.zeros(2, dtype=torch.int32), 0, EVERYTHING, 1.0)


NO_RNG = NoRng()
