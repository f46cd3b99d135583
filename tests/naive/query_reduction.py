"""QRN for one story, sentence by sentence and direction by direction, from Eq. 1-6 of Seo et al. 2017. Only the
parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Reading, stretch


class Twin:
    """The slow twin of a query-reduction network."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network, self.vocabulary = network, vocabulary
        self.column = {word: column for column, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        sentences = [self.embed(sentence, self.vocabulary.words_a_sentence) for sentence in story]
        queries = [self.embed(question, self.vocabulary.words_a_question)] * len(story)
        for _ in range(self.network.config.layers - 1):
            forward = self.direction(sentences, queries, 0)
            backward = self.direction(sentences[::-1], queries[::-1], 1)[::-1]
            queries = [one + other for one, other in zip(forward, backward, strict=True)]
        return Reading(self.column, self.network.projection @ self.direction(sentences, queries)[-1])

    def direction(self, sentences: list[Tensor], queries: list[Tensor], reset: int | None = None) -> list[Tensor]:
        """h after each sentence, in the order of the lists."""
        of, h, after = self.network, torch.zeros_like(queries[0]), []
        for x, q in zip(sentences, queries, strict=True):
            z = torch.sigmoid(of.gate @ (x * q) + of.gate_bias)
            r = 1 if reset is None else torch.sigmoid(of.reset[reset] @ (x * q) + of.reset_bias[reset])
            candidate = torch.tanh(torch.cat((of.from_sentence, of.from_query)).T @ torch.cat((x, q)) + of.bias)
            h = z * r * candidate + (1 - z) * h
            after.append(h)
        return after

    def embed(self, words: list[str], longest: int) -> Tensor:
        """sum_j l_j * A_j, with l_kj = (1 - j/J) - (k/d)(1 - 2j/J)."""
        table = self.network.words
        dim = table.shape[-1]
        part = torch.arange(1, dim + 1) / dim
        places = torch.arange(1, longest + 1) / longest
        weights = torch.stack([(1 - place) - part * (1 - 2 * place) for place in places])
        rows = [table[self.column[word]] if word in self.column else table.new_zeros(dim) for word in words]
        return sum(weight * row for weight, row in zip(stretch(weights.to(table), words), rows, strict=True))
