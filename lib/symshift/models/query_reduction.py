"""Query-reduction networks (QRN): each sentence may turn the question into an easier one.

Seo et al. 2017, "Query-Reduction Networks for Question Answering", Eq. 1-6. With x_t the sentences and q_t^1 = q the
question, a layer k reads the story forwards and backwards:

    z_t = sigmoid(w_z . (x_t * q_t) + b_z)          update gate                                       (1)
    r_t = sigmoid(w_r . (x_t * q_t) + b_r)          reset gate, one for each direction                (5)
    c_t = tanh(W [x_t; q_t] + b)                    candidate query                                   (2)
    h_t = z_t r_t c_t + (1 - z_t) h_{t-1}           reduced query, h_0 = 0                            (3, 6)
    q_t^{k+1} = forward h_t^k + backward h_t^k                                                        (4)

The last layer reads forwards, without the reset gate, and the answer is softmax(W_y h_T). Gate and candidate do not
depend on h, so Eq. 6 has a closed form over time (Eq. 7): h_t = sum_{i <= t} prod_{i < j <= t} (1 - z_j) z_i r_i c_i.

As in the paper: position encoding and one table of words for story and question; all layers share their weights; the
update gate starts nearly shut. A reset gate for each direction is of the released code.

Deviations, on purpose: blank sentences keep their gate shut; training is by Adam with dropout of word vectors, where
the paper has AdaGrad and weight decay.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.constraints import Count, Depth, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import normal_parameter
from symshift.models.memory_network.positions import position_encoding
from symshift.models.registry import register
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import NEG_INF, embed, position_weighted_sum, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

UPDATE_BIAS = -2.5  # of the update gate at the start
FORWARD, BACKWARD = 0, 1  # the directions, each with a reset gate


@dataclass(frozen=True)
class QueryReductionConfig:
    """What a preset sets of a query-reduction network."""

    dim: Count
    layers: Depth
    dropout: Rate  # of word vectors


class Reductions(NamedTuple):
    """What a layer makes of each sentence, before it goes through time.

    Attributes:
        keep: log(1 - z), 0 for blank sentences.
        updates: z * c, 0 for blank sentences.
    """

    keep: Float[Tensor, "batch sentence"]
    updates: Float[Tensor, "batch sentence dim"]


@register("qrn", colour="#B4FCA8", marker=">", after="lstm")
class QueryReduction(Network):
    """QRN with reset gates."""

    Config = QueryReductionConfig
    sentence_positions: Tensor  # position encoding, constants
    question_positions: Tensor

    def __init__(self, config: QueryReductionConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        std, glorot = dim**-0.5, (2 / (2 * dim)) ** 0.5
        self.words = normal_parameter(std, generator, words, dim)
        self.gate = normal_parameter((2 / (dim + 1)) ** 0.5, generator, dim)  # w_z
        self.gate_bias = nn.Parameter(torch.full((), UPDATE_BIAS))
        if config.layers > 1:
            self.reset = normal_parameter((2 / (dim + 1)) ** 0.5, generator, 2, dim)  # w_r
            self.reset_bias = nn.Parameter(torch.zeros(2))
        self.from_sentence = normal_parameter(glorot, generator, dim, dim)  # W
        self.from_query = normal_parameter(glorot, generator, dim, dim)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.projection = normal_parameter(std, generator, words, dim)  # W_y
        lengths = {"sentence": vocabulary.words_a_sentence, "question": vocabulary.words_a_question}
        for name, longest in lengths.items():
            self.register_buffer(f"{name}_positions", position_encoding(longest, dim), persistent=False)

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch sentence dim"], Float[Tensor, "batch dim"], Float[Tensor, "batch word dim"]]:
        """Return sentences x, questions q and the word vectors of the questions."""
        units = DropoutSpec(self.config.dropout, Site.SENTENCE_WORDS)
        sentences = bag_of_words(self.words, batch.story, self.sentence_positions, rng, unit_dropout=units)
        question_words = rng.dropout(embed(self.words, batch.question), self.config.dropout, site=Site.QUESTION_WORDS)
        return sentences, position_weighted_sum(question_words, self.question_positions), question_words

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        sentences, question, question_words = self.encode(batch, rng)
        sentence_mask = batch.sentence_mask
        sentence_proj = project(sentences, self.from_sentence) + self.bias
        queries, gates = question.unsqueeze(1).expand_as(sentences), []
        for _ in range(self.config.layers - 1):
            matches = sentences * queries
            reductions = self.reduce(matches, sentence_proj, queries, sentence_mask)
            reset = torch.stack([(matches * weight).sum(-1) for weight in self.reset.unbind(0)], -1) + self.reset_bias
            queries = read_both_ways(reductions, reset.sigmoid())
            gates.append(1 - reductions.keep.exp())
        reductions = self.reduce(sentences * queries, sentence_proj, queries, sentence_mask)
        gates.append(1 - reductions.keep.exp())
        trace = {"update_gates": torch.stack(gates, 1), "question_words": question_words}
        return Output(project(last_query(reductions), self.projection.mT), None, None, trace)

    def reduce(
        self,
        matches: Float[Tensor, "batch sentence dim"],
        sentence_proj: Float[Tensor, "batch sentence dim"],
        queries: Float[Tensor, "batch sentence dim"],
        sentence_mask: Bool[Tensor, "batch sentence"],
    ) -> Reductions:
        """Return update gates and candidates (Eq. 1-2).

        Args:
            matches: x * q.
            sentence_proj: The part of W [x; q] + b that is the same in all layers.
            queries: q.
            sentence_mask: Sentences that are real.
        """
        logits = torch.where(sentence_mask, (matches * self.gate).sum(-1) + self.gate_bias, NEG_INF)
        candidates = torch.tanh(sentence_proj + project(queries, self.from_query))
        return Reductions(torch.nn.functional.logsigmoid(-logits), logits.sigmoid().unsqueeze(-1) * candidates)


def read_both_ways(
    reductions: Reductions, reset: Float[Tensor, "batch sentence 2"]
) -> Float[Tensor, "batch sentence dim"]:
    """Return the sum of the reduced queries of both directions after each sentence (Eq. 4, 6 and 7)."""
    total = reductions.keep.cumsum(1)
    number = torch.arange(total.shape[1], device=total.device)
    earlier = number <= number[:, None]  # row t may have its query from column i
    # the product of 1 - z over i < j <= t; read backwards over t <= j < i
    forward = torch.where(earlier, total.unsqueeze(2) - total.unsqueeze(1), NEG_INF).exp()
    before = total - reductions.keep
    backward = torch.where(earlier.mT, before.unsqueeze(1) - before.unsqueeze(2), NEG_INF).exp()
    share = forward * reset[..., FORWARD].unsqueeze(1) + backward * reset[..., BACKWARD].unsqueeze(1)
    return share @ reductions.updates


def last_query(reductions: Reductions) -> Float[Tensor, "batch dim"]:
    """Return the reduced query after the last sentence, read forwards and without reset gates."""
    total = reductions.keep.cumsum(1)
    share = (total[:, -1:] - total).exp()
    return (share.unsqueeze(-1) * reductions.updates).sum(1)
