"""The lexinvariant Transformer: no word has a vector of its own, each story draws new ones.

Huang et al. 2023, "Lexinvariant Language Models": the vector of a word is random, drawn anew for each sequence, and one
and the same wherever the word stands in it. A model then cannot know a word; it can only see where it comes again. Here
words of a story and its question get vectors of signs, one for each context symbol, and an answer is either matched
with them or a word that training knows, such as yes or two:

    x_i = sum_j r_phi(w(j)) * p_j + t_age               r_s: the random vector of symbol s
    p(a) = beta softmax(B norm(x_0)) + (1 - beta) softmax_s(r_s . W norm(x_0) / sqrt(d))

All between is as in `model`. The signs are bits of a hash of seed, update, question and symbol in training, and of the
symbol alone in evaluation. So an answer is a function of the story, and renaming a story's words renames the symbolic
half of the answer and changes nothing else (Definition 1 of the symbol-shift paper).

Keys start as queries do, outputs as values, W as the identity: a vector then matches itself from the start, where it
would take long to find out how.

Deviations, on purpose: signs, not normal numbers, which leaves all vectors equally long; a learned half of the answer,
without which no answer could be a word that the story does not have.
"""

import math
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Output
from symshift.models.layers import normal_parameter
from symshift.models.registry import register
from symshift.models.transformer.model import Block, LayersConfig, Transformer
from symshift.ops.functional import position_weighted_sum, project
from symshift.ops.hashing import hash_bits, pair_position
from symshift.ops.rng import NoRng, Site, StepRng

BITS = 32  # of a hash
POSITIONS_STD = 0.5  # of position weights at the start, around one: words differ by their positions alone


@register("lexinv", colour="#3CD89C", marker="X", after="ut")
class LexinvariantTransformer(Transformer):
    """A Transformer whose word vectors are random, drawn anew for each story."""

    Config: ClassVar[type[Any]] = LayersConfig

    def __init__(self, config: LayersConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        del self.words
        dim = config.dim
        with torch.no_grad():
            for positions in (self.sentence_positions, self.question_positions):
                positions.add_(normal_parameter(POSITIONS_STD, generator, *positions.shape))
            for block in self.blocks:
                assert isinstance(block, Block)
                block.heads.key.copy_(block.heads.query)
                block.heads.output.copy_(block.heads.value)
        self.matching = nn.Parameter(torch.zeros(dim, dim).fill_diagonal_(1))  # W, at first the identity
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        vectors = random_vectors(batch.symbols, self.config.dim, rng, self.ages.dtype)
        question = self.embed(vectors, batch.question_symbols, batch.question, self.question_positions)
        story = self.embed(vectors, batch.story_symbols, batch.story, self.sentence_positions)
        answer, trace = self.read(torch.cat((question.unsqueeze(1), story), 1), batch, rng)
        matched = (vectors * project(answer, self.matching).unsqueeze(1)).sum(-1) / self.config.dim**0.5
        return Output(project(answer, self.projection.mT), matched, self.beta, trace)

    def embed(
        self,
        vectors: Float[Tensor, "batch symbol dim"],
        symbols: Int[Tensor, "batch *position word"],
        ids: Int[Tensor, "batch *position word"],
        position_weights: Float[Tensor, "longest dim"],
    ) -> Float[Tensor, "batch *position dim"]:
        """Return bags of random vectors; blank words count as zero."""
        index = symbols.flatten(1).unsqueeze(-1).expand(-1, -1, vectors.shape[-1])
        words = vectors.gather(1, index).unflatten(1, symbols.shape[1:])
        return position_weighted_sum(words * (ids > 0).unsqueeze(-1), position_weights)


def random_vectors(
    symbols: Int[Tensor, "batch symbol"], dim: int, rng: StepRng | NoRng, dtype: torch.dtype
) -> Float[Tensor, "batch symbol dim"]:
    """Return a vector of signs for each context symbol of each question.

    In evaluation a symbol's number alone decides on it, so that an answer does not depend on the batch.
    """
    number = torch.arange(symbols.shape[-1], device=symbols.device)
    example = torch.arange(len(symbols), device=symbols.device).view(-1, 1, 1)
    hashes = math.ceil(dim / BITS)
    position = number.unsqueeze(-1) * hashes + torch.arange(hashes, device=symbols.device)
    if isinstance(rng, StepRng):
        key, position = rng.key, pair_position(example, position)
    else:
        key = torch.zeros(2, dtype=torch.int32, device=symbols.device)
        position = position.expand(len(symbols), -1, -1)
    bits = hash_bits(key, Site.RANDOM_VECTORS, position).unsqueeze(-1) >> torch.arange(BITS, device=symbols.device)
    return (2 * (bits & 1) - 1).flatten(-2)[..., :dim].to(dtype)
