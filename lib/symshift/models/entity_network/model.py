"""Recurrent Entity Networks (EntNet), simple and general, with keys of their own or tied to given words.

Henaff et al. 2017, Eq. 1-7: a sentence opens some of the slots and rewrites them (`entity_cells`), a question finds its
slot by content and is answered from it: y = R phi(q + H u). What the paper leaves out is as the authors' code has it:
each gate has a bias, phi has a slope a dim and is the same for slots and answer, story and question have masks of their
own, keys are further rows of the word table and slots start at their keys.

Deviations, on purpose: masks start at one (in the released code the story's starts at random, against the paper);
slots have unit norm from the start, not only after their first sentence; blank sentences open nothing.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.data.encoding import Batch, Vocabulary
from symshift.errors import InputError
from symshift.models.base import Memory, MemoryTrajectory
from symshift.models.layers import PositionWeightedBag, project
from symshift.models.symbolic import NEG_INF, Output, embed
from symshift.ops.bag_of_words.function import word_bags
from symshift.ops.entity_recurrence.function import Mixture, Slots, general, simple
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

SPREAD = 0.1  # of all that starts at random but words and keys


@dataclass(frozen=True)
class EntityNetworkConfig:
    """What a preset sets of an entity network."""

    dim: int
    slots: int
    embedding: float  # standard deviation of words and keys at the start
    dropout: float  # of word vectors


@dataclass(frozen=True)
class TiedEntityNetworkConfig:
    """What a preset sets of an entity network with a slot for each of these words that the vocabulary has."""

    dim: int
    entities: str  # with spaces between
    embedding: float
    dropout: float


class SimpleEntityNetwork(Memory):
    """The simple form: a sentence is added to a slot as it is (U = V = 0, W = I, phi the identity in the slots)."""

    Config = EntityNetworkConfig

    def __init__(
        self, config: EntityNetworkConfig | TiedEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator
    ):
        super().__init__()
        self.config = config
        words, dim = len(vocabulary.words), config.dim
        self.words = random(config.embedding, generator, words, dim)  # e
        self.sentence = PositionWeightedBag(vocabulary.words_a_sentence, dim)  # f
        self.question = PositionWeightedBag(vocabulary.words_a_question, dim)
        for mask in (self.sentence, self.question):
            nn.init.ones_(mask.position)
        self.place_keys(vocabulary, generator)
        self.gate = random(SPREAD, generator, len(self.keys()))  # b_j
        self.hidden = random(SPREAD, generator, dim, dim)  # H
        self.slope = nn.Parameter(torch.ones(dim))  # of phi, below zero
        self.projection = random(SPREAD, generator, words, dim)  # R

    def place_keys(self, vocabulary: Vocabulary, generator: torch.Generator) -> None:
        """Make what the keys are read from."""
        self.own_keys = random(self.config.embedding, generator, self.config.slots, self.config.dim)

    def keys(self) -> Float[Tensor, "slot dim"]:
        """w_j."""
        return self.own_keys

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch sentence dim"], Float[Tensor, "batch dim"], Float[Tensor, "batch asked dim"]]:
        """The sentences s_t and the question q (Eq. 1), and its words."""
        rate = self.config.dropout
        sentences = word_bags(
            self.words, batch.story, self.sentence.position, rng, units=DropoutSpec(rate, Site.SENTENCE_WORDS)
        )
        question = rng.dropout(embed(self.words, batch.question), rate, site=Site.QUESTION_WORDS)
        return sentences, self.question(question), question

    def tell(
        self,
        start: Float[Tensor, "slot dim"],
        sentences: Float[Tensor, "batch sentence dim"],
        opening: Float[Tensor, "batch sentence slot"],
    ) -> Slots | Mixture:
        """The slots once the sentences are told (Eq. 2-5)."""
        return simple(start, sentences, opening)

    def slots(self, batch: Batch, sentences: Float[Tensor, "batch sentence dim"]) -> Slots | Mixture:
        """The slots of each story."""
        real, keys = (batch.story > 0).any(-1), self.keys()
        opening = torch.where(real.unsqueeze(-1), project(sentences, keys.mT) + self.gate, NEG_INF)
        start = keys * keys.square().sum(-1, keepdim=True).rsqrt()
        return self.tell(start, sentences, opening)

    def bend(self, x: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
        """phi, a PReLU with a slope for each dim."""
        return x + (self.slope - 1) * x.clamp(max=0)

    def answer(
        self, question: Float[Tensor, "batch dim"], found: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """y = R phi(q + H u) (Eq. 7)."""
        return Output(self.decode(found, question) @ self.projection.mT, None, None, {})

    def decode(
        self, found: Float[Tensor, "*position dim"], question: Float[Tensor, "*#position dim"]
    ) -> Float[Tensor, "*position dim"]:
        """phi(q + H u), of the kind of the rows of R."""
        return self.bend(question + found @ self.hidden.mT)

    def look_up(
        self, question: Float[Tensor, "batch dim"], slots: Float[Tensor, "batch slot dim"], rng: StepRng | NoRng
    ) -> Output:
        """The answer from the slots, found by content (Eq. 6-7)."""
        attention = torch.einsum("bjd,bd->bj", slots, question).softmax(-1)
        output = self.answer(question, torch.einsum("bj,bjd->bd", attention, slots), rng)
        return output._replace(trace={"slot_attention": attention})

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        sentences, question, words = self.encode(batch, rng)
        told = self.slots(batch, sentences)
        output = self.look_up(question, told.last, rng)
        return output._replace(trace=output.trace | {"write_gates": told.gates, "question_words": words})

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        return self.words

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        return (self.config.dim,) * 3

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        sentences, question, words = self.encode(batch, rng)
        told, keys = self.slots(batch, sentences), self.keys()
        each = told.each
        present = torch.ones_like(each[..., 0], dtype=torch.bool)
        trace, answer = (
            {"write_gates": told.gates, "question_words": words},
            lambda: self.look_up(question, each[:, -1], rng),
        )
        return MemoryTrajectory(each, keys.unsqueeze(0), present, question, (batch.story > 0).any(-1), trace, answer)


class EntityNetwork(SimpleEntityNetwork):
    """The general form, with U, V, W and phi in the slots."""

    def __init__(
        self, config: EntityNetworkConfig | TiedEntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator
    ):
        super().__init__(config, vocabulary, generator)
        dim = config.dim
        self.from_slot = random(SPREAD, generator, dim, dim)  # U
        self.from_key = random(SPREAD, generator, dim, dim)  # V
        self.from_sentence = random(SPREAD, generator, dim, dim)  # W
        self.bias = random(SPREAD, generator, dim)

    def tell(
        self,
        start: Float[Tensor, "slot dim"],
        sentences: Float[Tensor, "batch sentence dim"],
        opening: Float[Tensor, "batch sentence slot"],
    ) -> Slots:
        told, held = project(sentences, self.from_sentence.mT) + self.bias, self.keys() @ self.from_key.mT
        return general(start, sentences, opening, told, held, self.from_slot, self.slope)


class ReleasedEntityNetwork(EntityNetwork):
    """The general form, its story's mask at random from the start, as the released code has it by a slip."""

    def __init__(self, config: EntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.sentence.position = random(SPREAD, generator, *self.sentence.position.shape)


class TiedEntityNetwork(EntityNetwork):
    """The general form with a slot for each of the given words, and the word's vector for its key."""

    Config = TiedEntityNetworkConfig

    def place_keys(self, vocabulary: Vocabulary, generator: torch.Generator) -> None:
        places = {word: place for place, word in enumerate(vocabulary.words)}
        entities = [places[word] for word in self.config.entities.lower().split() if word in places]
        if not entities:
            raise InputError(
                f"entities is {self.config.entities!r}, but none of these words is in the training stories"
            )
        self.register_buffer("entities", torch.tensor(entities), persistent=False)

    def keys(self) -> Float[Tensor, "slot dim"]:
        return self.words[self.entities]


def random(spread: float, generator: torch.Generator, *shape: int) -> nn.Parameter:
    """A parameter that starts normal around zero."""
    return nn.Parameter(spread * torch.randn(*shape, generator=generator))
