"""Questions as tensors: word ids, context symbols, buckets of like length.

A word's id is its index in the training vocabulary, from 1; 0 is padding. Words never seen in training get ids above
the vocabulary, by first appearance, so that a symbolic model can answer them. A word's context symbol is its order of
first appearance in story, then question, from 0 (phi in the symbol-shift paper, section 4).
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from symshift.data.question import Question
from symshift.data.words import tokenize

SMALLEST_BUCKET = 32


class Batch(NamedTuple):
    """Questions of one bucket, as ids and context symbols.

    Blank words, sentences and symbols are 0 in every field; `supporting` marks the sentences that support an answer.
    """

    story: Int[Tensor, "*model batch sentence word"]
    story_symbols: Int[Tensor, "*model batch sentence word"]
    question: Int[Tensor, "*model batch question_word"]
    question_symbols: Int[Tensor, "*model batch question_word"]
    symbols: Int[Tensor, "*model batch symbol"]
    answer: Int[Tensor, "*model batch"]
    supporting: Bool[Tensor, "*model batch sentence"]

    def take(self, index: Int[Tensor, "*any"]) -> "Batch":
        """Return the questions at these indices; the index's shape replaces the batch axis."""
        return Batch(*(field[index] for field in self))

    def to(self, device: str | torch.device) -> "Batch":
        """Return the batch on a device."""
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
        """Return the vocabulary of training questions of which at most the last `sentences` sentences are read."""
        words: set[str] = set()
        longest_story = longest_sentence = longest_question = 1
        for question in questions:
            lines = [tokenize(line) for line in question.story[-sentences:]]
            question_words = tokenize(question.question)
            words.update(itertools.chain(*lines, question_words, [question.answer]))
            longest_story = max(longest_story, len(lines))
            longest_sentence = max([longest_sentence, *map(len, lines)])
            longest_question = max(longest_question, len(question_words))
        return cls(tuple(sorted(words)), longest_story, longest_sentence, longest_question)

    def ids(self) -> dict[str, int]:
        """Return the id of each word."""
        return {word: number for number, word in enumerate(self.words, 1)}


@dataclass(frozen=True)
class Encoded:
    """Questions in buckets of like length.

    `words[id]` is the word of an id, `indices[b][i]` the index in the original list of question i of bucket b, `unseen`
    the words that are not in the vocabulary.
    """

    buckets: tuple[Batch, ...]
    indices: tuple[Int[Tensor, "_"], ...]
    words: tuple[str, ...]
    unseen: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of questions."""
        return sum(len(index) for index in self.indices)

    def to(self, device: str | torch.device) -> "Encoded":
        """Return the questions on a device."""
        buckets = tuple(bucket.to(device) for bucket in self.buckets)
        return Encoded(buckets, tuple(index.to(device) for index in self.indices), self.words, self.unseen)


def encode(questions: Sequence[Question], vocabulary: Vocabulary, sentences: int) -> Encoded:
    """Encode questions as tensors.

    A bucket holds the stories whose number of sentences rounds up to the same of 2, 3, 4, 6, 8, 12, 16, 24, ..., and is
    as wide as its own longest story, sentence, question and context. A bucket of fewer than 32 joins the next longer.

    Args:
        questions: the questions.
        vocabulary: the training vocabulary, which decides on ids.
        sentences: read at most so many last sentences of each story.
    """
    ids = vocabulary.ids()
    encoded = [_encode_question(question, sentences, ids) for question in questions]
    groups = _bucket_indices([len(question.story) for question in encoded])
    return Encoded(
        tuple(_batch([encoded[index] for index in group]) for group in groups),
        tuple(torch.tensor(group) for group in groups),
        ("", *ids),
        tuple(ids)[len(vocabulary.words) :],
    )


class _EncodedQuestion(NamedTuple):
    """One question as ids; `symbols` has the context symbol of each id, in order."""

    story: list[list[int]]
    question: list[int]
    symbols: dict[int, int]
    answer: int
    supporting: set[int]


def _encode_question(question: Question, sentences: int, ids: dict[str, int]) -> _EncodedQuestion:
    """Encode a question; words without an id get the next one."""
    lines = [tokenize(line) for line in (*question.story[-sentences:], question.question)]
    for word in itertools.chain(*lines, [question.answer]):
        ids.setdefault(word, len(ids) + 1)
    *story, question_ids = [[ids[word] for word in line] for line in lines]
    symbols: dict[int, int] = {}
    for word_id in itertools.chain(*story, question_ids):
        symbols.setdefault(word_id, len(symbols))
    left_out = max(0, len(question.story) - sentences)
    supporting = {index - left_out for index in question.supporting}
    return _EncodedQuestion(story, question_ids, symbols, ids[question.answer], supporting)


def _bucket_indices(lengths: Sequence[int]) -> list[list[int]]:
    """Group indices by like length, shortest first."""
    by_size: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        by_size.setdefault(_bucket_size(length), []).append(index)
    groups: list[list[int]] = []
    for size in sorted(by_size):
        if groups and len(groups[-1]) < SMALLEST_BUCKET:
            groups[-1] += by_size[size]
        else:
            groups.append(by_size[size])
    if len(groups) > 1 and len(groups[-1]) < SMALLEST_BUCKET:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _bucket_size(length: int) -> int:
    """Return the least of 2, 3, 4, 6, 8, 12, 16, 24, ... that holds so many sentences."""
    size, next_size = 2, 3
    while size < length:
        size, next_size = next_size, 2 * size
    return size


def _batch(questions: Sequence[_EncodedQuestion]) -> Batch:
    """Pad questions to the widest and put them into tensors."""
    sentences = _widest(question.story for question in questions)
    words = max((len(sentence) for question in questions for sentence in question.story), default=1)
    question_words = _widest(question.question for question in questions)
    symbols = _widest(question.symbols for question in questions)

    def padded_story(story: list[list[int]]) -> list[list[int]]:
        rows = [_pad(sentence, words) for sentence in story]
        return rows + [[0] * words] * (sentences - len(rows))

    def as_symbols(line: list[int], question: _EncodedQuestion) -> list[int]:
        return [question.symbols[word_id] for word_id in line]

    return Batch(
        story=torch.tensor([padded_story(question.story) for question in questions]),
        story_symbols=torch.tensor(
            [padded_story([as_symbols(line, question) for line in question.story]) for question in questions]
        ),
        question=torch.tensor([_pad(question.question, question_words) for question in questions]),
        question_symbols=torch.tensor(
            [_pad(as_symbols(question.question, question), question_words) for question in questions]
        ),
        symbols=torch.tensor([_pad(list(question.symbols), symbols) for question in questions]),
        answer=torch.tensor([question.answer for question in questions]),
        supporting=torch.tensor(
            [[index in question.supporting for index in range(sentences)] for question in questions]
        ),
    )


def _widest(rows: Iterable[Sequence[object] | dict[int, int]]) -> int:
    return max([1, *(len(row) for row in rows)])


def _pad(row: list[int], width: int) -> list[int]:
    return row + [0] * (width - len(row))
