"""The symbolic Transformer for one story, token by token and pair by pair, from its equations.

Only the parameters are the network's. Relative match matrices D are computed for every pair, and every layer for every
token."""

import math

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Reading, context, stretch


class Twin:
    """The slow twin of the symbolic Transformer."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network = network
        self.column = {word: place for place, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        network = self.network
        self.symbols = context(story, question)
        x = [self.vector(question, "question", 0)]
        s = [self.matrix(question, "question")]
        ages = [0, *range(len(story), 0, -1)]
        for sentence, age in zip(story, ages[1:], strict=True):
            x.append(self.vector(sentence, "sentence", age))
            s.append(self.matrix(sentence, "story"))
        for layer in range(network.config.layers):
            x, s = self.layer(x, s, ages, network.layers[layer])
        semantic = network.projection @ norm(x[0], network.answer_norm)
        log_odds = network.beta
        if network.config.mixture == "gated":
            log_odds = log_odds + network.mixture_gate @ norm(x[0], network.answer_norm)
        return Reading(self.column, semantic, self.symbols, network.answer_channels @ s[0], log_odds.sigmoid())

    def layer(
        self, x: list[Tensor], s: list[Tensor], ages: list[int], layer: Tensor
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Both halves of all tokens after a layer."""
        network, tokens = self.network, range(len(x))
        u = [norm(one + layer, network.attention_norm) for one in x]
        unit = [one / torch.sqrt((one**2).sum() + 1e-6) for one in s]
        new_x, new_s = [], []
        for i in tokens:
            update, carried = 0 * x[i], 0 * s[i]
            for head in range(network.config.heads):
                pairs = [unit[i] @ unit[j].T for j in tokens]  # D_ij
                logits = [self.logit(head, u[i], u[j], pairs[j], ages[j] - ages[i]) for j in tokens]
                seen = len(x) if i == 0 or network.config.attention == "all" else i + 1
                shares = [logits[j].exp() * self.left(head, logits[j + 1 : seen]) for j in range(seen)]
                p = [share / sum(shares) for share in shares]
                values = network.heads.value[head] @ network.heads.output[head].T
                relation = network.symbolic_heads.relation.unflatten(1, (network.config.heads, -1))[:, head]
                for j in range(seen):
                    update = update + p[j] * (u[j] @ values) + p[j] * torch.einsum("cd,cdk->k", pairs[j], relation)
                    carried = carried + p[j] * network.symbolic_heads.carry[:, head] @ unit[j]
            attended = x[i] + update
            gate = torch.sigmoid(u[i] @ network.gate + network.gate_bias)
            new_x.append(attended + self.feed_forward(norm(attended, network.feed_forward_norm)))
            new_s.append(s[i] + gate * carried)
        return new_x, new_s

    def left(self, head: int, later: list[Tensor]) -> Tensor | float:
        """What share of a token later ones do not hide."""
        if self.network.config.recency == "none":
            return 1.0
        return math.prod((1 - torch.sigmoid(logit - 3)) ** (3 * self.network.recency[head]) for logit in later)

    def logit(self, head: int, query: Tensor, key: Tensor, pair: Tensor, difference: int) -> Tensor:
        """How well a head matches two tokens."""
        heads, table = self.network.heads, self.network.age_bias.table[head]
        semantic = (query @ heads.query[head]) @ (key @ heads.key[head]) / heads.query.shape[-1] ** 0.5
        symbolic = 4 * (self.network.symbolic_heads.match[head].T * pair).sum()
        longest = len(table) // 2
        return semantic + symbolic + table[longest + max(-longest, min(longest, difference))]

    def feed_forward(self, x: Tensor) -> Tensor:
        """Two layers with ReLU."""
        layers = self.network.feed_forward
        return torch.relu(x @ layers.first + layers.first_bias) @ layers.second + layers.second_bias

    def vector(self, words: list[str], part: str, age: int) -> Tensor:
        """The semantic half of a token: sum_j A_w(j) * p_j + t_age."""
        position = stretch(getattr(self.network, f"{part}_positions"), words)
        ages = self.network.ages
        return sum(self.word(w) * p for w, p in zip(words, position, strict=True)) + ages[min(age, len(ages) - 1)]

    def matrix(self, words: list[str], part: str) -> Tensor:
        """The symbolic half of a token, channel by symbol."""
        layers = getattr(self.network, f"{part}_pointers")
        position = stretch(layers.position, words)
        rows = []
        for channel in range(self.network.config.channels):
            a, b, c = layers.mixture[:, channel]
            pointers = []
            for which in range(2):
                u = layers.content[:, which, channel]
                scores = [u @ self.word(w) + p[which, channel] for w, p in zip(words, position, strict=True)]
                if self.network.config.pointers == "window":
                    window = layers.neighbours[..., which, channel], layers.from_end[:, which, channel]
                    scores = [score + self.window(words, j, *window) for j, score in enumerate(scores)]
                pointers.append(torch.softmax(4 * torch.stack(scores), 0))
            row = self.network.words.new_zeros(len(self.symbols))
            for word, mixture in zip(words, a / 2 + b * pointers[0] + c * pointers[1], strict=True):
                one_hot = torch.zeros_like(row)
                one_hot[self.symbols.index(word)] = 1
                row = row + self.alpha(word) * mixture * one_hot
            rows.append(row)
        return torch.stack(rows)

    def window(self, words: list[str], j: int, neighbours: Tensor, from_end: Tensor) -> Tensor:
        """What the words beside word j, and how far it is from the end, add to its score."""
        score = from_end[min(len(words) - 1 - j, len(from_end) - 1)]
        if j > 0:
            score = score + neighbours[:, 0] @ self.word(words[j - 1])
        if j + 1 < len(words):
            score = score + neighbours[:, 1] @ self.word(words[j + 1])
        return score

    def word(self, word: str) -> Tensor:
        """A_x; zero for a word never seen."""
        table = self.network.words
        return table[self.column[word]] if word in self.column else table.new_zeros(table.shape[-1])

    def alpha(self, word: str) -> Tensor:
        """How much a word is a symbol; what it was before training for a word never seen."""
        free = self.network.alpha.free
        return torch.sigmoid(free[self.column[word]] if word in self.column else free.new_zeros(()))


def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
    """Layer norm with a gain and a bias for each dim."""
    return (x - x.mean()) / torch.sqrt(x.var(correction=0) + layer.eps) * layer.weight + layer.bias
