"""EntNet for one story, slot by slot and sentence by sentence, from Eq. 1-7 of Henaff et al. 2017, with the gate's bias
of the authors' code. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Moment, Reading, stretch


class Twin:
    """The slow twin of an entity network."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network, self.simple = network, kind == "entnet-simple"
        self.column = {word: column for column, word in enumerate(vocabulary.words)}
        if kind == "entnet-tied":
            self.keys = [self.vector(word) for word in network.config.entities.split() if word in self.column]
        else:
            self.keys = list(network.own_keys)

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        _, slots, _, q = self.unroll(story, question)[-1]
        p = torch.softmax(torch.stack([q @ h for h in slots]), 0)
        return self.answer(q, sum(share * h for share, h in zip(p, slots, strict=True)))

    def unroll(self, story: list[list[str]], question: list[str]) -> list[Moment]:
        q = self.embed(question, self.network.question_encoder.position)
        return [Moment(self.network.words, slots, self.keys, q) for slots in self.slots(story)]

    def answer(self, q: Tensor, u: Tensor) -> Reading:
        """R phi(q + H u)."""
        return Reading(self.column, self.network.projection @ self.phi(q + self.network.weight_h @ u))

    def vector(self, word: str) -> Tensor:
        """e; zero for a word never seen."""
        table = self.network.words
        return table[self.column[word]] if word in self.column else table.new_zeros(table.shape[-1])

    def embed(self, words: list[str], mask: Tensor) -> Tensor:
        """sum_i f_i * e_i."""
        return sum(f * self.vector(word) for word, f in zip(words, stretch(mask, words), strict=True))

    def phi(self, x: Tensor) -> Tensor:
        return torch.nn.functional.prelu(x[None], self.network.slope)[0]

    def slots(self, story: list[list[str]]) -> list[list[Tensor]]:
        """h_j after each sentence."""
        after, slots = [], [w / torch.linalg.vector_norm(w) for w in self.keys]
        for sentence in story:
            s = self.embed(sentence, self.network.sentence_encoder.position)
            slots = [self.cell(h, w, b, s) for h, w, b in zip(slots, self.keys, self.network.gate_bias, strict=True)]
            after.append(slots)
        return after

    def cell(self, h: Tensor, w: Tensor, b: Tensor, s: Tensor) -> Tensor:
        """One slot after one sentence."""
        gate = torch.sigmoid(s @ h + s @ w + b)
        if self.simple:
            candidate = s
        else:
            of = self.network
            candidate = self.phi(of.weight_u @ h + of.weight_v @ w + of.weight_w @ s + of.bias)
        h = h + gate * candidate
        return h / torch.linalg.vector_norm(h)
