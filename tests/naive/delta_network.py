"""DeltaNet for one story: each head's memory in full, changed sentence by sentence. Only the parameters are the
network's."""

import torch
from torch import Tensor
from torch.nn.functional import silu

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Reading, stretch
from tests.naive.transformer import norm


class Twin:
    """The slow twin of a DeltaNet."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network = network
        self.column = {word: column for column, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        x = [self.bag(sentence, self.network.sentence_positions) for sentence in story]
        x.append(self.bag(question, self.network.question_positions) + self.network.question_vector)
        for block in self.network.blocks:
            x = self.layer(x, block)
        return Reading(self.column, self.network.projection @ norm(x[-1], self.network.answer_norm))

    def layer(self, x: list[Tensor], block: torch.nn.Module) -> list[Tensor]:
        """All tokens after a layer."""
        of, after = block.memory, []
        u = [norm(token, block.memory_norm) for token in x]
        parts = {name: [silu(t @ getattr(of, name)).chunk(of.heads) for t in u] for name in ("query", "key", "value")}
        size = len(parts["key"][0][0])
        memories = [x[0].new_zeros(size, size) for _ in range(of.heads)]
        for time, token in enumerate(x):
            reads = []
            for head in range(of.heads):
                q, k, v = (parts[name][time][head] for name in ("query", "key", "value"))
                if time < len(x) - 1:  # the question only reads
                    k, strength = unit(k), torch.sigmoid(u[time] @ of.strength[:, head] + of.strength_bias[head])
                    memories[head] = memories[head] + strength * torch.outer(k, v - memories[head].T @ k)
                reads.append(memories[head].T @ unit(q))
            token = token + torch.cat(reads) @ of.output
            forward, hidden = block.feed_forward, norm(token, block.feed_forward_norm)
            hidden = torch.clamp(hidden @ forward.first + forward.first_bias, min=0)
            after.append(token + hidden @ forward.second + forward.second_bias)
        return after

    def bag(self, words: list[str], positions: Tensor) -> Tensor:
        """sum_j A_w(j) * p_j; zero for a word never seen."""
        table = self.network.words
        rows = [table[self.column[word]] if word in self.column else 0 * table[0] for word in words]
        return sum(p * row for row, p in zip(rows, stretch(positions, words), strict=True))


def unit(x: Tensor) -> Tensor:
    return x / torch.sqrt((x**2).sum() + 1e-6)
