"""MN and SMN whose word order is in the input memories alone, with one T_A and one T_C.

The symbol-shift paper starts from public code in which positions weigh the words of what a hop matches, m_i, but
neither those of what it answers with, c_i, nor those of the question; all its hops share their time vectors, as in
Eq. 30-33. With it the printed errors of MN come out again where `memory_network` errs less: on tasks that want word
order."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.data.encoding import Batch, Vocabulary
from symshift.models.memory_network.model import ALL, MemoryNetwork, MemoryNetworkConfig, SymbolicMemoryNetwork, Told
from symshift.ops.rng import NoRng, StepRng


class InputPositions(MemoryNetwork):
    """A sentence has 2 K memories: m by A^(0) .. A^(K-1), then c, a bag of words, by A^(1) .. A^(K). Each word of a bag
    weighs one, and so does, where positions are learned, each of m at the start."""

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.both = [*range(config.hops), *range(1, config.hops + 1)]  # the table of each of a sentence's memories,
        self.when = [0] * config.hops + [1] * config.hops  # and that of its time
        del self.question_positions
        self.register_buffer(
            "question_positions", torch.ones(vocabulary.words_a_question, config.dim), persistent=False
        )
        if config.positions == "learned":
            torch.nn.init.ones_(self.sentence_positions)

    def times(self) -> int:
        """T_A and T_C."""
        return 2

    def told(self, batch: Batch, rng: StepRng | NoRng) -> Float[Tensor, "batch sentence memory dim"]:
        inputs = self.bags(batch, self.sentence_positions, rng)[:, :, :-1]
        outputs = self.bags(batch, torch.ones_like(self.sentence_positions), rng)[:, :, 1:]
        return torch.cat((inputs, outputs), 2)

    def encode(self, batch: Batch, rng: StepRng | NoRng) -> tuple[Told, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        (semantic, *symbolic), question, trace = super().encode(batch, rng)
        return (semantic, *(symbols[:, :, self.both] for symbols in symbolic)), question, trace

    def aged(
        self, told: Told, age: Int[Tensor, "batch *now sentence"], table: int | slice | list[int] = ALL
    ) -> Float[Tensor, "..."]:
        return super().aged(told, age, self.when if table == ALL else table)

    @property
    def memory_names(self) -> list[str]:
        hops = range(1, self.config.hops + 1)
        return [*(f"m{hop}" for hop in hops), *(f"c{hop}" for hop in hops)]

    def sides(
        self, memories: Float[Tensor, "batch sentence memory dim"]
    ) -> tuple[Float[Tensor, "batch sentence hop dim"], Float[Tensor, "batch sentence hop dim"]]:
        inputs, outputs = memories.chunk(2, 2)
        return inputs, outputs


class SymbolicInputPositions(InputPositions, SymbolicMemoryNetwork):
    """SMN with word order in the input memories alone."""
