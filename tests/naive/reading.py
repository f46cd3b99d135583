"""What the slow twins share: context symbols, positions, and the answer from both halves."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor


def context(story: list[list[str]], question: list[str]) -> list[str]:
    """The words of a story and its question, by first appearance; a word's place is its symbol."""
    seen: list[str] = []
    for word in [word for sentence in story for word in sentence] + question:
        if word not in seen:
            seen.append(word)
    return seen


def stretch(vectors: Tensor, words: list[str]) -> list[Tensor]:
    """A position's vector for each word; words beyond the last position share its vector."""
    return [vectors[min(place, len(vectors) - 1)] for place in range(len(words))]


class Moment(NamedTuple):
    """A memory after a sentence: the slots there are by then, their keys, and the question. `words`: a row each known
    word, to read an answer by."""

    words: Tensor
    contents: list[Tensor]
    keys: list[Tensor]
    question: Tensor


@dataclass
class Reading:
    """What a twin says of a question: logits of the known words (`column` is a word's place) and, where it has symbols,
    of the context's words, and beta, the share of the former in the answer."""

    column: dict[str, int]
    semantic: Tensor
    symbols: list[str] | None = None
    symbolic: Tensor | None = None
    beta: Tensor | None = None

    def probability(self, word: str) -> Tensor:
        """p(word) = beta p_sem + (1 - beta) p_sym (Eq. 3-5)."""
        known, nothing = word in self.column, 0 * self.semantic[0]
        p_semantic = torch.softmax(self.semantic, 0)[self.column[word]] if known else nothing
        if self.symbolic is None:
            return p_semantic
        here = word in self.symbols
        p_symbolic = torch.softmax(self.symbolic, 0)[self.symbols.index(word)] if here else nothing
        return self.beta * p_semantic + (1 - self.beta) * p_symbolic
