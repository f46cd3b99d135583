"""TPR-RNN: reasoning with tensor-product representations (Schlag & Schmidhuber 2018).

Equations are those of the symbol-shift paper, which restates the network (Eq. 10-13 and appendix E); but a read starts
from the one before after its layer norm, as Schlag & Schmidhuber have it (their Eq. 17-19), where Eq. 12 has it before,
and the query entity n has E dims and its relations l have R, where Eq. 11 has them the other way round.
The symbolic forms STPR and GSTPR are in `symbolic`, other readings of the papers and ablations in `variants`.

Deviations, on purpose: blank words and sentences change nothing (the authors' code embeds blank words, a public port
also writes blank sentences); the answer projection is trained (that port freezes it); the query has the one entity
network that is used; story and question have position vectors of their own; words beyond the longest seen in training
share the last position vector.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory, Output
from symshift.models.layers import ParallelPerceptrons, PositionWeightedBag, ScalarNorm, clip_norm, uniform_parameter
from symshift.models.registry import register
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import embed, project
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng
from symshift.ops.tensor_product_memory import (
    FactorizedMemory,
    solve_in_chunks,
    tensor_product_reads,
    writes_from_keys,
)

NUM_ENTITIES = 2  # of a sentence: e1, e2
RELATIONS = ("r1", "r2", "r3")  # of a sentence, one for each memory operation: write, move, backlink
NUM_READS = 3  # of a question, each with a relation: l1, l2, l3


@dataclass(frozen=True)
class TensorProductConfig:
    """Settings of a tensor-product network; a `dim` or `hidden` of 0 means the size of the vocabulary."""

    dim: int  # of a word vector
    entity: Count  # E
    relation: Count  # R
    hidden: int
    embedding: float  # word vectors start in U(-embedding, embedding)
    dropout: Rate  # of sentences, questions, hidden units and what is read
    word_dropout: Rate  # chance that a word type is hidden for an example
    keys: Literal["free", "bounded"]  # bounded: entity and relation vectors of norm at most 1


class EntityRelationVectors(NamedTuple):
    """The keys of a story's memory, and those of the question."""

    entities: Float[Tensor, "batch sentence 2 entity"]  # e1, e2
    relations: Float[Tensor, "batch sentence operation relation"]  # r1, r2, r3
    query_entity: Float[Tensor, "batch 1 entity"]  # n
    query_relations: Float[Tensor, "batch 3 relation"]  # l1, l2, l3


