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

Here u_k, p_k and a_k are the pointers', as in GSTPR, u_i and p_hij are attention's, and p_j weighs the j-th word of a
sentence. All layers share their weights. The answer is read from the question's token: semantic logits B norm(x),
symbolic logits a^T S, mixed by beta (Eq. 3-4 of the paper).

All that acts on the symbol axis is a product over channels or a sum over all symbols. So renaming the symbols of a
story renames S and its logits, and changes nothing else: Definition 1 of the paper holds.

How attention does without D for pairs of tokens is in `ops/symbolic_attention`. In the last layer only the question
attends. With `attention: causal` a sentence attends to the question, to itself and to those before it, about half of
the work. With `recency: learned` a token that matches hides earlier ones: with l_hij for what the softmax above takes,

    p_hij ~ exp(l_hij) prod_k>j (1 - sigmoid(l_hik - 3))^r_h,

so that a head can find the last sentence that matches, however far back it is. Each head learns its r_h, from 0, which
is the softmax; with 1, the product is that of attention which breaks a stick (Tan et al. 2024). With
`pointers: window` a pointer sees more of a sentence (`WindowPointers`). With `mixture: gated` each question has a beta
of its own, sigmoid(b + g . norm(x)): a list ends with a word that no symbol says, and may name things that no vector
says. With `decays: all-but-matches` weight decay takes nothing from M_h, C_h and r_h, so that heads may match names
sharply.

For an ablation, `without` takes out a part (`PARTS`): its parameters are then zeros that no training changes. Without a
match attention weights see no symbols. Without a carry no token takes over the symbols of another. Without a relation
vectors see no symbols. Without a gate a token takes over half of what heads carry to it. Without pointers each channel
has all words of its sentence alike.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Layers, Rate, Signed
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import LayerNorm, normal_parameter, uniform_parameter
from symshift.models.registry import register
from symshift.models.symbolic import SignedPointers, SymbolWeight, WindowPointers
from symshift.models.transformer.attention import (
    AttentionHeads,
    FeedForward,
    RelativeAgeBias,
    layer_site,
    token_ages,
    token_mask,
)
from symshift.models.transformer.model import attention_trace
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import embed, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng
from symshift.ops.symbolic_attention import AttentionInputs, symbolic_attention

# a gate starts with answers by symbols: once vectors say all that training asks, symbols get no gradient
FIRST_LOG_ODDS = {"constant": 0.0, "gated": -2.0}
# the parameters that weight decay leaves as they are with `decays: all-but-matches`
NOT_DECAYED = ("symbolic_heads.match", "symbolic_heads.carry", "recency")
PARTS = {  # for an ablation: how the names of a part's parameters begin
    "match": ("symbolic_heads.match",),
    "carry": ("symbolic_heads.carry", "gate"),
    "relation": ("symbolic_heads.relation",),
    "gate": ("gate",),
    "pointers": tuple(
        f"{which}_pointers.{what}"
        for which in ("story", "question")
        for what in ("content", "position", "neighbours", "from_end")
    ),
}
MATCH_SCALE = 4.0  # of symbolic products of unit vectors, beside semantic logits
RECENCY_SCALE = 3.0  # of r_h over its parameter, which otherwise learns too slowly


@dataclass(frozen=True)
class SymbolicTransformerConfig:
    """What a preset sets of a symbolic Transformer."""

    dim: Count  # of a token's semantic half
    heads: Count
    layers: Layers  # which share their weights
    width: Count  # hidden units of the feed-forward layer
    channels: Count  # of a token's symbolic half
    embedding: float  # standard deviation of the vectors of words, ages and layers at the start
    dropout: Rate  # of tokens, of what a layer adds, and of the answer; half of it of attention weights
    word_dropout: Rate  # chance that a word type is hidden for an example
    bag: Signed  # where the mixture of bag, positive and negative pointer starts, give or take 0.5
    toward: Signed
    away: Signed
    pointers: Literal["word", "window"] = "word"  # what a pointer sees: a word, or those beside it too
    neighbours: float = 0.2  # how large the weights of the words beside a word are at the start, with a window
    attention: Literal["all", "causal"] = "all"  # of sentences: to all tokens, or to the question and earlier ones
    recency: Literal["none", "learned"] = "none"  # how much, in each head, a token that matches hides earlier ones
    mixture: Literal["constant", "gated"] = "constant"  # beta: one number, or for each question the sigmoid of a gate
    decays: Literal["all", "all-but-matches"] = "all"  # what weight decay takes from
    without: Literal["nothing", *PARTS] = "nothing"  # type: ignore[valid-type]  # for an ablation


