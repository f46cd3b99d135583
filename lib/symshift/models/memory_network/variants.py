"""MN and SMN whose word order is in the input memories alone, with one T_A and one T_C: a reading of the paper.

The symbol-shift paper starts from public code in which position weights act on the words of what a hop matches, m_i,
but neither on those of what it answers with, c_i, nor on those of the question; all its hops share their time vectors,
as in Eq. 30-33. With it the printed errors of MN come out again where `MemoryNetwork` errs less: on tasks that need
word order.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.data.encoding import Batch, Vocabulary
from symshift.models.memory_network.model import (
    ALL_TABLES,
    MemoryNetwork,
    MemoryNetworkConfig,
    Sentences,
    SymbolicMemoryNetwork,
)
from symshift.models.registry import register
from symshift.ops.rng import NoRng, StepRng


@register("mn-inputs", family="mn")
class InputPositions(MemoryNetwork):
    """MN with 2 K memories a sentence: m by A^(0) .. A^(K-1), then c, a bag of words, by A^(1) .. A^(K).

    Each word of a bag weighs one, and so does, where positions are learned, each of m at the start.
    """

    table_of_memory: Tensor
    time_of_memory: Tensor

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        # tensors: a list as an index is copied from the host, which a CUDA graph cannot do
        tables = [*range(config.hops), *range(1, config.hops + 1)]
        self.register_buffer("table_of_memory", torch.tensor(tables), persistent=False)
        times = [0] * config.hops + [1] * config.hops
        self.register_buffer("time_of_memory", torch.tensor(times), persistent=False)
        del self.question_positions
        ones = torch.ones(vocabulary.words_a_question, config.dim)
        self.register_buffer("question_positions", ones, persistent=False)
        if config.positions == "learned":
            torch.nn.init.ones_(self.sentence_positions)

    def time_tables(self) -> int:
        """Count T_A and T_C."""
        return 2

    def embed_sentences(self, batch: Batch, rng: StepRng | NoRng) -> Float[Tensor, "batch sentence memory dim"]:
        """Embed each sentence with position weights as inputs of the hops, and as bags of words as outputs."""
        inputs = self.bags(batch, self.sentence_positions, rng)[:, :, :-1]
        outputs = self.bags(batch, torch.ones_like(self.sentence_positions), rng)[:, :, 1:]
        return torch.cat((inputs, outputs), 2)

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Sentences, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        """Embed sentences and question; the symbols of a memory are those of its table."""
        sentences, question, trace = super().encode(batch, rng)
        if sentences.symbolic is not None:
            sentences = sentences._replace(symbolic=sentences.symbolic[:, :, self.table_of_memory])
        return sentences, question, trace

    def add_time(
        self,
        sentences: Sentences,
        age: Int[Tensor, "batch *now sentence"],
        table: int | slice | Int[Tensor, " memory"] = ALL_TABLES,
    ) -> Float[Tensor, "..."]:
        """Add T_A to inputs and T_C to outputs."""
        return super().add_time(sentences, age, self.time_of_memory if table == ALL_TABLES else table)

    @property
    def memory_names(self) -> list[str]:
        """Label of each memory of a sentence; here hops count from 1."""
        hops = range(1, self.config.hops + 1)
        return [*(f"m{hop}" for hop in hops), *(f"c{hop}" for hop in hops)]

    def input_and_output_memories(
        self, memories: Float[Tensor, "batch sentence memory dim"]
    ) -> list[tuple[Float[Tensor, "batch sentence dim"], Float[Tensor, "batch sentence dim"]]]:
        """Return what each hop matches, and what it answers with."""
        hops, each = self.config.hops, memories.unbind(2)
        return list(zip(each[:hops], each[hops:], strict=True))


@register("smn-inputs", family="smn")
class SymbolicInputPositions(InputPositions, SymbolicMemoryNetwork):
    """SMN with word order in the input memories alone."""
