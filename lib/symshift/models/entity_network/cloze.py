"""EntNet on the Children's Book Test: a slot for each candidate, and the slot that fits the question is the answer.

Henaff et al. 2017, section 5.3: keys w_j are the vectors of the question's own candidates. Each window s_t opens the
gates by a mask of its own (s'_t), slots are not normalized, U = V = 0, W = I and phi is the identity. So Eq. 2-6 are

    gate    g_tj = sigmoid(s'_t . h_j + s'_t . w_j)
    slot    h_j <- h_j + g_tj s_t                        from h_j = w_j
    answer  p_j = softmax_j(q . h_j)

and no slot is ever formed: h_j is its key plus the windows so far, each times its gate, so dot products suffice. The
first sentence of a story lists the candidates (`data.cbt.format`), so they are the first symbols of its context.

Deviations, on purpose: a word that is hidden or was never seen in training has, if it is a candidate, the vector of its
index in the list, else zero (in the paper it keeps its random vector), and training hides some words; candidates that
are the same word share a slot.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from symshift.constraints import Count, Rate
from symshift.data.cbt.format import CANDIDATES
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import PositionWeightedBag, normal_parameter
from symshift.models.registry import register
from symshift.ops.functional import NEG_INF, dot_products, embed, mask_logits
from symshift.ops.rng import NoRng, Site, StepRng


@dataclass(frozen=True)
class ClozeEntityNetworkConfig:
    """Settings of an entity network that chooses among candidates."""

    dim: Count
    embedding: float  # standard deviation of word vectors at the start
    dropout: Rate  # of word vectors
    word_dropout: Rate  # of words, each hidden in a whole question


@register("entnet-cloze", family="entnet")
class ClozeEntityNetwork(Network):
    """EntNet, simple form, with keys tied to the candidates of each question."""

    Config = ClozeEntityNetworkConfig

    def __init__(self, config: ClozeEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        self.words = normal_parameter(config.embedding, generator, len(vocabulary.words), config.dim)  # e
        self.candidate_embeddings = normal_parameter(config.embedding, generator, CANDIDATES, config.dim)
        self.sentence_encoder = PositionWeightedBag(vocabulary.words_a_sentence, config.dim)  # f, s_t
        self.gate_encoder = PositionWeightedBag(vocabulary.words_a_sentence, config.dim)  # s'_t
        self.question_encoder = PositionWeightedBag(vocabulary.words_a_question, config.dim)
        for encoder in (self.sentence_encoder, self.gate_encoder, self.question_encoder):
            nn.init.ones_(encoder.position)

    def embed_words(
        self,
        ids: Int[Tensor, "batch *position"],
        symbols: Int[Tensor, "batch *position"],
        candidate_count: Int[Tensor, " batch"],
        rng: StepRng | NoRng,
    ) -> Float[Tensor, "batch *position dim"]:
        """Return the vector of each word, or of its index among the candidates where the word is hidden or unseen.

        Args:
            ids: Words, 0 for blank.
            symbols: Their order of first appearance in the context; those below `candidate_count` are candidates.
            candidate_count: Different candidates of each question.
            rng: Decides which words are hidden.
        """
        vectors = embed(self.words, ids)
        is_candidate = (ids > 0) & (symbols < candidate_count.view(-1, *[1] * (ids.ndim - 1)))
        in_vocabulary = (ids <= len(self.words)).unsqueeze(-1).to(vectors.dtype)
        visible = rng.word_type_dropout(in_vocabulary, ids, self.config.word_dropout, site=Site.WORD_TYPES)
        by_index = embed(self.candidate_embeddings, torch.where(is_candidate, symbols + 1, 0))
        return visible * vectors + (1 - visible) * by_index

    def write_gates(
        self,
        logits: Float[Tensor, "batch slot sentence"],
        overlaps: Float[Tensor, "batch sentence sentence"],
        window_mask: Bool[Tensor, "batch sentence"],
    ) -> Float[Tensor, "batch slot sentence"]:
        """Return the gates g_tj.

        Args:
            logits: 2 s'_t . w_j, the logits before the first window, as slots start at their keys.
            overlaps: s_i . s'_t; each window s_i adds its own times its gate to the logits of the windows to come.
            window_mask: Sentences that are windows; the gates of others stay shut.
        """
        gates = []
        for t, is_window in enumerate(window_mask.unbind(1)):
            logit, logits_ahead = logits[..., 0], logits[..., 1:]
            gate = mask_logits(logit, is_window.unsqueeze(-1).expand(logit.shape)).sigmoid()
            logits = logits_ahead + gate.unsqueeze(-1) * overlaps[:, t, None, t + 1 :]
            gates.append(gate)
        return torch.stack(gates, -1)

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch with one of its candidates."""
        sentence_mask = batch.sentence_mask
        list_mask = sentence_mask & (sentence_mask.cumsum(-1) == 1)
        candidates, slot_mask = _candidates(batch, list_mask)
        candidate_symbols = torch.arange(slot_mask.shape[1], device=slot_mask.device).expand(slot_mask.shape)

        count, rate = slot_mask.sum(-1), self.config.dropout
        keys = self.embed_words(candidates, candidate_symbols, count, rng)
        story_words = self.embed_words(batch.story, batch.story_symbols, count, rng)
        story = rng.dropout(story_words, rate, site=Site.CLOZE_STORY_WORDS)
        question_words = self.embed_words(batch.question, batch.question_symbols, count, rng)
        question = self.question_encoder(rng.dropout(question_words, rate, site=Site.CLOZE_QUESTION_WORDS))
        windows, gate_windows = self.sentence_encoder(story), self.gate_encoder(story)

        gates = self.write_gates(2 * keys @ gate_windows.mT, windows @ gate_windows.mT, sentence_mask & ~list_mask)
        products = dot_products(torch.cat((keys, windows), 1), question)
        key_products, window_products = products.split((keys.shape[1], windows.shape[1]), 1)
        scores = mask_logits(key_products + dot_products(gates, window_products), slot_mask)

        semantic = scores.new_zeros(len(scores), len(self.words))
        symbolic = pad(scores, (0, batch.symbols.shape[1] - scores.shape[1]), value=NEG_INF)
        trace = {"slot_attention": scores.softmax(-1), "write_gates": gates}
        return Output(semantic, symbolic, scores.new_full((), NEG_INF), trace)


def _candidates(
    batch: Batch, list_mask: Bool[Tensor, "batch sentence"]
) -> tuple[Int[Tensor, "batch slot"], Bool[Tensor, "batch slot"]]:
    """Return the first symbols of each context, and which of them are in the list of candidates."""
    candidates = (batch.story * list_mask.unsqueeze(-1)).sum(1)
    first_symbols = batch.symbols[:, : candidates.shape[1]]
    return first_symbols, (first_symbols.unsqueeze(-1) == candidates.unsqueeze(1)).any(-1) & (first_symbols > 0)
