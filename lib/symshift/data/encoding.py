"""Questions as tensors: word ids, context symbols, buckets of like length.

A word's id is its place in the training vocabulary, from 1; 0 is padding. Words never seen in training get ids of their
own above the vocabulary, by first appearance, so that they can be answered by a symbolic model. A word's context symbol
is its order of first appearance in story, then question, from 0 (phi in the symbol-shift paper, section 4).
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from symshift.data.question import Question, tokenize

SMALLEST_BUCKET = 32


class Batch(NamedTuple):
    """Questions of one bucket. Blank words, sentences and symbols are 0 in every field. `supporting` marks the
    sentences that support the answer."""

    story: Int[Tensor, "*stack batch sentence word"]
    story_symbols: Int[Tensor, "*stack batch sentence word"]
    question: Int[Tensor, "*stack batch asked"]
    question_symbols: Int[Tensor, "*stack batch asked"]
    symbols: Int[Tensor, "*stack batch symbol"]
    answer: Int[Tensor, "*stack batch"]
    supporting: Bool[Tensor, "*stack batch sentence"]

    def take(self, index: Int[Tensor, "*any"]) -> "Batch":
        """The questions at these places; the index's shape takes the batch axis' place."""
        return Batch(*(field[index] for field in self))

    def to(self, device: str | torch.device) -> "Batch":
        return Batch(*(field.to(device) for field in self))


@dataclass(frozen=True)
class Vocabulary:
    """What a model must know of its training stories: the words, answers included, and the longest lengths."""

    words: tuple[str, ...]
    sentences: int
    words_a_sentence: int
    words_a_question: int

    @classmethod
    def of(cls, questions: Sequence[Question], sentences: int) -> "Vocabulary":
        """The vocabulary of training questions of which at most the last `sentences` sentences are read."""
        words: dict[str, None] = {}
        longest = asked = story = 1
        for question in questions:
            lines = [tokenize(line) for line in question.story[-sentences:]]
            words.update(dict.fromkeys(word for line in lines for word in line))
            words.update(dict.fromkeys((*tokenize(question.question), question.answer)))
            longest = max(longest, *(len(line) for line in lines)) if lines else longest
            asked, story = max(asked, len(tokenize(question.question))), max(story, len(lines))
        return cls(tuple(sorted(words)), story, longest, asked)

    def ids(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words, 1)}


@dataclass(frozen=True)
class Encoded:
    """Questions in buckets of like length. `words[id]` is the word of an id, `places[b][i]` the place in the original
    list of question i of bucket b, `unseen` the words that the vocabulary does not know."""

    buckets: tuple[Batch, ...]
    places: tuple[Int[Tensor, "_"], ...]
    words: tuple[str, ...]
    unseen: tuple[str, ...]

    def __len__(self) -> int:
        return sum(len(place) for place in self.places)

    def to(self, device: str | torch.device) -> "Encoded":
        buckets = tuple(bucket.to(device) for bucket in self.buckets)
        return Encoded(buckets, tuple(place.to(device) for place in self.places), self.words, self.unseen)


def encode(questions: Sequence[Question], vocabulary: Vocabulary, sentences: int) -> Encoded:
    """All questions as tensors, reading at most the last `sentences` sentences of each story.

    A bucket holds the stories whose number of sentences rounds up to the same of 2, 3, 4, 6, 8, 12, 16, 24, ..., and is
    as wide as its own longest story, sentence, question and context. One of fewer than 32 joins the next longer."""
    ids = vocabulary.ids()
    lines = [_Lines.of(question, sentences, ids) for question in questions]
    groups = _groups([len(line.story) for line in lines])
    return Encoded(
        tuple(_stack([lines[place] for place in group]) for group in groups),
        tuple(torch.tensor(group) for group in groups),
        ("", *ids),
        tuple(ids)[len(vocabulary.words) :],
    )


class _Lines(NamedTuple):
    """One question as ids; context symbols are the keys of `symbols`, in order."""

    story: list[list[int]]
    question: list[int]
    symbols: dict[int, int]
    answer: int
    supporting: set[int]

    @classmethod
    def of(cls, question: Question, sentences: int, ids: dict[str, int]) -> "_Lines":
        lines = [tokenize(line) for line in (*question.story[-sentences:], question.question)]
        for word in itertools.chain(*lines, [question.answer]):
            ids.setdefault(word, len(ids) + 1)
        *story, asked = [[ids[word] for word in line] for line in lines]
        symbols: dict[int, int] = {}
        for word in (*(word for line in story for word in line), *asked):
            symbols.setdefault(word, len(symbols))
        left_out = max(0, len(question.story) - sentences)
        supporting = {fact - left_out for fact in question.supporting}
        return cls(story, asked, symbols, ids[question.answer], supporting)


def _groups(lengths: list[int]) -> list[list[int]]:
    """Places of like length, shortest first."""
    sizes: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        sizes.setdefault(_rounded(length), []).append(place)
    groups: list[list[int]] = []
    for size in sorted(sizes):
        if groups and len(groups[-1]) < SMALLEST_BUCKET:
            groups[-1] += sizes[size]
        else:
            groups.append(sizes[size])
    if len(groups) > 1 and len(groups[-1]) < SMALLEST_BUCKET:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _rounded(length: int) -> int:
    """The least of 2, 3, 4, 6, 8, 12, 16, 24, ... that holds so many sentences."""
    size, half = 2, 3
    while size < length:
        size, half = half, 2 * size
    return size


def _stack(lines: list[_Lines]) -> Batch:
    sentences = max(1, *(len(line.story) for line in lines))
    words = max((len(sentence) for line in lines for sentence in line.story), default=1)
    asked = max(1, *(len(line.question) for line in lines))
    symbols = max(1, *(len(line.symbols) for line in lines))

    def padded(row: list[int], width: int) -> list[int]:
        return row + [0] * (width - len(row))

    def story(line: _Lines, number: dict[int, int] | None = None) -> list[list[int]]:
        rows = [padded([number[w] if number else w for w in s], words) for s in line.story]
        return rows + [[0] * words] * (sentences - len(rows))

    return Batch(
        torch.tensor([story(line) for line in lines]),
        torch.tensor([story(line, line.symbols) for line in lines]),
        torch.tensor([padded(line.question, asked) for line in lines]),
        torch.tensor([padded([line.symbols[word] for word in line.question], asked) for line in lines]),
        torch.tensor([padded(list(line.symbols), symbols) for line in lines]),
        torch.tensor([line.answer for line in lines]),
        torch.tensor([[sentence in line.supporting for sentence in range(sentences)] for line in lines]),
    )
