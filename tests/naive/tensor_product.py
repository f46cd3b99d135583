"""TPR-RNN, STPR and GSTPR for one story, word by word and sentence by sentence, from the papers' equations.

TPR-RNN: Eq. 10-13 and 34-39 of the symbol-shift paper, with the layer norm after each read as Schlag & Schmidhuber have
it. STPR: Eq. 2-6, 14, 15. GSTPR: ours. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive import tensor_product_memory
from tests.naive.reading import Moment, Reading, context, stretch

HEADS = {"sentence": ("e1", "e2", "r1", "r2", "r3"), "question": ("n", "l1", "l2", "l3")}
WITHOUT = {"tpr-w": ("r2", "r3"), "tpr-wm": ("r3",), "tpr-wb": ("r2",)}


class Twin:
    """The slow twin of a tensor-product network."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network, self.kind = network, kind
        self.column = {word: place for place, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        last = self.unroll(story, question)[-1]
        return self.answer(last.question, sum(last.contents))

    def unroll(self, story: list[list[str]], question: list[str]) -> list[Moment]:
        """The three reads of the memory after each sentence."""
        self.symbols = context(story, question)
        sentences = [self.keys(sentence, "sentence") for sentence in story]
        query = self.keys(question, "question")
        entities = torch.stack([torch.stack((keys["e1"], keys["e2"])) for keys in sentences])
        relations = torch.stack([torch.stack((keys["r1"], keys["r2"], keys["r3"])) for keys in sentences])
        moments, query_relations = [], [query[step] for step in ("l1", "l2", "l3")]
        for time in range(1, len(story) + 1):
            memory = tensor_product_memory.memory_of_story(entities[:time], relations[:time], torch.ones(time))
            at, reads = query["n"], []
            for norm, relation in zip(self.network.norms, query_relations, strict=True):
                at = layer_norm(tensor_product_memory.read(memory, at, relation), norm.gain, norm.bias)
                reads.append(at)
            moments.append(Moment(self.network.words, reads, query_relations, query["n"]))
        return moments

    def answer(self, q: Tensor, h: Tensor) -> Reading:
        """From the reads alone."""
        dim = self.network.projection.shape[-1]
        semantic = self.network.projection @ h[:dim]
        if self.kind.startswith("tpr"):
            return Reading(self.column, semantic)
        return Reading(self.column, semantic, self.symbols, h[dim:], torch.sigmoid(self.network.beta))

    def vector(self, word: str) -> Tensor:
        """A_x; zero for a word never seen."""
        table = self.network.words
        return table[self.column[word]] if word in self.column else table.new_zeros(table.shape[-1])

    def alpha(self, word: str) -> Tensor:
        """How much a word is a symbol; what it was before training for a word never seen."""
        free = self.network.alpha.free
        return torch.sigmoid(free[self.column[word]] if word in self.column else free.new_zeros(()))

    def keys(self, words: list[str], part: str) -> dict[str, Tensor]:
        """The entity and relation vectors of a sentence, or of the question."""
        position = stretch(getattr(self.network, part).position, words)
        s = sum(self.vector(word) * p for word, p in zip(words, position, strict=True))
        keys = {}
        without = WITHOUT.get(self.kind, ())
        for number, head in enumerate(head for head in HEADS[part] if head not in without):
            keys[head] = self.perceptron(getattr(self.network, f"{part}_encoder"), number, s)
            if self.kind == "stpr":
                keys[head] = torch.cat((keys[head], self.symbolic_layers(words, part, number)))
            if self.kind == "gstpr":
                keys[head] = torch.cat((keys[head], self.signed_pointers(words, part, number)))
            norm = torch.linalg.vector_norm(keys[head])
            if self.network.config.keys == "bounded" and norm > 1:
                keys[head] = keys[head] / norm
        return keys | {head: torch.zeros_like(keys["r1"]) for head in HEADS[part] if head in without}

    def perceptron(self, layers: torch.nn.Module, head: int, s: Tensor) -> Tensor:
        """Two layers with tanh."""
        second = [weight for group in layers.second for weight in group]
        second_bias = [bias for group in layers.second_bias for bias in group]
        inside = torch.tanh(s @ layers.first[head] + layers.first_bias[head])
        return torch.tanh(inside @ second[head] + second_bias[head])

    def bag(self, words: list[str], weights: list[Tensor]) -> Tensor:
        """sum_j weight_j e_phi(x_j)."""
        symbols = self.network.words.new_zeros(len(self.symbols))
        for word, weight in zip(words, weights, strict=True):
            one_hot = torch.zeros_like(symbols)
            one_hot[self.symbols.index(word)] = 1
            symbols = symbols + weight * one_hot
        return symbols

    def symbolic_layers(self, words: list[str], part: str, head: int) -> Tensor:
        """tanh((lambda I + gamma 1 1^T) h), twice."""
        layers = {"sentence": self.network.story_symbols, "question": self.network.question_symbols}[part]
        h = self.bag(words, [self.alpha(word) for word in words])
        ones = torch.ones_like(h)
        for own, shared in zip(layers.own, layers.shared, strict=True):
            h = torch.tanh((own[head] * torch.diag(ones) + shared[head] * torch.outer(ones, ones)) @ h)
        return h

    def signed_pointers(self, words: list[str], part: str, head: int) -> Tensor:
        """sum_j alpha_j (a / 2 + b softmax_j(u . A_j + p_j) + c softmax_j(u' . A_j + p'_j)) e_phi(x_j).

        u and p are SHARPNESS times the parameters."""
        layers = {"sentence": self.network.story_pointers, "question": self.network.question_pointers}[part]
        a, b, c = layers.mixture[:, head]
        position = stretch(layers.position, words)

        def pointer(which: int) -> Tensor:
            u = layers.content[:, which, head]
            scores = [u @ self.vector(word) + p[which, head] for word, p in zip(words, position, strict=True)]
            return torch.softmax(layers.SHARPNESS * torch.stack(scores), 0)

        mixtures = a / 2 + b * pointer(0) + c * pointer(1)
        return self.bag(words, [self.alpha(word) * mixture for word, mixture in zip(words, mixtures, strict=True)])


def layer_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """Layer norm with one gain and one bias."""
    return (x - x.mean()) / torch.sqrt(x.var(correction=0) + 1e-7) * gain + bias
