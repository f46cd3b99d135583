"""The Transformer, sentence by sentence.

Vaswani et al. 2017, "Attention Is All You Need", with the reading of stories of Dehghani et al. 2019, "Universal
Transformers" (section 3.1): a sentence, and the question, is a bag of words with learned position weights, and each
such bag is one token.

    x_i = sum_j A_w(j) * p_j + t_age                                  token i; the question has age 0
    u_i = norm(x_i)
    x_i <- x_i + sum_h sum_j softmax_j(u_i W_Q W_K^T u_j / sqrt(d_h)) (W_V W_O)_h u_j         attention
    x_i <- x_i + W_2 max(0, W_1 norm(x_i) + b_1) + b_2                                        feed-forward layer

The answer is softmax(B norm(x_0)), from the question's token alone; so in the last layer only the question attends. The
norm comes before attention and feed-forward layer, not behind them: training then needs no warm-up of the rate.

Deviations, on purpose: blank sentences take no attention; ages are learned vectors, not sinusoids; words beyond the
longest sentence, and sentences beyond the longest story, share the last one's vector.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.constraints import Count, Layers, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import LayerNorm, normal_parameter
from symshift.models.registry import register
from symshift.models.transformer.attention import (
    AttentionHeads,
    FeedForward,
    attend,
    layer_site,
    token_ages,
    token_mask,
)
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import NEG_INF, embed, position_weighted_sum, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng


@dataclass(frozen=True)
class LayersConfig:
    """What a preset sets of the layers of a Transformer."""

    dim: Count  # of a token
    heads: Count
    layers: Layers
    width: Count  # hidden units of the feed-forward layer
    embedding: float  # standard deviation of the vectors of words and ages at the start
    dropout: Rate  # of tokens, of what a layer adds, and of the answer; half of it of attention weights


@dataclass(frozen=True)
class TransformerConfig(LayersConfig):
    """What a preset sets of a Transformer with learned word vectors."""

    word_dropout: Rate  # chance that a word type is hidden for an example


class Block(nn.Module):
    """A layer: attention, then a feed-forward layer, each behind a norm and beside a residual connection."""

    def __init__(self, config: LayersConfig, generator: torch.Generator):
        super().__init__()
        self.rate = config.dropout
        self.attention_norm, self.feed_forward_norm = LayerNorm(config.dim), LayerNorm(config.dim)
        self.heads = AttentionHeads(config.dim, config.heads, generator)
        self.feed_forward = FeedForward(config.dim, config.width, generator)

    def forward(
        self,
        x: Float[Tensor, "batch token dim"],
        bias: Float[Tensor, "batch 1 1 token"],
        rng: StepRng | NoRng,
        layer: int,
        num_queries: int,
    ) -> tuple[Float[Tensor, "batch query dim"], Float[Tensor, "batch query head token"]]:
        """Return the tokens after this layer, and their attention weights.

        Args:
            x: The tokens.
            bias: Added to attention logits; `NEG_INF` for blank tokens.
            rng: Randomness of the dropout.
            layer: Number of the layer, which decides on dropout sites.
            num_queries: So many first tokens attend and are returned.
        """
        u = self.attention_norm(x)
        queries = self.heads.queries(u[:, :num_queries])
        bias = bias.expand(*queries.shape[:3], -1)
        attended, weights = attend(queries, u, bias, rng, self.rate / 2, layer_site(layer, Site.ATTENTION))
        update = self.heads.combine(attended)
        x = x[:, :num_queries] + rng.dropout(update, self.rate, layer_site(layer, Site.ATTENDED))
        hidden = self.feed_forward(self.feed_forward_norm(x))
        return x + rng.dropout(hidden, self.rate, layer_site(layer, Site.FEED_FORWARD)), weights


@register("transformer", colour="#484878", marker="p", after="deltanet")
class Transformer(Network):
    """A Transformer whose tokens are the question and the sentences of a story."""

    Config: ClassVar[type[Any]] = TransformerConfig
    config: Any

    def __init__(self, config: LayersConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        self.words = normal_parameter(config.embedding, generator, words, dim)  # A
        self.sentence_positions = nn.Parameter(torch.ones(vocabulary.words_a_sentence, dim))
        self.question_positions = nn.Parameter(torch.ones(vocabulary.words_a_question, dim))
        self.ages = normal_parameter(config.embedding, generator, vocabulary.sentences + 1, dim)
        self.create_layers(generator)
        self.answer_norm = LayerNorm(dim)
        self.projection = normal_parameter(dim**-0.5, generator, words, dim)  # B

    def create_layers(self, generator: torch.Generator) -> None:
        """Create what `layer` applies."""
        self.blocks = nn.ModuleList(Block(self.config, generator) for _ in range(self.config.layers))

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        tokens, question_words = self.embed_tokens(batch, rng)
        answer, trace = self.read(tokens, batch, rng)
        return Output(project(answer, self.projection.mT), None, None, trace | {"question_words": question_words})

    def read(
        self, tokens: Float[Tensor, "batch token dim"], batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch dim"], dict[str, Tensor]]:
        """Return what the question's token has become, normalized, and the trace of the layers.

        Args:
            tokens: Bags of words of question and sentences.
            batch: The stories, whose sentences have ages.
            rng: Randomness of the dropout.
        """
        sentence_mask = batch.sentence_mask
        ages = nn.functional.embedding(token_ages(sentence_mask).clamp(max=len(self.ages) - 1), self.ages)
        x = rng.dropout(tokens + ages, self.config.dropout, Site.TOKENS)
        x, trace = self.apply_layers(x, ages, token_mask(sentence_mask), rng)
        return rng.dropout(self.answer_norm(x[:, 0]), self.config.dropout, Site.ANSWER), trace

    def embed_tokens(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch token dim"], Float[Tensor, "batch word dim"]]:
        """Return the bags of words of question and sentences, and the word vectors of the question."""
        rate = self.config.word_dropout
        types = DropoutSpec(rate, Site.WORD_TYPES)
        words = rng.word_type_dropout(embed(self.words, batch.question), batch.question, rate, site=Site.WORD_TYPES)
        question = position_weighted_sum(words, self.question_positions)
        story = bag_of_words(self.words, batch.story, self.sentence_positions, rng, type_dropout=types)
        return torch.cat((question.unsqueeze(1), story), 1), words

    def apply_layers(
        self,
        x: Float[Tensor, "batch token dim"],
        ages: Float[Tensor, "batch token dim"],
        mask: Bool[Tensor, "batch token"],
        rng: StepRng | NoRng,
    ) -> tuple[Float[Tensor, "batch query dim"], dict[str, Tensor]]:
        """Return the tokens after all layers, the question first, and a trace of the question's attention.

        Args:
            x: The tokens.
            ages: The vector of each token's age.
            mask: Tokens that are real.
            rng: Randomness of the dropout.
        """
        bias, attention = attention_bias(mask, x), []
        for layer in range(self.config.layers):
            num_queries = 1 if layer == self.config.layers - 1 else x.shape[1]
            x, weights = self.layer(x, ages, bias, rng, layer, num_queries)
            attention.append(weights[:, 0])
        return x, attention_trace(attention)

    def layer(
        self,
        x: Float[Tensor, "batch token dim"],
        ages: Float[Tensor, "batch token dim"],
        bias: Float[Tensor, "batch 1 1 token"],
        rng: StepRng | NoRng,
        layer: int,
        num_queries: int,
    ) -> tuple[Float[Tensor, "batch query dim"], Float[Tensor, "batch query head token"]]:
        """Apply one layer; see `Block.forward`."""
        return self.blocks[layer](x, bias, rng, layer, num_queries)


def attention_bias(
    mask: Bool[Tensor, "batch token"], x: Float[Tensor, "batch token dim"]
) -> Float[Tensor, "batch 1 1 token"]:
    """Return what keeps attention from blank tokens, in the type of x."""
    return torch.where(mask, torch.zeros_like(x[..., 0]), NEG_INF)[:, None, None]


def attention_trace(weights: list[Float[Tensor, "batch head token"]]) -> dict[str, Tensor]:
    """Return what the question attends to in each layer: of each head, and of sentences alone the mean of the heads."""
    by_head = torch.stack(weights, 1)
    return {"head_attention": by_head, "attention": by_head.mean(2)[..., 1:]}