@register("tpr", colour="#EDBE2A", marker="D", after="smn")
class TensorProduct(Memory):
    """TPR-RNN, and the semantic half of its symbolic forms, which add to `encode` and `decode`."""

    Config: ClassVar[type[TensorProductConfig]] = TensorProductConfig
    relations: ClassVar[tuple[str, ...]] = RELATIONS

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words = len(vocabulary.words)
        dim, hidden = config.dim or words, config.hidden or words
        self.words = uniform_parameter(config.embedding, generator, words, dim)  # A
        self.sentence = PositionWeightedBag(vocabulary.words_a_sentence, dim)
        self.question = PositionWeightedBag(vocabulary.words_a_question, dim)
        sentence_heads = [(NUM_ENTITIES, config.entity), (len(self.relations), config.relation)]
        question_heads = [(1, config.entity), (NUM_READS, config.relation)]
        self.sentence_encoder = ParallelPerceptrons(sentence_heads, dim, hidden, generator)
        self.question_encoder = ParallelPerceptrons(question_heads, dim, hidden, generator)
        self.norms = nn.ModuleList(ScalarNorm() for _ in range(NUM_READS))
        bound = (6 / (config.entity + words)) ** 0.5
        self.projection = uniform_parameter(bound, generator, words, config.entity)  # Z of TPR-RNN, B of STPR

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        vectors, dim_mask, trace = self.encode(batch, rng)
        reads = self.read_memory(vectors, batch.sentence_mask, dim_mask)
        trace |= {f"read{number + 1}": reads[:, number] for number in range(NUM_READS)}
        return self.decode(reads.sum(1), rng)._replace(trace=trace)

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[EntityRelationVectors, Float[Tensor, "batch entity"], dict[str, Tensor]]:
        """Return the keys, which dims of an entity are real (1, else 0), and the trace so far."""
        question = self.embed_words(batch.question, rng)
        bags = self.embed_sentences(batch.story, rng), self.question(question)
        vectors = self.clip_key_norms(self.entity_relation_vectors(*bags, rng))
        return vectors, torch.ones_like(vectors.query_entity[:, 0]), encoder_trace(question, vectors)

    def embed_words(
        self, ids: Int[Tensor, "batch *position"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position dim"]:
        """Return word vectors; word dropout hides a word type in story and question of an example alike."""
        return rng.word_type_dropout(embed(self.words, ids), ids, self.config.word_dropout, site=Site.WORD_TYPES)

    def embed_sentences(
        self, story: Int[Tensor, "batch sentence word"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence dim"]:
        """Return each sentence as the bag of its words' vectors, those of `embed_words`."""
        types = DropoutSpec(self.config.word_dropout, Site.WORD_TYPES)
        return bag_of_words(self.words, story, self.sentence.position, rng, type_dropout=types)

    def drop(self, x: Float[Tensor, "*shape"], rng: StepRng | NoRng, site: int) -> Float[Tensor, "*shape"]:
        """Apply dropout outside the perceptrons: to sentences, questions and what is read."""
        return rng.dropout(x, self.config.dropout, site)

    @property
    def hidden_dropout(self) -> float:
        """Dropout of hidden units."""
        return self.config.dropout

    def entity_relation_vectors(
        self,
        sentences: Float[Tensor, "batch sentence dim"],
        question: Float[Tensor, "batch dim"],
        rng: StepRng | NoRng,
    ) -> EntityRelationVectors:
        """Return the outputs of the perceptrons (Eq. 10-11)."""
        sentences, question = self.drop(sentences, rng, Site.SENTENCES), self.drop(question, rng, Site.QUESTION)
        return EntityRelationVectors(
            *self.sentence_encoder(sentences, rng, self.hidden_dropout, site=Site.SENTENCE_HIDDEN),
            *self.question_encoder(question, rng, self.hidden_dropout, site=Site.QUESTION_HIDDEN),
        )

    def clip_key_norms(self, vectors: EntityRelationVectors) -> EntityRelationVectors:
        """Return the keys with norms of at most 1 where the config says so."""
        return EntityRelationVectors(*map(clip_norm, vectors)) if self.config.keys == "bounded" else vectors

    def read_memory(
        self,
        vectors: EntityRelationVectors,
        sentence_mask: Bool[Tensor, "batch sentence"],
        dim_mask: Float[Tensor, "batch entity"],
    ) -> Float[Tensor, "batch read entity"]:
        """Return three chained, normalized reads of the story's memory (Eq. 12-13)."""
        entities, relations, query_entity, query_relations = vectors
        query = query_entity.squeeze(1), query_relations
        return tensor_product_reads(entities, relations, sentence_mask, *query, dim_mask, *self.gains_and_biases())

    def gains_and_biases(self) -> tuple[Float[Tensor, " read"], Float[Tensor, " read"]]:
        """Return the parameters of the reads' norms."""
        norms = [cast(ScalarNorm, norm) for norm in self.norms]
        return torch.stack([norm.gain for norm in norms]), torch.stack([norm.bias for norm in norms])

    def decode(self, h: Float[Tensor, "batch entity"], rng: StepRng | NoRng) -> Output:
        """Answer from the sum of the reads (Eq. 13)."""
        return Output(project(self.drop(h, rng, Site.READS), self.projection.mT), None, None, {})

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        """Dims of reads, of their relations and of the query entity."""
        return self.config.entity, self.config.relation, self.config.entity

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """Return as slots what the three reads would be after each sentence; a slot's key is its read's relation."""
        vectors, dim_mask, trace = self.encode(batch, rng)
        sentence_mask = batch.sentence_mask
        writes = writes_from_keys(vectors.entities, vectors.relations, sentence_mask)
        memory = solve_in_chunks(FactorizedMemory, writes)
        entity, reads = vectors.query_entity, []
        for number, norm in enumerate(self.norms):
            retrieved = memory.read_over_time(entity, vectors.query_relations[:, number, None])
            entity = norm(retrieved, dim_mask.unsqueeze(1))
            reads.append(entity)
        contents = torch.stack(reads, 2)
        last_reads = {f"read{number + 1}": read[:, -1] for number, read in enumerate(reads)}

        return MemoryTrajectory(
            contents=contents,
            keys=vectors.query_relations,
            slot_mask=torch.ones_like(contents[..., 0], dtype=torch.bool),
            question=vectors.query_entity.squeeze(1),
            sentence_mask=sentence_mask,
            trace=trace | last_reads,
            own_answer=lambda: self.decode(contents[:, -1].sum(1), rng),
        )

    def answer(
        self, question: Float[Tensor, "batch query"], memory: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """Answer from a vector of the memory as from the sum of the reads."""
        return self.decode(memory, rng)

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        """Return the word vectors."""
        return self.words


def encoder_trace(question: Float[Tensor, "batch word dim"], vectors: EntityRelationVectors) -> dict[str, Tensor]:
    """Return what both the semantic and the symbolic forms record of `encode`."""
    return {"question_words": question, **vectors._asdict()}
