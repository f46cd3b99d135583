"""Randomness that belongs to the model, not to the process.

Every random bit of update u of the model with seed s is a hash of (s, u, site, position); see `hashing`. There is no
hidden state: a seed gets the same dropout masks alone, in any ensemble, and after any resume, and a checkpoint stores
no generator.
"""

from enum import IntEnum

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from symshift.ops.hash_dropout import DropoutSpec, hash_dropout
from symshift.ops.hashing import fold_in as fold_in
from symshift.ops.hashing import hash_bits as hash_bits
from symshift.ops.hashing import keep_threshold, pair_position


class Site(IntEnum):
    """What random bits are for.

    Two sites of one network differ; networks may share a number, which then has a name in each family. All stored
    results depend on the numbers. A network of yours can take any integers below 1,000.
    """

    # memory networks and entity networks
    SENTENCE_WORDS = 1
    QUESTION_WORDS = 2
    TIME_NOISE = 3
    # LSTM
    LSTM_WORDS = 1
    LSTM_STATE = 2
    # tensor-product networks
    WORD_TYPES = 1
    SENTENCES = 2
    QUESTION = 3
    SENTENCE_HIDDEN = 4
    QUESTION_HIDDEN = 5
    READS = 6
    WHOLE_STORY_WORDS = 7
    WHOLE_QUESTION_WORDS = 8
    # the entity network that chooses among candidates; its word types are at WORD_TYPES
    CLOZE_STORY_WORDS = 2
    CLOZE_QUESTION_WORDS = 3
    # Transformers and DeltaNet; those from 11 on are 10 l higher in layer l, counted from 0
    TOKENS = 2
    ANSWER = 3
    RANDOM_VECTORS = 4
    ATTENTION = 11
    ATTENDED = 12
    FEED_FORWARD = 13
    # training
    BUCKET = 1000
    EXAMPLES = 1001
    ANSWER_WORDS = 1002


def random_integers(
    key: Int[Tensor, "*model 2"], site: int, count: int, below: Int[Tensor, "*model"]
) -> Int[Tensor, "*model count"]:
    """Return `count` integers for each key, uniform from 0 to `below` - 1 (to within below / 2**31)."""
    bits = hash_bits(key, site, torch.arange(count, device=key.device))
    return (bits & 0x7FFFFFFF).long() % below.unsqueeze(-1)


class StepRng:
    """The randomness of one training update of one model: dropout, word dropout, time noise.

    Attributes:
        key: The two keys of this seed and update, from `fold_in`.
        progress: 0 to 1 over the updates of a run, for models with a schedule of their own (linear start).
    """

    def __init__(self, key: Int[Tensor, " 2"], progress: Float[Tensor, ""]):
        self.key, self.progress = key, progress

    def bernoulli(self, probability: float, site: int, position: Int[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
        """Return True with this probability, independently for each position at each site."""
        return hash_bits(self.key, site, position) < keep_threshold(probability)

    def uniform(self, site: int, count: int) -> Float[Tensor, " count"]:
        """Return numbers from 0 to just below 1."""
        bits = hash_bits(self.key, site, torch.arange(count, device=self.key.device))
        return (bits >> 8 & 0xFFFFFF).float() / 2**24

    def dropout(self, x: Float[Tensor, "*shape"], rate: float, site: int) -> Float[Tensor, "*shape"]:
        """Set each element to zero with probability `rate` and scale the others by 1 / (1 - rate)."""
        if rate == 0:
            return x
        return hash_dropout(x, self.key, DropoutSpec(rate, site))

    def word_type_dropout(
        self,
        vectors: Float[Tensor, "batch *position dim"],
        words: Int[Tensor, "batch *position"],
        rate: float,
        site: int,
    ) -> Float[Tensor, "batch *position dim"]:
        """Zero all vectors of a word type with probability `rate`; the others stay as they are, unscaled.

        There is one draw for each example and word type, so that the same word of the same example is either there or
        not wherever it stands, in story and question.
        """
        if rate == 0:
            return vectors
        example = torch.arange(len(words), device=words.device).view(-1, *[1] * (words.ndim - 1))
        keep = self.bernoulli(1 - rate, site, pair_position(example, words))
        return vectors * keep.unsqueeze(-1).to(vectors.dtype)


class NoRng:
    """Evaluation: nothing is dropped, every schedule has ended."""

    progress = 1.0

    def dropout(self, x: Tensor, rate: float, site: int) -> Tensor:
        """Return x."""
        return x

    def word_type_dropout(self, vectors: Tensor, words: Tensor, rate: float, site: int) -> Tensor:
        """Return the vectors."""
        return vectors


NO_RNG = NoRng()