class Tokens(NamedTuple):
    """Both halves of all tokens, the question first; their ages, and which of them are real."""

    semantic: Float[Tensor, "batch token dim"]
    symbolic: Float[Tensor, "batch token channel symbol"]
    ages: Int[Tensor, "batch token"]
    mask: Bool[Tensor, "batch token"]


class SharedWeights(NamedTuple):
    """What all layers make of parameters, computed once."""

    query: Float[Tensor, "dim heads_times_dim"]
    output: Float[Tensor, "heads_times_dim dim"]
    match: Float[Tensor, "head_channel channel"]
    carry: Float[Tensor, "channel head_channel"]
    bias: Float[Tensor, "head difference"]
    recency: Float[Tensor, " head_or_none"]


class SymbolicHeads(nn.Module):
    """What heads do with symbols: M_h matches them, C_h carries them on, W_h turns matches into semantic dims."""

    def __init__(self, dim: int, heads: int, channels: int, generator: torch.Generator):
        super().__init__()
        shape = heads, channels, channels
        self.match = normal_parameter(1.0, generator, *shape)  # M_h, transposed
        self.carry = normal_parameter((heads * channels) ** -0.5, generator, channels, heads, channels)  # C_h
        bound = (6 / (heads * channels**2 + dim)) ** 0.5
        self.relation = uniform_parameter(bound, generator, channels, heads * channels, dim)  # W_h

    def relations(self, means: Float[Tensor, "batch query channel head_channel"]) -> Float[Tensor, "batch query dim"]:
        """Return sum_h <W_h, mean of D_ij>."""
        return project(means.flatten(-2), self.relation.flatten(0, 1))


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
        self.story_pointers, self.question_pointers = (
            SignedPointers(config.channels, dim, length, start, generator)
            if config.pointers == "word"
            else WindowPointers(config.channels, dim, length, start, config.neighbours, generator)
            for length in (vocabulary.words_a_sentence, vocabulary.words_a_question)
        )
        self.attention_norm, self.feed_forward_norm = LayerNorm(dim), LayerNorm(dim)
        self.answer_norm = LayerNorm(dim)
        self.heads = AttentionHeads(dim, config.heads, generator)
        self.symbolic_heads = SymbolicHeads(dim, config.heads, config.channels, generator)
        self.age_bias = RelativeAgeBias(config.heads, vocabulary.sentences)
        if config.recency == "learned":
            self.recency = nn.Parameter(torch.zeros(config.heads))  # r_h / 3
        else:
            self.register_buffer("recency", torch.zeros(0), persistent=False)
        self.gate = nn.Parameter(torch.zeros(dim))
        self.gate_bias = nn.Parameter(torch.zeros(()))
        self.feed_forward = FeedForward(dim, config.width, generator)
        self.projection = normal_parameter(dim**-0.5, generator, words, dim)  # B
        self.answer_channels = nn.Parameter(torch.full((config.channels,), 1.0))  # a
        self.beta = nn.Parameter(torch.tensor(FIRST_LOG_ODDS[config.mixture]))  # b, its log-odds
        if config.mixture == "gated":
            self.mixture_gate = nn.Parameter(torch.zeros(dim))  # g
        if config.without != "nothing":
            self.replace_by_zeros(PARTS[config.without])

    def replace_by_zeros(self, prefixes: tuple[str, ...]) -> None:
        """Replace the parameters whose names begin with a prefix by buffers of zeros, which no training changes."""
        for name, parameter in list(self.named_parameters()):
            if name.startswith(prefixes):
                path, _, own = name.rpartition(".")
                module = self.get_submodule(path)
                delattr(module, own)
                module.register_buffer(own, torch.zeros_like(parameter), persistent=False)

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        symbols, trace = self.embed_symbols(batch, rng)
        sentence_mask = batch.sentence_mask
        ages, rate = token_ages(sentence_mask), self.config.dropout
        x = rng.dropout(self.embed_tokens(batch, ages, rng), rate, Site.TOKENS)
        tokens, attention = Tokens(x, symbols, ages, token_mask(sentence_mask)), []
        weights = SharedWeights(
            self.heads.query_matrix(),
            self.heads.output_matrix(),
            MATCH_SCALE * self.symbolic_heads.match.flatten(0, 1),
            self.symbolic_heads.carry.flatten(1),
            self.age_bias.table,
            RECENCY_SCALE * self.recency,
        )
        for layer in range(self.config.layers):
            last = layer == self.config.layers - 1
            tokens, shares = self.layer(tokens, layer, weights, rng, num_queries=1 if last else x.shape[1])
            attention.append(shares[:, 0])
        trace |= attention_trace(attention)
        answer = rng.dropout(self.answer_norm(tokens.semantic[:, 0]), rate, Site.ANSWER)
        symbolic = (self.answer_channels.unsqueeze(-1) * tokens.symbolic[:, 0]).sum(-2)
        return Output(project(answer, self.projection.mT), symbolic, self.log_odds(answer), trace)

    def decays(self, parameter: str) -> bool:
        """Return whether weight decay takes from the parameter of this name."""
        return self.config.decays == "all" or parameter not in NOT_DECAYED

    def log_odds(self, answer: Float[Tensor, "batch dim"]) -> Float[Tensor, ""] | Float[Tensor, " batch"]:
        """Return the log-odds of beta: one number, or with a gate one for each question."""
        return self.beta + (answer * self.mixture_gate).sum(-1) if self.config.mixture == "gated" else self.beta

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

    def point(
        self, pointers: SignedPointers, ids: Int[Tensor, "batch *position word"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position word 2 channel"]:
        """Return the pointers over the words of each sentence, some words of which are hidden in training."""
        scores, rate = embed(pointers.word_scores(self.words), ids), self.config.word_dropout
        scores = rng.word_type_dropout(scores, ids, rate, site=Site.WORD_TYPES)
        return pointers.pointers_of_scores(scores, ids > 0)

    def embed_symbols(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch token channel symbol"], dict[str, Tensor]]:
        """Return the symbolic half of question and sentences, and their part of the trace."""
        total = batch.symbols.shape[-1]
        alpha, alpha_question = self.alpha(batch.story), self.alpha(batch.question)
        pointers = self.point(self.story_pointers, batch.story, rng)
        pointers_question = self.point(self.question_pointers, batch.question, rng)
        story = self.story_pointers(pointers, alpha, batch.story_symbols, total)
        question = self.question_pointers(pointers_question, alpha_question, batch.question_symbols, total)
        trace = {"alpha": alpha, "alpha_question": alpha_question}
        trace |= {"pointers": pointers, "pointers_question": pointers_question}
        return torch.cat((question.unsqueeze(1), story), 1), trace

    def layer(
        self, tokens: Tokens, layer: int, weights: SharedWeights, rng: StepRng | NoRng, num_queries: int
    ) -> tuple[Tokens, Float[Tensor, "batch query head token"]]:
        """Return the first `num_queries` tokens after a layer, which alone attend, and their attention weights."""
        rate, heads = self.config.dropout, self.config.heads
        u = self.attention_norm(tokens.semantic + self.layers[layer])
        x, query_tokens = tokens.semantic[:, :num_queries], u[:, :num_queries]
        inputs = AttentionInputs(
            queries=project(query_tokens, weights.query).unflatten(-1, (heads, -1)),
            semantic=u,
            symbolic=tokens.symbolic,
            gate=((query_tokens * self.gate).sum(-1) + self.gate_bias).sigmoid(),
            match=weights.match,
            carry=weights.carry,
            bias=weights.bias,
            recency=weights.recency,
            ages=tokens.ages,
            mask=tokens.mask,
        )
        dropout = DropoutSpec(rate / 2, layer_site(layer, Site.ATTENTION))
        attended = symbolic_attention(inputs, rng, dropout, causal=self.config.attention == "causal")
        update = project(attended.semantic.flatten(2), weights.output)
        update = update + self.symbolic_heads.relations(attended.relations)
        x = x + rng.dropout(update, rate, layer_site(layer, Site.ATTENDED))
        hidden = self.feed_forward(self.feed_forward_norm(x))
        x = x + rng.dropout(hidden, rate, layer_site(layer, Site.FEED_FORWARD))
        return tokens._replace(semantic=x, symbolic=attended.symbolic), attended.weights
