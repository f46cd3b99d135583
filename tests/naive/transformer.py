"""The Transformers for one story, token by token and head by head, from the equations of their papers. Only the
parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from symshift.ops.hashing import hash_bits
from symshift.ops.rng import Site
from tests.naive.reading import Reading, context, stretch


class Twin:
    """The slow twin of a Transformer of any kind."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network, self.kind = network, kind
        self.column = {word: column for column, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        self.symbols, network = context(story, question), self.network
        bags = [self.bag(question, network.question_positions)]
        bags += [self.bag(sentence, network.sentence_positions) for sentence in story]
        ages = [network.ages[min(age, len(network.ages) - 1)] for age in (0, *range(len(story), 0, -1))]
        x = [bag + age for bag, age in zip(bags, ages, strict=True)]
        x = self.halting(x, ages) if self.kind == "ut-halting" else self.all_layers(x, ages)
        answer = norm(x[0], network.answer_norm)
        semantic = network.projection @ answer
        if self.kind != "lexinv":
            return Reading(self.column, semantic)
        matched = [self.vector(word) @ (network.matching.T @ answer) / len(answer) ** 0.5 for word in self.symbols]
        return Reading(self.column, semantic, self.symbols, torch.stack(matched), network.beta.sigmoid())

    def all_layers(self, x: list[Tensor], ages: list[Tensor]) -> list[Tensor]:
        for number in range(self.network.config.layers):
            x = self.layer(x, ages, number)
        return x

    def halting(self, x: list[Tensor], ages: list[Tensor]) -> list[Tensor]:
        """Each token moves by its halting probabilities until their sum is above the threshold."""
        network, sums = self.network, [0 * token[0] for token in x]
        for number in range(network.config.layers):
            updated, before = self.layer(x, ages, number), x
            x = []
            for i, token in enumerate(before):
                p = torch.sigmoid(network.halting @ token + network.halting_bias)
                if sums[i] >= 1:
                    share, sums[i] = 0 * p, sums[i]
                elif sums[i] + p > network.config.threshold:
                    share, sums[i] = 1 - sums[i], 1 + 0 * p
                else:
                    share, sums[i] = p, sums[i] + p
                x.append(share * updated[i] + (1 - share) * token)
        return x

    def layer(self, x: list[Tensor], ages: list[Tensor], number: int) -> list[Tensor]:
        """All tokens after a layer."""
        if self.kind in ("ut", "ut-halting"):
            block = self.network.block
            x = [token + age + self.network.steps[number] for token, age in zip(x, ages, strict=True)]
        else:
            block = self.network.blocks[number]
        u, after = [norm(token, block.attention_norm) for token in x], []
        for i, token in enumerate(x):
            attended = token
            for head in range(len(block.heads.query)):
                query, key, value, output = (
                    getattr(block.heads, name)[head] for name in ("query", "key", "value", "output")
                )
                logits = [(u[i] @ query) @ (other @ key) / query.shape[-1] ** 0.5 for other in u]
                p = torch.softmax(torch.stack(logits), 0)
                mixed = sum(share * (other @ value) for share, other in zip(p, u, strict=True))
                attended = attended + output @ mixed
            of, hidden = block.feed_forward, norm(attended, block.feed_forward_norm)
            hidden = torch.clamp(hidden @ of.first + of.first_bias, min=0)
            after.append(attended + hidden @ of.second + of.second_bias)
        return after

    def bag(self, words: list[str], positions: Tensor) -> Tensor:
        """sum_j A_w(j) * p_j."""
        return sum(p * self.vector(word) for word, p in zip(words, stretch(positions, words), strict=True))

    def vector(self, word: str) -> Tensor:
        """A_w, zero for a word never seen; for lexinv the signs of its symbol."""
        if self.kind == "lexinv":
            return self.signs(self.symbols.index(word))
        table = self.network.words
        return table[self.column[word]] if word in self.column else table.new_zeros(table.shape[-1])

    def signs(self, symbol: int) -> Tensor:
        """The bits of a symbol's hashes, lowest first, as -1 and 1."""
        dim = self.network.config.dim
        hashes, key = -(-dim // 32), torch.zeros(2, dtype=torch.int32)
        numbers = torch.arange(symbol * hashes, (symbol + 1) * hashes)
        bits = [
            hash_bits(key, Site.RANDOM_VECTORS, number).item() >> bit & 1 for number in numbers for bit in range(32)
        ]
        return torch.tensor([1 if bit else -1 for bit in bits[:dim]]).to(self.network.ages)


def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
    """Layer norm with gain and bias."""
    centred = x - x.mean()
    return centred / torch.sqrt((centred**2).mean() + layer.eps) * layer.weight + layer.bias
