"""DeltaNet, sentence by sentence: a memory of keys and values that each sentence corrects by the delta rule.

Schlag et al. 2021, "Linear Transformers Are Secretly Fast Weight Programmers"; the layer is that of Yang et al. 2024,
"Parallelizing Linear Transformers with the Delta Rule over Sequence Length". Tokens are the sentences in their order,
then the question, each a bag of words with learned position weights. With u = norm(x), for each head:

    q = unit(silu(u W_Q))   k = unit(silu(u W_K))   v = silu(u W_V)   b = sigmoid(u . w_b + c)
    S_t = S_{t-1} + b_t k_t (v_t - S_{t-1}^T k_t)^T         a sentence replaces a share b of what S holds for its key
    o_t = S_t^T q_t                                         what a token reads
    x <- x + sum_h o W_O                x <- x + W_2 max(0, W_1 norm(x) + b_1) + b_2

The question reads S after the whole story, writes nothing, and is answered by softmax(B norm(x)).

Keys do not depend on S, so the corrections w_t = b_t (v_t - S_{t-1}^T k_t) of all sentences solve one unit lower
triangular system, w_t + b_t sum_{s < t} (k_t . k_s) w_s = b_t v_t, and o_t = sum_{s <= t} (q_t . k_s) w_s. It is the
system of `ops.tensor_product_memory` with one key for each sentence in place of three pairs.

Deviations, on purpose: no convolution over neighbouring tokens, since a token is a sentence here, and no norm of what
is read; blank sentences write nothing.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import silu

from symshift.constraints import Count, Layers, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import LayerNorm, normal_parameter, uniform_parameter
from symshift.models.registry import register
from symshift.models.transformer.attention import FeedForward, layer_site
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import embed, position_weighted_sum, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

EPSILON = 1e-6  # added to a squared norm: a sentence whose words are all hidden has no key


@dataclass(frozen=True)
class DeltaNetworkConfig:
    """What a preset sets of a DeltaNet."""

    dim: Count  # of a token
    heads: Count
    layers: Layers
    width: Count  # hidden units of the feed-forward layer
    embedding: float  # standard deviation of word vectors and of the question's own at the start
    dropout: Rate  # of tokens, of what a layer adds, and of the answer
    word_dropout: Rate  # chance that a word type is hidden for an example


class DeltaRule(nn.Module):
    """The memories of several heads: what sentences write into them, and what tokens read."""

    def __init__(self, dim: int, heads: int, generator: torch.Generator):
        super().__init__()
        self.heads, head_dim = heads, math.ceil(dim / heads)
        glorot = partial(uniform_parameter, (6 / (dim + heads * head_dim)) ** 0.5, generator)
        self.query, self.key, self.value = (glorot(dim, heads * head_dim) for _ in range(3))
        self.output = glorot(heads * head_dim, dim)
        self.strength, self.strength_bias = glorot(dim, heads), nn.Parameter(torch.zeros(heads))

    def forward(
        self, u: Float[Tensor, "batch token dim"], sentence_mask: Bool[Tensor, "batch sentence"], only_question: bool
    ) -> Float[Tensor, "batch query dim"]:
        """Return what tokens read, after W_O.

        Args:
            u: Sentences, then the question.
            sentence_mask: Sentences that are real.
            only_question: Whether the question alone reads.
        """
        sentences = u[:, :-1]
        keys = unit(self.by_head(sentences, self.key))
        values = self.by_head(sentences, self.value)
        strength = (project(sentences, self.strength) + self.strength_bias).sigmoid() * sentence_mask.unsqueeze(-1)
        corrections = solve(keys, values, strength.mT)
        queries = unit(self.by_head(u[:, -1:] if only_question else u, self.query))
        matches = queries @ keys.mT
        if not only_question:
            matches = matches.tril()
        return project((matches @ corrections).transpose(1, 2).flatten(2), self.output)

    def by_head(
        self, u: Float[Tensor, "batch token dim"], weight: Float[Tensor, "dim head_dims"]
    ) -> Float[Tensor, "batch head token head_dim"]:
        """Return silu(u W) of each head."""
        return silu(project(u, weight)).unflatten(-1, (self.heads, -1)).transpose(1, 2)


def unit(x: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
    """Return vectors of norm 1 in the direction of x."""
    return x * (x.square().sum(-1, keepdim=True) + EPSILON).rsqrt()


def solve(
    keys: Float[Tensor, "batch head sentence head_dim"],
    values: Float[Tensor, "batch head sentence head_dim"],
    strength: Float[Tensor, "batch head sentence"],
) -> Float[Tensor, "batch head sentence head_dim"]:
    """Return the correction w_t of each sentence, for keys of norm 1 and strengths b_t."""
    overlap = (keys @ keys.mT).tril(-1) * strength.unsqueeze(-1)
    targets = values * strength.unsqueeze(-1)
    return torch.linalg.solve_triangular(overlap, targets, upper=False, unitriangular=True)


class DeltaBlock(nn.Module):
    """A layer: the delta rule, then a feed-forward layer, each behind a norm and beside a residual connection."""

    def __init__(self, config: DeltaNetworkConfig, generator: torch.Generator):
        super().__init__()
        self.rate = config.dropout
        self.memory_norm, self.feed_forward_norm = LayerNorm(config.dim), LayerNorm(config.dim)
        self.memory = DeltaRule(config.dim, config.heads, generator)
        self.feed_forward = FeedForward(config.dim, config.width, generator)

    def forward(
        self,
        x: Float[Tensor, "batch token dim"],
        sentence_mask: Bool[Tensor, "batch sentence"],
        rng: StepRng | NoRng,
        layer: int,
        only_question: bool,
    ) -> Float[Tensor, "batch query dim"]:
        """Return the tokens after this layer, or the question alone; `layer` decides on dropout sites."""
        update = self.memory(self.memory_norm(x), sentence_mask, only_question)
        x = x[:, -update.shape[1] :] + rng.dropout(update, self.rate, layer_site(layer, Site.ATTENDED))
        hidden = self.feed_forward(self.feed_forward_norm(x))
        return x + rng.dropout(hidden, self.rate, layer_site(layer, Site.FEED_FORWARD))


@register("deltanet", colour="#B4D860", marker="8", after="qrn")
class DeltaNetwork(Network):
    """DeltaNet over the sentences of a story."""

    Config = DeltaNetworkConfig

    def __init__(self, config: DeltaNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        self.words = normal_parameter(config.embedding, generator, words, dim)
        self.sentence_positions = nn.Parameter(torch.ones(vocabulary.words_a_sentence, dim))
        self.question_positions = nn.Parameter(torch.ones(vocabulary.words_a_question, dim))
        self.question_vector = normal_parameter(config.embedding, generator, dim)  # tells the question from sentences
        self.blocks = nn.ModuleList(DeltaBlock(config, generator) for _ in range(config.layers))
        self.answer_norm = LayerNorm(dim)
        self.projection = normal_parameter(dim**-0.5, generator, words, dim)  # B

    def embed_tokens(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch token dim"], Float[Tensor, "batch word dim"]]:
        """Return the bags of words of sentences and question, and the word vectors of the question."""
        rate = self.config.word_dropout
        types = DropoutSpec(rate, Site.WORD_TYPES)
        story = bag_of_words(self.words, batch.story, self.sentence_positions, rng, type_dropout=types)
        words = rng.word_type_dropout(embed(self.words, batch.question), batch.question, rate, site=Site.WORD_TYPES)
        question = position_weighted_sum(words, self.question_positions) + self.question_vector
        return torch.cat((story, question.unsqueeze(1)), 1), words

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        sentence_mask = batch.sentence_mask
        tokens, question_words = self.embed_tokens(batch, rng)
        x = rng.dropout(tokens, self.config.dropout, Site.TOKENS)
        for layer, block in enumerate(self.blocks):
            x = block(x, sentence_mask, rng, layer, only_question=layer == self.config.layers - 1)
        answer = rng.dropout(self.answer_norm(x[:, -1]), self.config.dropout, Site.ANSWER)
        return Output(project(answer, self.projection.mT), None, None, {"question_words": question_words})
