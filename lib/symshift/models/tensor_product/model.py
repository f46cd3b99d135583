"""TPR-RNN and its symbolic forms STPR and GSTPR.

TPR-RNN: Schlag & Schmidhuber 2018 (Eq. 10-13 and appendix E of the symbol-shift paper). STPR: section 4.1 there.
GSTPR: ours, STPR with signed pointers in place of the symbolic layers.

Deviations, on purpose: blank words and sentences change nothing (public code embeds and writes them); the answer
projection is trained (a public port freezes it); the query has the one entity network that is used; story and question
have position vectors of their own; words beyond the longest seen in training share the last position vector.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Rate, Signed
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory, Output
from symshift.models.layers import ParallelPerceptrons, PositionWeightedBag, ScalarNorm, clip_norm
from symshift.models.symbolic import SignedPointers, SymbolicLayers, SymbolWeight, count_symbols
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import embed
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng
from symshift.ops.tensor_product_memory.torch import FactorizedMemory, chained_reads, in_chunks, rows

ENTITIES, RELATIONS, STEPS = 2, ("r1", "r2", "r3"), 3  # of a sentence e1 e2 and these, of a question n and l1 l2 l3


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


@dataclass(frozen=True)
class PointerTensorProductConfig(TensorProductConfig):
    """And of its signed pointers: where the mixture of bag, first and second pointer starts, give or take 0.5."""

    bag: Signed
    toward: Signed
    away: Signed


class TensorProduct(Memory):
    """TPR-RNN. Also the semantic half of its symbolic forms, which add to what is heard and read off."""

    Config = TensorProductConfig
    relations = RELATIONS  # one for each memory operation

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words = len(vocabulary.words)
        dim, hidden = config.dim or words, config.hidden or words
        bound = config.embedding
        self.words = nn.Parameter(torch.empty(words, dim).uniform_(-bound, bound, generator=generator))  # A
        self.sentence = PositionWeightedBag(vocabulary.words_a_sentence, dim)
        self.question = PositionWeightedBag(vocabulary.words_a_question, dim)
        entity, relation = config.entity, config.relation
        heads = [(ENTITIES, entity), (len(self.relations), relation)]
        self.told = ParallelPerceptrons(heads, dim, hidden, generator)  # e1 e2, r1 r2 r3
        self.asked = ParallelPerceptrons([(1, entity), (STEPS, relation)], dim, hidden, generator)  # n, l1 l2 l3
        self.norms = nn.ModuleList(ScalarNorm() for _ in range(STEPS))
        bound = (6 / (config.entity + words)) ** 0.5
        self.projection = nn.Parameter(  # Z of TPR-RNN, B of STPR
            torch.empty(words, config.entity).uniform_(-bound, bound, generator=generator)
        )

    def vectors(
        self, ids: Int[Tensor, "batch *position"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position dim"]:
        """Word vectors, the same word types hidden in story and question of an example."""
        return rng.word_type_dropout(embed(self.words, ids), ids, self.config.word_dropout, site=Site.WORD_TYPES)

    def bags(
        self, story: Int[Tensor, "batch sentence word"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence dim"]:
        """Each sentence, the bag of these vectors of its words."""
        return bag_of_words(
            self.words,
            story,
            self.sentence.position,
            rng,
            type_dropout=DropoutSpec(self.config.word_dropout, Site.WORD_TYPES),
        )

    def drop(self, x: Float[Tensor, "*shape"], rng: StepRng | NoRng, site: int) -> Float[Tensor, "*shape"]:
        """Dropout outside the perceptrons: of sentences, questions and what is read."""
        return rng.dropout(x, self.config.dropout, site)

    @property
    def hidden_dropout(self) -> float:
        """Dropout of hidden units."""
        return self.config.dropout

    def keys(
        self,
        story: Float[Tensor, "batch sentence dim"],
        question: Float[Tensor, "batch dim"],
        rng: StepRng | NoRng,
    ) -> tuple[
        Float[Tensor, "batch sentence 2 entity"],
        Float[Tensor, "batch sentence operation relation"],
        Float[Tensor, "batch 1 entity"],
        Float[Tensor, "batch 3 relation"],
    ]:
        """Entities, relations, start and steps (Eq. 10-11)."""
        rate = self.hidden_dropout
        sentence, asked = self.drop(story, rng, site=Site.SENTENCES), self.drop(question, rng, site=Site.QUESTION)
        return (
            *self.told(sentence, rng, rate, site=Site.SENTENCE_HIDDEN),
            *self.asked(asked, rng, rate, site=Site.QUESTION_HIDDEN),
        )

    def chained_reads(
        self,
        keys: tuple[Tensor, Tensor, Tensor, Tensor],
        real: Bool[Tensor, "batch sentence"],
        dims: Float[Tensor, "batch entity"],
    ) -> Float[Tensor, "batch step entity"]:
        """Three chained, normalised reads of the story's memory (Eq. 12-13)."""
        entities, relations, start, steps = keys
        return chained_reads(entities, relations, real, start.squeeze(1), steps, dims, self.norms)

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], Float[Tensor, "batch entity"], dict[str, Tensor]]:
        """Entities, relations, start and steps, which of their dims are real, and what to record."""
        question = self.vectors(batch.question, rng)
        keys = self.fit(self.keys(self.bags(batch.story, rng), self.question(question), rng))
        return keys, torch.ones_like(keys[2][:, 0]), _recorded(question, keys)

    def fit(self, keys: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The keys within their bounds."""
        return tuple(clip_norm(key) for key in keys) if self.config.keys == "bounded" else keys

    def decode_output(self, h: Float[Tensor, "batch entity"], rng: StepRng | NoRng) -> Output:
        """The answer from the reads."""
        return Output(self.drop(h, rng, site=Site.READS) @ self.projection.mT, None, None, {})

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        keys, dims, heard = self.encode(batch, rng)
        reads = self.chained_reads(keys, (batch.story > 0).any(-1), dims)
        trace = {f"read{step + 1}": reads[:, step] for step in range(STEPS)}
        return self.decode_output(reads.sum(1), rng)._replace(trace=heard | trace)

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        return self.config.entity, self.config.relation, self.config.entity

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """The slots are the three chained reads, had they been made after each sentence; their keys are the steps."""
        (entities, relations, start, steps), dims, heard = self.encode(batch, rng)
        real = (batch.story > 0).any(-1)
        memory, at, reads = in_chunks(FactorizedMemory, rows(entities, relations, real)), start, []
        for step, norm in enumerate(self.norms):
            at = norm(memory.read_over_time(at, steps[:, step, None]), dims.unsqueeze(1))
            reads.append(at)
        contents = torch.stack(reads, 2)
        present = torch.ones_like(contents[..., 0], dtype=torch.bool)
        last = {f"read{step + 1}": read[:, -1] for step, read in enumerate(reads)}

        def answer() -> Output:
            return self.decode_output(contents[:, -1].sum(1), rng)

        return MemoryTrajectory(contents, steps, present, start.squeeze(1), real, heard | last, answer)

    def answer(
        self, question: Float[Tensor, "batch asked"], found: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """Z u, as from the sum of the reads."""
        return self.decode_output(found, rng)

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        return self.words


class HybridTensorProduct(TensorProduct):
    """What STPR and GSTPR share: keys of d + m dims, and an answer mixed from both halves."""

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.alpha = SymbolWeight(len(vocabulary.words))
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def symbolic_keys(
        self, batch: Batch, question: Float[Tensor, "batch asked dim"], rng: StepRng | NoRng
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], dict[str, Tensor]]:
        """The symbolic halves of entities, relations, start and steps, and what to record."""
        raise NotImplementedError

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], Float[Tensor, "batch entity"], dict[str, Tensor]]:
        question = self.vectors(batch.question, rng)
        semantic = self.keys(self.bags(batch.story, rng), self.question(question), rng)
        symbolic, gates = self.symbolic_keys(batch, question, rng)
        keys = self.fit(tuple(torch.cat(pair, -1) for pair in zip(semantic, symbolic, strict=True)))
        dims = torch.cat((torch.ones_like(semantic[2][:, 0]), (batch.symbols > 0).to(question.dtype)), -1)
        return keys, dims, gates | _recorded(question, keys)

    def decode_output(self, h: Float[Tensor, "batch entity"], rng: StepRng | NoRng) -> Output:
        semantic, symbolic = h[:, : self.config.entity], h[:, self.config.entity :]
        dropped = self.drop(semantic, rng, site=Site.READS)
        return Output(dropped @ self.projection.mT, symbolic, self.beta, {})


class SymbolicTensorProduct(HybridTensorProduct):
    """STPR: the symbolic half of each head is the sentence's bag of symbols through two symbolic layers (Eq. 14-15)."""

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.story_symbols = SymbolicLayers(ENTITIES + len(RELATIONS), generator)
        self.question_symbols = SymbolicLayers(1 + STEPS, generator)

    def symbolic_keys(
        self, batch: Batch, question: Float[Tensor, "batch asked dim"], rng: StepRng | NoRng
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], dict[str, Tensor]]:
        real, total = batch.symbols > 0, batch.symbols.shape[-1]
        alpha, asked = self.alpha(batch.story), self.alpha(batch.question)
        told = self.story_symbols(count_symbols(alpha, batch.story_symbols, total), real)
        question = self.question_symbols(count_symbols(asked, batch.question_symbols, total), real)
        entities, relations = told.split((ENTITIES, len(RELATIONS)), -2)
        start, steps = question.split((1, STEPS), -2)
        return (entities, relations, start, steps), {"alpha": alpha, "alpha_question": asked}


