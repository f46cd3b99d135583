"""MN and SMN for one story, word by word and hop by hop, from the papers' equations.

MN: Eq. 7-8 and 30-31 of the symbol-shift paper, sentences and question weighted by position, time counted back from the
question and added once a sentence; where positions are on inputs alone, c_i and the question are bags of words, and one
T_A and one T_C serve all hops. The fixed positions are section 4.1 of Sukhbaatar et al. 2015. SMN: Eq. 9, 32, 33. Only
the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Moment, Reading, context, stretch


class Twin:
    """The slow twin of a memory network. `linear`: without the softmax, as linear start trains it at first."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary, linear: bool = False):
        self.network, self.symbolic, self.linear = network, kind.startswith("smn"), linear
        self.at_input, self.at_question = network.sentence_positions, network.question_positions
        self.at_output = self.at_input
        hops = network.config.hops
        self.time_in, self.time_out = range(hops), range(1, hops + 1)  # the columns of T_A and T_C, by hop
        if kind.endswith("-inputs"):
            self.at_output, self.at_question = map(torch.ones_like, (self.at_input, self.at_question))
            self.time_in, self.time_out = [0] * hops, [1] * hops
        self.column = {word: place for place, word in enumerate(vocabulary.words)}
        self.dim = network.words.shape[-1]

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        return self.decode_output(self.hops(story, question, self.network.config.hops))

    def hops(self, story: list[list[str]], question: list[str], hops: int) -> Tensor:
        """u after so many hops."""
        self.symbols = context(story, question)
        u = self.embed(question, 0, self.at_question)
        for hop in range(hops):
            m = self.memories(story, hop, self.at_input, self.time_in[hop])
            c = self.memories(story, hop + 1, self.at_output, self.time_out[hop])
            scores = torch.stack([memory @ u for memory in m])
            attention = scores if self.linear else torch.softmax(scores, 0)
            u = u + sum(p * memory for p, memory in zip(attention, c, strict=True))
        return u

    def decode_output(self, u: Tensor) -> Reading:
        """The answer from u^(K)."""
        semantic = self.network.words[:, -1] @ u[: self.dim]
        if not self.symbolic:
            return Reading(self.column, semantic)
        return Reading(self.column, semantic, self.symbols, u[self.dim :], torch.sigmoid(self.network.beta))

    def unroll(self, story: list[list[str]], question: list[str]) -> list[Moment]:
        """The output memories of the last hop as the network would have them if it were asked after each sentence."""
        last = self.network.config.hops
        u, keys = self.hops(story, question, last - 1), self.memories(story, last - 1, self.at_input, self.time_in[-1])
        parts = [story[:told] for told in range(1, len(story) + 1)]
        tables = [self.memories(part, last, self.at_output, self.time_out[-1]) for part in parts]
        return [Moment(self.network.words[:, -1], table, keys[: len(table)], u) for table in tables]

    def answer(self, q: Tensor, u: Tensor) -> Reading:
        """As after a hop."""
        return self.decode_output(q + u)

    def memories(self, story: list[list[str]], table: int, positions: Tensor, time: int) -> list[Tensor]:
        """m_i or c_i by a table of words and one of time: the last sentence has time 0."""
        memories = []
        for age, sentence in zip(reversed(range(len(story))), story, strict=True):
            age = min(age, len(self.network.time) - 1)
            memory = self.embed(sentence, table, positions)
            semantic, symbolic = memory[: self.dim] + self.network.time[age, time], memory[self.dim :]
            if self.symbolic:
                symbolic = symbolic * self.network.time_gate[age, time]
            memories.append(torch.cat((semantic, symbolic)))
        return memories

    def embed(self, words: list[str], table: int, positions: Tensor) -> Tensor:
        """sum_j A_x(j) * p_j, beside sum_j alpha_x(j) e_phi(x(j)) where there are symbols."""
        semantic = positions.new_zeros(self.dim)
        symbolic = positions.new_zeros(len(self.symbols) if self.symbolic else 0)
        for word, position in zip(words, stretch(positions, words), strict=True):
            known = word in self.column
            if known:
                semantic = semantic + self.network.words[self.column[word], table] * position
            if self.symbolic:
                free = self.network.alpha[self.column[word], table] if known else torch.zeros_like(semantic[0])
                one_hot = torch.zeros_like(symbolic)
                one_hot[self.symbols.index(word)] = 1
                symbolic = symbolic + torch.sigmoid(free) * one_hot
        return torch.cat((semantic, symbolic))


def sukhbaatar(words: int, dim: int) -> Tensor:
    """l_kj = (1 - j/J) - (k/d) (1 - 2j/J), j and k from 1."""
    rows = [[(1 - j / words) - k / dim * (1 - 2 * j / words) for k in range(1, dim + 1)] for j in range(1, words + 1)]
    return torch.tensor(rows, dtype=torch.float64)
