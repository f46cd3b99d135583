"""EntNet on the Children's Book Test: a slot for each candidate, and the slot that fits the question is the answer.

Henaff et al. 2017, section 5.3: keys w_j are the vectors of the question's own candidates. Each window s_t opens the
slots by a mask of its own (s'_t), slots are not normalized, U = V = 0, W = I and phi is the identity. So Eq. 2-6 are

    gate    g_tj = sigmoid(s'_t . h_j + s'_t . w_j)
    slot    h_j <- h_j + g_tj s_t                        from h_j = w_j
    answer  p_j = softmax_j(q . h_j)

and no slot is ever formed: h_j is its key and the windows so far, and the loop runs on dot products alone. The first
sentence of a story lists the candidates (`stories.cloze.listed`), so that they are the first symbols of its context.

Deviations, on purpose: a word hidden or never seen in training has, if it is a candidate, the vector of its place in
the list, else none (the paper's are as they were drawn), and training hides some; candidates of one word share a slot.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.data.cbt.format import CANDIDATES
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network
from symshift.models.entity_network.model import random
from symshift.models.layers import PositionWeightedBag
from symshift.models.symbolic import NEG_INF, Output, embed, mask_logits
from symshift.ops.rng import NoRng, Site, StepRng


@dataclass(frozen=True)
class ClozeEntityNetworkConfig:
    """What a preset sets of an entity network that chooses among candidates."""

    dim: int
    embedding: float  # standard deviation of words at the start
    dropout: float  # of word vectors
    word_dropout: float  # of words, for a whole question


class ClozeEntityNetwork(Network):
    """The simple form, with keys tied to candidates."""

    Config = ClozeEntityNetworkConfig

    def __init__(self, config: ClozeEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        self.words = random(config.embedding, generator, len(vocabulary.words), config.dim)  # e
        self.strangers = random(config.embedding, generator, CANDIDATES, config.dim)
        self.sentence = PositionWeightedBag(vocabulary.words_a_sentence, config.dim)  # f
        self.opener = PositionWeightedBag(vocabulary.words_a_sentence, config.dim)
        self.question = PositionWeightedBag(vocabulary.words_a_question, config.dim)
        for mask in (self.sentence, self.opener, self.question):
            nn.init.ones_(mask.position)

    def vectors(
        self,
        ids: Int[Tensor, "batch *position"],
        symbols: Int[Tensor, "batch *position"],
        candidates: Int[Tensor, " batch"],
        rng: StepRng | NoRng,
    ) -> Float[Tensor, "batch *position dim"]:
        """e, of a word or of its place among so many candidates."""
        vectors = embed(self.words, ids)
        listed = (ids > 0) & (symbols < candidates.view(-1, *[1] * (ids.ndim - 1)))
        seen = (ids <= len(self.words)).unsqueeze(-1).to(vectors.dtype)
        known = rng.word_type_dropout(seen, ids, self.config.word_dropout, site=Site.WORD_TYPES)
        return known * vectors + (1 - known) * embed(self.strangers, torch.where(listed, symbols + 1, 0))

    def open(
        self,
        ahead: Float[Tensor, "batch slot sentence"],
        overlap: Float[Tensor, "batch sentence sentence"],
        told: Bool[Tensor, "batch sentence"],
    ) -> Float[Tensor, "batch slot sentence"]:
        """The gates of each slot from 2 s'_t . w_j and s_i . s'_t. The loop carries s'_t . (h_j + w_j) for the windows
        still to come."""
        gates = []
        for t, real in enumerate(told.unbind(1)):
            here, rest = ahead[..., 0], ahead[..., 1:]
            gate = mask_logits(here, real.unsqueeze(-1).expand(here.shape)).sigmoid()
            ahead = rest + gate.unsqueeze(-1) * overlap[:, t, None, t + 1 :]
            gates.append(gate)
        return torch.stack(gates, -1)

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        real = (batch.story > 0).any(-1)
        first = real & (real.cumsum(-1) == 1)
        listed = (batch.story * first.unsqueeze(-1)).sum(1)
        first_symbols = batch.symbols[:, : listed.shape[1]]
        candidate = (first_symbols.unsqueeze(-1) == listed.unsqueeze(1)).any(-1) & (first_symbols > 0)
        places = torch.arange(candidate.shape[1], device=candidate.device).expand(candidate.shape)

        count, rate = candidate.sum(-1), self.config.dropout
        keys = self.vectors(first_symbols, places, count, rng)
        story = rng.dropout(
            self.vectors(batch.story, batch.story_symbols, count, rng), rate, site=Site.CLOZE_STORY_WORDS
        )
        asked = rng.dropout(
            self.vectors(batch.question, batch.question_symbols, count, rng), rate, site=Site.CLOZE_QUESTION_WORDS
        )
        windows, openers, question = self.sentence(story), self.opener(story), self.question(asked)

        gates = self.open(2 * keys @ openers.mT, windows @ openers.mT, real & ~first)
        fits = torch.einsum("bsd,bd->bs", torch.cat((keys, windows), 1), question)
        own, heard = fits.split((keys.shape[1], windows.shape[1]), 1)
        scores = mask_logits(own + torch.einsum("bjt,bt->bj", gates, heard), candidate)

        nothing, impossible = scores.new_zeros(len(scores), len(self.words)), scores.new_full((), NEG_INF)
        symbolic = F.pad(scores, (0, batch.symbols.shape[1] - scores.shape[1]), value=NEG_INF)
        return Output(nothing, symbolic, impossible, {"slot_attention": scores.softmax(-1), "write_gates": gates})
