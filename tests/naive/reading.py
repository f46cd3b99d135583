"""What the slow twins share: context symbols, positions, and the answer from both halves."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor


def context(story: list[list[str]], question: list[str]) -> list[str]:
    """The words of a story and its question, by first appearance; a word's index is its symbol."""
    seen: list[str] = []
    for word in [word for sentence in story for word in sentence] + question:
        if word not in seen:
            seen.append(word)
    return seen


def stretch(vectors: Tensor, words: list[str]) -> list[Tensor]:
    """A position's vector for each word; words beyond the last position share its vector."""
    return [vectors[min(position, len(vectors) - 1)] for position in range(len(words))]


class Moment(NamedTuple):
    """A memory after a sentence: its slots so far, their keys, and the question.

    `words` has a row for each word of the vocabulary, to embed an answer."""

    words: Tensor
    contents: list[Tensor]
    keys: list[Tensor]
    question: Tensor


@dataclass
class Reading:
    """A twin's answer to a question.

    It has logits of the vocabulary (`column` is a word's index) and, in networks with symbols, of the context's words,
    and beta, the share of the former in the answer."""

    column: dict[str, int]
    semantic: Tensor
    symbols: list[str] | None = None
    symbolic: Tensor | None = None
    beta: Tensor | None = None

    def probability(self, word: str) -> Tensor:
        """p(word) = beta p_sem + (1 - beta) p_sym (Eq. 3-5)."""
        nothing = 0 * self.semantic[0]
        in_vocabulary = word in self.column
        p_semantic = torch.softmax(self.semantic, 0)[self.column[word]] if in_vocabulary else nothing
        if self.symbolic is None:
            return p_semantic
        in_context = word in self.symbols
        p_symbolic = torch.softmax(self.symbolic, 0)[self.symbols.index(word)] if in_context else nothing
        return self.beta * p_semantic + (1 - self.beta) * p_symbolic
