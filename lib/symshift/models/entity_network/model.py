"""Recurrent Entity Networks (EntNet), general and simple.

Henaff et al. 2017, "Tracking the World State with Recurrent Entity Networks", Eq. 1-7. Each slot h_j has a key w_j:

    s, q = sum_i f_i * e_i                          sentence and question, from word vectors e and masks f    (1)
    g_j = sigmoid(s . h_j + s . w_j + b_j)          how far the sentence rewrites the slot                     (2)
    c_j = phi(U h_j + V w_j + W s + b)              general; in the simple form c_j = s                        (3)
    h_j <- (h_j + g_j c_j) / |h_j + g_j c_j|                                                                (4-5)
    p = softmax_j(q . h_j),  u = sum_j p_j h_j      the question finds its slot by content                     (6)
    y = R phi(q + H u)                              logits of the answer                                       (7)

`symshift.ops.entity_recurrence` computes Eq. 2-5. What the paper leaves open is as in the authors' code: each gate has
a bias b_j, what a slot adds has a bias b; phi is a PReLU with a slope for each dim, one for slots and answer; stories
and questions have masks of their own; slots start at their keys, which are free parameters (`variants` ties them to
words).

Deviations, on purpose: masks start at one (in the released code the story's starts at random, against the paper);
slots have unit norm from the start, not only after their first sentence; blank sentences change nothing.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.constraints import Count, Positive, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory, Output
from symshift.models.layers import PositionWeightedBag, normal_parameter
from symshift.models.registry import register
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.entity_recurrence import SlotMixture, Slots, entity_recurrence, simple_entity_recurrence
from symshift.ops.functional import NEG_INF, dot_products, embed, project, weighted_sum
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

INIT_STD = 0.1  # of all parameters that start at random but word and key vectors


@dataclass(frozen=True)
class EntityNetworkConfig:
    """Settings of an entity network."""

    dim: Count
    slots: Count
    embedding: Positive  # standard deviation of word and key vectors at the start; keys are divided by their norm
    dropout: Rate  # of word vectors


@dataclass(frozen=True)
class TiedEntityNetworkConfig:
    """Settings of an entity network with a slot for each of these words that the vocabulary has."""

    dim: Count
    entities: str  # with spaces or commas between
    embedding: Positive
    dropout: Rate


@register("entnet-simple", family="entnet")
class SimpleEntityNetwork(Memory):
    """EntNet, simple form: a slot adds the sentence itself (U = V = 0, W = I, no phi in Eq. 3)."""

    Config: ClassVar[type[Any]] = EntityNetworkConfig
    config: Any

    def __init__(
        self, config: EntityNetworkConfig | TiedEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator
    ):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        self.words = normal_parameter(config.embedding, generator, words, dim)  # e
        self.sentence_encoder = PositionWeightedBag(vocabulary.words_a_sentence, dim)  # f
        self.question_encoder = PositionWeightedBag(vocabulary.words_a_question, dim)
        for encoder in (self.sentence_encoder, self.question_encoder):
            nn.init.ones_(encoder.position)
        self.create_keys(vocabulary, generator)
        self.gate_bias = normal_parameter(INIT_STD, generator, len(self.keys()))  # b_j
        self.weight_h = normal_parameter(INIT_STD, generator, dim, dim)
        self.slope = nn.Parameter(torch.ones(dim))  # of phi, below zero
        self.projection = normal_parameter(INIT_STD, generator, words, dim)  # R

    def create_keys(self, vocabulary: Vocabulary, generator: torch.Generator) -> None:
        """Create what `keys` reads."""
        self.own_keys = normal_parameter(self.config.embedding, generator, self.config.slots, self.config.dim)

    def keys(self) -> Float[Tensor, "slot dim"]:
        """Return the keys w_j."""
        return self.own_keys

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch sentence dim"], Float[Tensor, "batch dim"], Float[Tensor, "batch word dim"]]:
        """Return sentence vectors s, question vectors q and the word vectors of the question (Eq. 1)."""
        rate = self.config.dropout
        units = DropoutSpec(rate, Site.SENTENCE_WORDS)
        sentences = bag_of_words(self.words, batch.story, self.sentence_encoder.position, rng, unit_dropout=units)
        question_words = rng.dropout(embed(self.words, batch.question), rate, site=Site.QUESTION_WORDS)
        return sentences, self.question_encoder(question_words), question_words

    def update_slots(
        self,
        start: Float[Tensor, "slot dim"],
        sentences: Float[Tensor, "batch sentence dim"],
        gate_logits: Float[Tensor, "batch sentence slot"],
    ) -> Slots | SlotMixture:
        """Return the slots after each sentence (Eq. 2-5).

        Args:
            start: Slots before the first sentence.
            sentences: Sentence vectors s.
            gate_logits: s . w_j + b_j, all of a gate's logit but what the slot adds.
        """
        return simple_entity_recurrence(start, sentences, gate_logits)

    def slots(self, batch: Batch, sentences: Float[Tensor, "batch sentence dim"]) -> Slots | SlotMixture:
        """Return the slots of each story, whose gates stay shut for blank sentences."""
        keys, sentence_mask = self.keys(), batch.sentence_mask
        gate_logits = project(sentences, keys.mT) + self.gate_bias
        gate_logits = torch.where(sentence_mask.unsqueeze(-1), gate_logits, NEG_INF)
        start = keys * keys.square().sum(-1, keepdim=True).rsqrt()
        return self.update_slots(start, sentences, gate_logits)

    def activation(self, x: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
        """Apply phi, a PReLU with a slope for each dim."""
        return x + (self.slope - 1) * x.clamp(max=0)

    def decode(
        self, slots: Float[Tensor, "*position dim"], question: Float[Tensor, "*#position dim"]
    ) -> Float[Tensor, "*position dim"]:
        """Return phi(q + H u), comparable to the rows of R, for slots or mixtures of slots u."""
        return self.activation(question + project(slots, self.weight_h.mT))

    def answer(
        self,
        question: Float[Tensor, "batch dim"],
        memory: Float[Tensor, "batch dim"],
        rng: StepRng | NoRng,
    ) -> Output:
        """Answer by y = R phi(q + H u), where `memory` is u (Eq. 7)."""
        return Output(project(self.decode(memory, question), self.projection.mT), None, None, {})

    def attend(
        self, question: Float[Tensor, "batch dim"], slots: Float[Tensor, "batch slot dim"], rng: StepRng | NoRng
    ) -> Output:
        """Answer from the slots that the question finds by content (Eq. 6-7)."""
        attention = dot_products(slots, question).softmax(-1)
        output = self.answer(question, weighted_sum(attention, slots), rng)
        return output._replace(trace={"slot_attention": attention})

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch from the slots after its whole story."""
        sentences, question, question_words = self.encode(batch, rng)
        slots = self.slots(batch, sentences)
        output = self.attend(question, slots.last, rng)
        return output._replace(trace=output.trace | {"write_gates": slots.gates, "question_words": question_words})

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        """Return the word vectors e."""
        return self.words

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        """Dims of slots, keys and question."""
        return (self.config.dim,) * 3

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """Return the slots after each sentence."""
        sentences, question, question_words = self.encode(batch, rng)
        slots = self.slots(batch, sentences)
        contents = slots.each
        return MemoryTrajectory(
            contents=contents,
            keys=self.keys().unsqueeze(0),
            slot_mask=torch.ones_like(contents[..., 0], dtype=torch.bool),
            question=question,
            sentence_mask=batch.sentence_mask,
            trace={"write_gates": slots.gates, "question_words": question_words},
            own_answer=lambda: self.attend(question, contents[:, -1], rng),
        )


@register("entnet", colour="#8ACE77", marker="P", after="gstpr")
class EntityNetwork(SimpleEntityNetwork):
    """EntNet, general form, with U, V, W and phi in the slots."""

    def __init__(
        self, config: EntityNetworkConfig | TiedEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator
    ):
        super().__init__(config, vocabulary, generator)
        dim = config.dim
        self.weight_u = normal_parameter(INIT_STD, generator, dim, dim)
        self.weight_v = normal_parameter(INIT_STD, generator, dim, dim)
        self.weight_w = normal_parameter(INIT_STD, generator, dim, dim)
        self.bias = normal_parameter(INIT_STD, generator, dim)

    def update_slots(
        self,
        start: Float[Tensor, "slot dim"],
        sentences: Float[Tensor, "batch sentence dim"],
        gate_logits: Float[Tensor, "batch sentence slot"],
    ) -> Slots:
        """Return the slots after each sentence, by the general form."""
        sentence_proj = project(sentences, self.weight_w.mT) + self.bias
        key_proj = project(self.keys(), self.weight_v.mT)
        return entity_recurrence(start, sentences, gate_logits, sentence_proj, key_proj, self.weight_u, self.slope)
