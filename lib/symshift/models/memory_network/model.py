"""End-to-End Memory Networks (MN) and their symbolic form (SMN).

MN: Sukhbaatar et al. 2015, with adjacent weight tying (Eq. 7-8 of the symbol-shift paper): A^(0) .. A^(K), the question
embedded by A^(0), hop k matched by A^(k) and answered by A^(k+1), the answer read off by A^(K). Linear start and random
time noise are as the authors' code has them. SMN: Eq. 9 and 32-33 there.

Deviations, on purpose: blank sentences take no attention; the time vector of a sentence is added once to its sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.constraints import Count, Rate, Share
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory
from symshift.models.symbolic import Output, count_symbols
from symshift.ops.bag_of_words.function import word_bags
from symshift.ops.functional import embed, mask_logits, position_weighted_sum
from symshift.ops.rng import DropoutSpec, NoRng, Site, StepRng

Told = Sequence[Float[Tensor, "batch ..."]]  # sentences without time: the semantic and, if any, the symbolic half
ALL = slice(None)


@dataclass(frozen=True)
class MemoryNetworkConfig:
    """What a preset sets of a memory network."""

    dim: Count
    hops: Count
    dropout: Rate  # of word vectors
    positions: Literal["fixed", "learned", "none"]  # Sukhbaatar's encoding; TPR-RNN's vectors as in the symbol-shift
    # paper; or these as they start, all alike, so that a sentence is a bag of words
    linear_start: Share  # share of the updates without the softmax of the attention
    time_noise: Share  # blank memories put between sentences in training, at most this share of the story


def position_encoding(words: int, dim: int) -> Float[Tensor, "words dim"]:
    """l_kj = (1 - j/J) - (k/d)(1 - 2j/J), section 4.1 of Sukhbaatar et al., for J words and d dims."""
    j = torch.arange(1, words + 1).unsqueeze(-1) / words
    k = torch.arange(1, dim + 1) / dim
    return (1 - j) - k * (1 - 2 * j)


def ages(
    real: Bool[Tensor, "batch sentence"], rng: StepRng | NoRng, share: float, site: int
) -> Int[Tensor, "batch sentence"]:
    """How many memories lie between each sentence and the question, 0 for the latest.

    Time noise puts up to ceil(share * length) blanks among them, at places drawn without replacement."""
    after = real.flip(-1).cumsum(-1).flip(-1)
    age = (after - 1).clamp(min=0)
    if share == 0 or isinstance(rng, NoRng):
        return age
    batch, sentences = real.shape
    length = after[:, :1]
    most = (length * share).ceil().long()
    slots = sentences + int(-(-sentences * share // 1))
    draws = rng.uniform(site, batch * (slots + 1)).view(batch, slots + 1)
    blanks = (draws[:, -1:] * (most + 1)).long()
    place = torch.arange(slots, device=real.device)
    usable = place < length + blanks
    rank = torch.where(usable, draws[:, :-1], 2.0).argsort(-1).argsort(-1)
    filled = usable & (rank >= blanks)
    slot_of_age = torch.where(filled, place, slots + place).argsort(-1)
    return slot_of_age.gather(-1, age)


class MemoryNetwork(Memory):
    """MN. All tables A^(0) .. A^(K) are looked up at once."""

    Config = MemoryNetworkConfig

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        tables, dim = config.hops + 1, config.dim
        self.words = nn.Parameter(0.1 * torch.randn(len(vocabulary.words), tables, dim, generator=generator))  # A
        times = self.times()
        self.time = nn.Parameter(0.1 * torch.randn(vocabulary.sentences, times, dim, generator=generator))  # T_A, T_C
        lengths = {"sentence": vocabulary.words_a_sentence, "question": vocabulary.words_a_question}
        for name, words in lengths.items():
            alike = torch.full((words, dim), 1 / words)
            if config.positions == "learned":
                setattr(self, f"{name}_positions", nn.Parameter(alike))
            else:
                places = position_encoding(words, dim) if config.positions == "fixed" else alike
                self.register_buffer(f"{name}_positions", places, persistent=False)

    def times(self) -> int:
        """Tables of time: one beside each table of words, as the authors' code has it."""
        return self.config.hops + 1

    def told(self, batch: Batch, rng: StepRng | NoRng) -> Float[Tensor, "batch sentence table dim"]:
        """Each sentence by each table: the sum of its words, placed."""
        return self.bags(batch, self.sentence_positions, rng)

    def bags(
        self, batch: Batch, places: Float[Tensor, "longest dim"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence table dim"]:
        """Each sentence by each table, the words placed so."""
        tables = self.words.shape[1]
        everywhere = places.repeat(1, tables)
        bags = word_bags(
            self.words.flatten(1),
            batch.story,
            everywhere,
            rng,
            units=DropoutSpec(self.config.dropout, Site.SENTENCE_WORDS),
        )
        return bags.unflatten(-1, (tables, -1))

    def aged(
        self, told: Told, age: Int[Tensor, "batch *now sentence"], table: int | slice | list[int] = ALL
    ) -> Float[Tensor, "..."]:
        """Sentences by this table, or by all, with the time since they were told (Eq. 30-31)."""
        return told[0] + self.time[:, table][age.clamp(0, len(self.time) - 1)]

    def asked(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch asked dim"]]:
        """u^(0): the question by A^(0), and its words."""
        words = rng.dropout(embed(self.words[:, 0], batch.question), self.config.dropout, site=Site.QUESTION_WORDS)
        return position_weighted_sum(words, self.question_positions), words

    @property
    def memory_names(self) -> list[str]:
        """What each of a sentence's memories is by: a table, which makes inputs of one hop and outputs of another."""
        return [f"A{table}" for table in range(self.config.hops + 1)]

    def sides(
        self, memories: Float[Tensor, "batch sentence table dim"]
    ) -> tuple[Float[Tensor, "batch sentence hop dim"], Float[Tensor, "batch sentence hop dim"]]:
        """The input memories m^(1) .. m^(K) of the hops, and the output memories c^(1) .. c^(K)."""
        return memories[:, :, :-1], memories[:, :, 1:]

    def hops(
        self,
        memories: Float[Tensor, "batch sentence table dim"],
        u: Float[Tensor, "batch dim"],
        real: Bool[Tensor, "batch sentence"],
        rng: StepRng | NoRng,
    ) -> tuple[list[Float[Tensor, "batch dim"]], Float[Tensor, "batch hop sentence"]]:
        """u^(0) .. u^(K), and the attention of each hop (Eq. 8)."""
        us, attentions = [u], []
        for inputs, outputs in zip(*(side.unbind(2) for side in self.sides(memories)), strict=True):
            scores = torch.einsum("btd,bd->bt", inputs, us[-1])
            attention = mask_logits(scores, real).softmax(-1)
            if isinstance(rng, StepRng):
                attention = torch.where(rng.progress < self.config.linear_start, scores, attention)
            attentions.append(attention * real)
            us.append(us[-1] + torch.einsum("bt,btd->bd", attentions[-1], outputs))
        return us, torch.stack(attentions, 1)

    def encode(self, batch: Batch, rng: StepRng | NoRng) -> tuple[Told, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        """Sentences without their time, and the question; and what to record."""
        question, words = self.asked(batch, rng)
        return (self.told(batch, rng),), question, {"question_words": words, "start": question}

    def decode_output(self, u: Float[Tensor, "batch dim"]) -> Output:
        """The answer from u^(K)."""
        return Output(u @ self.words[:, -1].mT, None, None, {})

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        real = (batch.story > 0).any(-1)
        told, question, trace = self.encode(batch, rng)
        memories = self.aged(told, ages(real, rng, self.config.time_noise, site=Site.TIME_NOISE))
        us, attention = self.hops(memories, question, real, rng)
        return self.decode_output(us[-1])._replace(trace={"attention": attention, "memories": memories} | trace)

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        return (self.config.dim,) * 3

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """A sentence is a slot, from the time it is told. Keys and contents are its memories of the last hop, the
        contents as old as they were at that time; the question is u^(K-1)."""
        real = (batch.story > 0).any(-1)
        age = ages(real, rng, self.config.time_noise, site=Site.TIME_NOISE)
        told, question, trace = self.encode(batch, rng)
        memories = self.aged(told, age)
        us, _ = self.hops(memories, question, real, rng)
        number = torch.arange(real.shape[-1], device=real.device)
        present = real.unsqueeze(1) & (number <= number[:, None])
        contents = self.aged([x[:, None, :, -1] for x in told], age.unsqueeze(1) - age.unsqueeze(2), table=-1)
        keys, answer = self.sides(memories)[0][:, :, -1], lambda: self.decode_output(us[-1])
        return MemoryTrajectory(contents, keys, present, us[-2], real, trace | {"memories": memories}, answer)

    def answer(
        self, question: Float[Tensor, "batch asked"], found: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """A^(K) (q + u), as after a hop."""
        return self.decode_output(question + found)

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        return self.words[:, -1]


class SymbolicMemoryNetwork(MemoryNetwork):
    """SMN: memories and question of d + m dims, alpha a hop and word, and the mixture with B^T = A^(K)."""

    def __init__(self, config: MemoryNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.alpha = nn.Parameter(torch.zeros(len(vocabulary.words), config.hops + 1))
        self.time_gate = nn.Parameter(torch.ones(vocabulary.sentences, self.times()))  # alpha_A, alpha_C
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def aged(
        self, told: Told, age: Int[Tensor, "batch *now sentence"], table: int | slice | list[int] = ALL
    ) -> Float[Tensor, "..."]:
        gate = self.time_gate[:, table][age.clamp(0, len(self.time_gate) - 1)].unsqueeze(-1)
        return torch.cat((super().aged(told, age, table), told[1] * gate), -1)

    def encode(self, batch: Batch, rng: StepRng | NoRng) -> tuple[Told, Float[Tensor, "batch dim"], dict[str, Tensor]]:
        total = batch.symbols.shape[-1]
        table = self.alpha.sigmoid()
        alpha, asked = embed(table, batch.story, 0.5), embed(table[:, 0], batch.question, 0.5)
        places = batch.story_symbols.unsqueeze(-2).expand(alpha.mT.shape)
        symbols = count_symbols(alpha.mT, places, total)
        question = count_symbols(asked, batch.question_symbols, total)
        told, start, trace = super().encode(batch, rng)
        start = torch.cat((start, question), -1)
        return (*told, symbols), start, trace | {"alpha": alpha, "alpha_question": asked, "start": start}

    def decode_output(self, u: Float[Tensor, "batch dim"]) -> Output:
        semantic, symbolic = u[:, : self.config.dim], u[:, self.config.dim :]
        return Output(semantic @ self.words[:, -1].mT, symbolic, self.beta, {})