class PointerTensorProduct(HybridTensorProduct):
    """GSTPR: the symbolic half of each head is its own signed mixture of the sentence's words."""

    Config = PointerTensorProductConfig

    def __init__(self, config: PointerTensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        start, dim = (config.bag, config.toward, config.away), self.words.shape[-1]
        self.story_pointers = SignedPointers(
            ENTITIES + len(RELATIONS), dim, vocabulary.words_a_sentence, start, generator
        )
        self.question_pointers = SignedPointers(1 + STEPS, dim, vocabulary.words_a_question, start, generator)

    def symbolic_keys(
        self, batch: Batch, question: Float[Tensor, "batch asked dim"], rng: StepRng | NoRng
    ) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], dict[str, Tensor]]:
        total = batch.symbols.shape[-1]
        alpha, asked = self.alpha(batch.story), self.alpha(batch.question)
        gates = self.story_pointers.pointers(self.vectors(batch.story, rng), batch.story > 0)
        question_gates = self.question_pointers.pointers(question, batch.question > 0)
        told = self.story_pointers(gates, alpha, batch.story_symbols, total)
        question = self.question_pointers(question_gates, asked, batch.question_symbols, total)
        entities, relations = told.split((ENTITIES, len(RELATIONS)), -2)
        start, steps = question.split((1, STEPS), -2)
        trace = {"alpha": alpha, "alpha_question": asked, "gates": gates, "gates_question": question_gates}
        return (entities, relations, start, steps), trace


def _recorded(question: Tensor, keys: tuple[Tensor, Tensor, Tensor, Tensor]) -> dict[str, Tensor]:
    return {"question_words": question, **dict(zip(("entities", "relations", "start", "steps"), keys, strict=True))}
