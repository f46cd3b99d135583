"""The symbolic Transformer: attention that also matches names as names; ours, beyond the symbol-shift paper.

The symbol-shift paper ends with the wish to extend Transformers as it extends memory networks and TPR-RNN. Here a token
(the question, or a sentence) has two halves: a vector x_i of d semantic dims, and a matrix S_i of c channels by m
context symbols, which says which symbols fill which role in the token: one channel may have the sentence's subject,
another its object.

Embedding, of a sentence or the question with words w_1 .. w_J:

    x_i = sum_j A_w(j) * p_j + t_age                               bag of words, and a vector of its age
    S_i[k] = sum_j alpha_w(j) (a_k / 2 + b_k softmax_j(u_k . A_w(j) + p_k[j])
                               + c_k softmax_j(u'_k . A_w(j) + p'_k[j])) e_phi(w(j))       signed pointers, as in GSTPR

A layer, with u_i = norm(x_i + layer vector) and N_i = S_i / ||S_i||, for heads h:

    D_ij = N_i N_j^T                                            c x c: how far a role of i names what a role of j does
    p_h = softmax_j(u_i W_Q W_K^T u_j / sqrt(d_h) + 4 <M_h, D_ij> + bias_h(age_j - age_i))
    x_i <- x_i + sum_h sum_j p_hij (W_V W_O)_h u_j + sum_h <W_h, sum_j p_hij D_ij>
    S_i <- S_i + sigmoid(gate(u_i)) sum_h C_h sum_j p_hij N_j
    x_i <- x_i + W_2 max(0, W_1 norm(x_i) + b_1) + b_2

All layers share their weights. The answer is read from the question's token: semantic logits B norm(x), symbolic logits
a^T S, mixed by beta (Eq. 3-4 of the paper).

All that acts on the symbol axis is a product over channels or a sum over all symbols. So renaming the symbols of a
story renames S and its logits, and changes nothing else: Definition 1 of the paper holds.

D is never computed for pairs of tokens: <M_h, D_ij> is the product of M_h^T N_i and N_j as long vectors, and the mean
of D_ij under p_h is N_i times the mean of N_j, transposed. A head therefore matches [u_i W_Q W_K^T, 4 M_h^T N_i] with
[u_j, N_j], and attends to [u_j, N_j]: it is one plain attention over tokens of d + c m numbers. In the last layer only
the question attends.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Rate, Signed
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import normal_parameter
from symshift.models.registry import register
from symshift.models.symbolic import SignedPointers, SymbolWeight
from symshift.models.transformer.attention import (
    AttentionHeads,
    FeedForward,
    RelativeAgeBias,
    attend,
    layer_site,
    token_ages,
    token_mask,
)
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import embed, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

MATCH_SCALE = 4.0  # of symbolic products of unit vectors, beside semantic logits
EPSILON = 1e-6  # added to a squared norm


@dataclass(frozen=True)
class SymbolicTransformerConfig:
    """What a preset sets of a symbolic Transformer."""

    dim: Count  # of a token's semantic half
    heads: Count
    layers: Count  # which share their weights
    width: Count  # hidden units of the feed-forward layer
    channels: Count  # of a token's symbolic half
    embedding: float  # standard deviation of word vectors and ages at the start
    dropout: Rate  # of tokens, of what a layer adds, and of the answer; half of it of attention weights
    word_dropout: Rate  # chance that a word type is hidden for an example
    bag: Signed  # where the mixture of bag, positive and negative pointer starts, give or take 0.5
    toward: Signed
    away: Signed


class SymbolicHeads(nn.Module):
    """What heads do with symbols: M_h matches them, C_h carries them on, W_h turns matches into semantic dims."""

    def __init__(self, dim: int, heads: int, channels: int, generator: torch.Generator):
        super().__init__()
        shape = heads, channels, channels
        self.match = normal_parameter(1.0, generator, *shape)  # M_h, transposed
        self.carry = normal_parameter((heads * channels) ** -0.5, generator, channels, heads, channels)  # C_h
        bound = (6 / (heads * channels**2 + dim)) ** 0.5
        relation = torch.empty(channels, heads * channels, dim).uniform_(-bound, bound, generator=generator)
        self.relation = nn.Parameter(relation)  # W_h

    def queries(
        self, symbols: Float[Tensor, "batch token channel symbol"]
    ) -> Float[Tensor, "batch token head channel symbol"]:
        """Return 4 M_h^T N_i."""
        matrices = MATCH_SCALE * self.match.flatten(0, 1)
        return (matrices @ symbols).unflatten(-2, self.match.shape[:2])

    def relations(
        self,
        symbols: Float[Tensor, "batch token channel symbol"],
        attended: Float[Tensor, "batch token head channel symbol"],
    ) -> Float[Tensor, "batch token dim"]:
        """Return sum_h <W_h, mean of D_ij>."""
        means = symbols @ attended.flatten(2, 3).mT
        return project(means.flatten(-2), self.relation.flatten(0, 1))

    def carried(
        self, attended: Float[Tensor, "batch token head channel symbol"]
    ) -> Float[Tensor, "batch token channel symbol"]:
        """Return sum_h C_h times what each head attends to."""
        return self.carry.flatten(1) @ attended.flatten(2, 3)


class Tokens(NamedTuple):
    """Both halves of all tokens, and the bias of attention between them."""

    semantic: Float[Tensor, "batch token dim"]
    symbolic: Float[Tensor, "batch token channel symbol"]
    bias: Float[Tensor, "batch token head token_key"]


@register("stransformer", colour="#CC0048", marker="*", after="gstpr")
class SymbolicTransformer(Network):
    """A Transformer whose tokens have a semantic and a symbolic half."""

    Config = SymbolicTransformerConfig

    def __init__(self, config: SymbolicTransformerConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        self.words = normal_parameter(config.embedding, generator, words, dim)  # A
        self.sentence_positions = nn.Parameter(torch.ones(vocabulary.words_a_sentence, dim))
        self.question_positions = nn.Parameter(torch.ones(vocabulary.words_a_question, dim))
        self.ages = normal_parameter(config.embedding, generator, vocabulary.sentences + 1, dim)
        self.layers = normal_parameter(config.embedding, generator, config.layers, dim)
        start = config.bag, config.toward, config.away
        self.alpha = SymbolWeight(words)
        self.story_pointers = SignedPointers(config.channels, dim, vocabulary.words_a_sentence, start, generator)
        self.question_pointers = SignedPointers(config.channels, dim, vocabulary.words_a_question, start, generator)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.answer_norm = nn.LayerNorm(dim)
        self.heads = AttentionHeads(dim, config.heads, generator)
        self.symbolic_heads = SymbolicHeads(dim, config.heads, config.channels, generator)
        self.age_bias = RelativeAgeBias(config.heads, vocabulary.sentences)
        self.gate = nn.Parameter(torch.zeros(dim))
        self.gate_bias = nn.Parameter(torch.zeros(()))
        self.feed_forward = FeedForward(dim, config.width, generator)
        self.projection = normal_parameter(dim**-0.5, generator, words, dim)  # B
        self.answer_channels = nn.Parameter(torch.full((config.channels,), 1.0))  # a
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        symbols, trace = self.embed_symbols(batch, rng)
        sentence_mask = (batch.story > 0).any(-1)
        ages, rate = token_ages(sentence_mask), self.config.dropout
        x = rng.dropout(self.embed_tokens(batch, ages, rng), rate, Site.TOKENS)
        bias = self.age_bias(ages, token_mask(sentence_mask))
        attention = []
        for layer in range(self.config.layers):
            last = layer == self.config.layers - 1
            x, symbols, weights = self.layer(Tokens(x, symbols, bias), layer, rng, only_question=last)
            attention.append(weights[:, 0])
        trace["head_attention"] = torch.stack(attention, 1)
        trace["attention"] = trace["head_attention"].mean(2)[..., 1:]
        answer = rng.dropout(self.answer_norm(x[:, 0]), rate, Site.ANSWER)
        symbolic = (self.answer_channels.unsqueeze(-1) * symbols[:, 0]).sum(-2)
        return Output(answer @ self.projection.mT, symbolic, self.beta, trace)

    def embed_tokens(
        self, batch: Batch, ages: Int[Tensor, "batch token"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch token dim"]:
        """Return the semantic half of question and sentences."""
        types = DropoutSpec(self.config.word_dropout, Site.WORD_TYPES)
        question = bag_of_words(self.words, batch.question, self.question_positions, rng, type_dropout=types)
        story = bag_of_words(self.words, batch.story, self.sentence_positions, rng, type_dropout=types)
        return torch.cat((question.unsqueeze(1), story), 1) + nn.functional.embedding(
            ages.clamp(max=len(self.ages) - 1), self.ages
        )

    def embed_words(
        self, ids: Int[Tensor, "batch *position"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position dim"]:
        """Return word vectors; word dropout hides a word type in story and question of an example alike."""
        return rng.word_type_dropout(embed(self.words, ids), ids, self.config.word_dropout, site=Site.WORD_TYPES)

    def embed_symbols(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch token channel symbol"], dict[str, Tensor]]:
        """Return the symbolic half of question and sentences, and their part of the trace."""
        total = batch.symbols.shape[-1]
        question = self.embed_words(batch.question, rng)
        alpha, alpha_question = self.alpha(batch.story), self.alpha(batch.question)
        pointers = self.story_pointers.pointers(self.embed_words(batch.story, rng), batch.story > 0)
        pointers_question = self.question_pointers.pointers(question, batch.question > 0)
        story = self.story_pointers(pointers, alpha, batch.story_symbols, total)
        asking = self.question_pointers(pointers_question, alpha_question, batch.question_symbols, total)
        trace = {"question_words": question, "alpha": alpha, "alpha_question": alpha_question}
        trace |= {"pointers": pointers, "pointers_question": pointers_question}
        return torch.cat((asking.unsqueeze(1), story), 1), trace

    def layer(
        self, tokens: Tokens, layer: int, rng: StepRng | NoRng, only_question: bool
    ) -> tuple[
        Float[Tensor, "batch query dim"],
        Float[Tensor, "batch query channel symbol"],
        Float[Tensor, "batch query head token"],
    ]:
        """Return both halves of the tokens after a layer, or of the question alone, and the attention weights."""
        x, symbols, bias = tokens
        rate, dim = self.config.dropout, self.config.dim
        u = self.attention_norm(x + self.layers[layer])
        unit = symbols * (symbols.square().sum((-2, -1), keepdim=True) + EPSILON).rsqrt()
        features = torch.cat((u, unit.flatten(2)), -1)
        if only_question:
            x, symbols, bias, u, unit = (part[:, :1] for part in (x, symbols, bias, u, unit))
        queries = torch.cat((self.heads.queries(u), self.symbolic_heads.queries(unit).flatten(3)), -1)
        attended, weights = attend(queries, features, bias, rng, rate / 2, layer_site(layer, Site.ATTENTION))
        attended_semantic, attended_symbols = attended.split((dim, attended.shape[-1] - dim), -1)
        attended_symbols = attended_symbols.unflatten(-1, unit.shape[2:])
        update = self.heads.combine(attended_semantic) + self.symbolic_heads.relations(unit, attended_symbols)
        x = x + rng.dropout(update, rate, layer_site(layer, Site.ATTENDED))
        gate = ((u * self.gate).sum(-1) + self.gate_bias).sigmoid()
        symbols = symbols + gate[..., None, None] * self.symbolic_heads.carried(attended_symbols)
        hidden = self.feed_forward(self.feed_forward_norm(x))
        return x + rng.dropout(hidden, rate, layer_site(layer, Site.FEED_FORWARD)), symbols, weights
