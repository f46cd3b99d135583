"""End-to-End Memory Networks (MN) and their symbolic form (SMN).

MN: Sukhbaatar et al. 2015, with adjacent weight tying (Eq. 7-8 of the symbol-shift paper): tables A^(0) .. A^(K), the
question embedded by A^(0), hop k matched by A^(k) and answered by A^(k+1), the answer decoded by A^(K):

    p^(k) = softmax_i(m_i^(k) . u^(k))    u^(k+1) = u^(k) + sum_i p_i^(k) c_i^(k)    answer = softmax(A^(K) u^(K))

with m^(k) by A^(k) and c^(k) by A^(k+1). Linear start and random time noise are as the authors' code has them.
SMN: Eq. 9 and 32-33 of the symbol-shift paper. Positions weigh its semantic half alone, as in STPR. The paper does not
say where alpha, beta, alpha_A and alpha_C start: here at 0.5, 0.5, 1 and 1.

Deviations, on purpose: blank sentences take no attention; the time vector of a sentence is added once to its sum (in
Eq. 32-33 once a word), and time counts back from the question; each table of words has time vectors of its own, as
in the authors' code of MN, and time gates in SMN (Eq. 30-33 have one T_A and one T_C for all hops; so has `variants`).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Depth, Rate, Share
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory, Output
from symshift.models.layers import normal_parameter
from symshift.models.memory_network.positions import position_encoding, sentence_ages
from symshift.models.registry import register
from symshift.models.symbolic import count_symbols
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.functional import dot_products, embed, mask_logits, position_weighted_sum, project, weighted_sum
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

ALL_TABLES = slice(None)


class Sentences(NamedTuple):
    """Embedded sentences, before the time since them is added. `symbolic` is None in a network without symbols."""

    semantic: Float[Tensor, "batch *now sentence table dim"]
    symbolic: Float[Tensor, "batch *now sentence table symbol"] | None = None

    def last_table(self) -> "Sentences":
        """Return embeddings by the last table, with an axis for the time at which they are looked at."""
        symbolic = None if self.symbolic is None else self.symbolic[:, None, :, -1]
        return Sentences(self.semantic[:, None, :, -1], symbolic)


@dataclass(frozen=True)
class MemoryNetworkConfig:
    """What a preset sets of a memory network."""

    dim: Count
    hops: Depth
    dropout: Rate  # of word vectors
    positions: Literal["fixed", "learned", "none"]  # Sukhbaatar's encoding; TPR-RNN's vectors as in the symbol-shift
    # paper; or these as they start, all alike, so that a sentence is a bag of words
    linear_start: Share  # share of the updates without the softmax of the attention
    time_noise: Share  # blank memories put between sentences in training, at most this share of the story


@register("mn", colour="#5AAEF0", marker="o")
class MemoryNetwork(Memory):
    """MN. All tables A^(0) .. A^(K) are looked up at once."""

    Config = MemoryNetworkConfig
    sentence_positions: Tensor  # weights of word positions; parameters or constants
    question_positions: Tensor

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        tables, dim = config.hops + 1, config.dim
        self.words = normal_parameter(0.1, generator, len(vocabulary.words), tables, dim)  # A
        self.time = normal_parameter(0.1, generator, vocabulary.sentences, self.time_tables(), dim)  # T_A, T_C
        lengths = {"sentence": vocabulary.words_a_sentence, "question": vocabulary.words_a_question}
        for name, words in lengths.items():
            uniform = torch.full((words, dim), 1 / words)
            if config.positions == "learned":
                setattr(self, f"{name}_positions", nn.Parameter(uniform))
            else:
                weights = position_encoding(words, dim) if config.positions == "fixed" else uniform
                self.register_buffer(f"{name}_positions", weights, persistent=False)

    def time_tables(self) -> int:
        """Count the tables of time vectors: one for each table of words, as the authors' code has it."""
        return self.config.hops + 1

    def embed_sentences(self, batch: Batch, rng: StepRng | NoRng) -> Float[Tensor, "batch sentence table dim"]:
        """Embed each sentence by each table: the sum of its words, weighted by position."""
        return self.bags(batch, self.sentence_positions, rng)

    def bags(
        self, batch: Batch, position_weights: Float[Tensor, "longest dim"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence table dim"]:
        """Embed each sentence by each table with these position weights."""
        tables = self.words.shape[1]
        dropout = DropoutSpec(self.config.dropout, Site.SENTENCE_WORDS)
        weights = position_weights.repeat(1, tables)
        bags = bag_of_words(self.words.flatten(1), batch.story, weights, rng, unit_dropout=dropout)
        return bags.unflatten(-1, (tables, -1))

    def embed_question(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch word dim"]]:
        """Embed the question by A^(0), which makes u^(0); also return its word vectors."""
        words = rng.dropout(embed(self.words[:, 0], batch.question), self.config.dropout, site=Site.QUESTION_WORDS)
        return position_weighted_sum(words, self.question_positions), words

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Sentences, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        """Embed sentences without their time, and the question; also return their part of the trace."""
        question, words = self.embed_question(batch, rng)
        trace = {"question_words": words, "query": question}
        return Sentences(self.embed_sentences(batch, rng)), question, trace

    def add_time(
        self,
        sentences: Sentences,
        age: Int[Tensor, "batch *now sentence"],
        table: int | slice | Int[Tensor, " memory"] = ALL_TABLES,
    ) -> Float[Tensor, "..."]:
        """Add the time since each sentence to its embeddings by these tables (Eq. 30-31); this makes memories."""
        return sentences.semantic + self.time[:, table][age.clamp(0, len(self.time) - 1)]

    @property
    def memory_names(self) -> list[str]:
        """Label of each memory of a sentence: table A^(k) makes inputs of hop k and outputs of hop k - 1."""
        return [f"A{table}" for table in range(self.config.hops + 1)]

    def input_and_output_memories(
        self, memories: Float[Tensor, "batch sentence table dim"]
    ) -> list[tuple[Float[Tensor, "batch sentence dim"], Float[Tensor, "batch sentence dim"]]]:
        """Return what each hop matches, m^(k), and what it answers with, c^(k)."""
        return list(pairwise(memories.unbind(2)))

    def hops(
        self,
        memories: Float[Tensor, "batch sentence table dim"],
        query: Float[Tensor, "batch dim"],
        sentence_mask: Bool[Tensor, "batch sentence"],
        rng: StepRng | NoRng,
    ) -> tuple[list[Float[Tensor, "batch dim"]], Float[Tensor, "batch hop sentence"]]:
        """Return the queries u^(0) .. u^(K), and the attention of each hop (Eq. 8)."""
        queries, attentions = [query], []
        linear = rng.progress < self.config.linear_start if isinstance(rng, StepRng) else None
        is_sentence = sentence_mask.to(query.dtype)
        for matched, answering in self.input_and_output_memories(memories):
            scores = dot_products(matched, queries[-1])
            attention = mask_logits(scores, sentence_mask).softmax(-1)
            if linear is not None:
                attention = torch.where(linear, scores, attention)
            attentions.append(attention * is_sentence)
            queries.append(queries[-1] + weighted_sum(attentions[-1], answering))
        return queries, torch.stack(attentions, 1)

    def decode(self, query: Float[Tensor, "batch dim"]) -> Output:
        """Answer from u^(K)."""
        return Output(project(query, self.words[:, -1].mT), None, None, {})

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        sentence_mask = batch.sentence_mask
        sentences, question, trace = self.encode(batch, rng)
        age = sentence_ages(sentence_mask, rng, self.config.time_noise, Site.TIME_NOISE)
        memories = self.add_time(sentences, age)
        queries, attention = self.hops(memories, question, sentence_mask, rng)
        return self.decode(queries[-1])._replace(trace={"attention": attention, "memories": memories} | trace)

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        """Semantic dims of contents, keys and question."""
        return (self.config.dim,) * 3

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """Return the memory after each sentence; a sentence is a slot, from the time it is read.

        Keys and contents are its memories of the last hop, the contents as old as they were at that time; the question
        is u^(K-1).
        """
        sentence_mask = batch.sentence_mask
        age = sentence_ages(sentence_mask, rng, self.config.time_noise, Site.TIME_NOISE)
        sentences, question, trace = self.encode(batch, rng)
        memories = self.add_time(sentences, age)
        queries, _ = self.hops(memories, question, sentence_mask, rng)
        number = torch.arange(sentence_mask.shape[-1], device=sentence_mask.device)
        return MemoryTrajectory(
            contents=self.add_time(sentences.last_table(), age.unsqueeze(1) - age.unsqueeze(2), table=-1),
            keys=self.input_and_output_memories(memories)[-1][0],
            slot_mask=sentence_mask.unsqueeze(1) & (number <= number[:, None]),
            question=queries[-2],
            sentence_mask=sentence_mask,
            trace=trace | {"memories": memories},
            own_answer=lambda: self.decode(queries[-1]),
        )

    def answer(
        self, question: Float[Tensor, "batch dim"], memory: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """Answer by A^(K) (q + u), as after a hop."""
        return self.decode(question + memory)

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        """Return A^(K)."""
        return self.words[:, -1]


@register("smn", colour="#1245C0", marker="s", after="mn")
class SymbolicMemoryNetwork(MemoryNetwork):
    """SMN: memories and question of d + m dims, one alpha per table and word, and the mixture with B^T = A^(K)."""

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.alpha = nn.Parameter(torch.zeros(len(vocabulary.words), config.hops + 1))
        self.time_gate = nn.Parameter(torch.ones(vocabulary.sentences, self.time_tables()))  # alpha_A, alpha_C
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Sentences, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        """Embed sentences and question by both halves; the question's symbols follow its semantic dims."""
        total = batch.symbols.shape[-1]
        table = self.alpha.sigmoid()
        alpha = embed(table, batch.story, unseen=0.5)
        alpha_question = embed(table[:, 0], batch.question, unseen=0.5)
        story_symbols = batch.story_symbols.unsqueeze(-2).expand(alpha.mT.shape)
        symbolic = count_symbols(alpha.mT, story_symbols, total)
        question_symbolic = count_symbols(alpha_question, batch.question_symbols, total)
        sentences, question, trace = super().encode(batch, rng)
        question = torch.cat((question, question_symbolic), -1)
        trace |= {"alpha": alpha, "alpha_question": alpha_question, "query": question}
        return sentences._replace(symbolic=symbolic), question, trace

    def add_time(
        self,
        sentences: Sentences,
        age: Int[Tensor, "batch *now sentence"],
        table: int | slice | Int[Tensor, " memory"] = ALL_TABLES,
    ) -> Float[Tensor, "..."]:
        """Add time vectors to the semantic half and scale the symbolic half by the gate of that time (Eq. 32-33)."""
        assert sentences.symbolic is not None
        gate = self.time_gate[:, table][age.clamp(0, len(self.time_gate) - 1)].unsqueeze(-1)
        return torch.cat((super().add_time(sentences, age, table), sentences.symbolic * gate), -1)

    def decode(self, query: Float[Tensor, "batch dim"]) -> Output:
        """Answer from both halves of u^(K)."""
        semantic, symbolic = query[:, : self.config.dim], query[:, self.config.dim :]
        return Output(project(semantic, self.words[:, -1].mT), symbolic, self.beta, {})
