"""Questions as tensors: word ids, context symbols, buckets of like length.

A word's id is its index in the training vocabulary, from 1; 0 is padding. Words never seen in training get ids above
the vocabulary, by first appearance, so that a symbolic model can answer them. A word's context symbol is its order of
first appearance in story, then question, from 0 (phi in the symbol-shift paper, section 4).
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from symshift.data.answer_items import END, ask_items
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

    @property
    def sentence_mask(self) -> Bool[Tensor, "*model batch sentence"]:
        """Which sentences are real."""
        return (self.story > 0).any(-1)

    def take(self, index: Int[Tensor, "*any"]) -> "Batch":
        """Return the questions at these indices; the index's shape replaces the batch axis."""
        return Batch(*(field[index] for field in self))

    def to(self, device: str | torch.device) -> "Batch":
        """Return the batch on a device."""
        return Batch(*(field.to(device) for field in self))


@dataclass(frozen=True)
class Vocabulary:
    """What a model must know of its training stories.

    Attributes:
        words: The words, answers included, sorted.
        sentences: Length of the longest story, in sentences.
        words_a_sentence: Length of the longest sentence, in words.
        words_a_question: Length of the longest question, in words.
    """

    words: tuple[str, ...]
    sentences: int
    words_a_sentence: int
    words_a_question: int

    @classmethod
    def of(cls, questions: Sequence[Question], sentences: int, by_item: bool = False) -> "Vocabulary":
        """Return the vocabulary of training questions.

        Args:
            questions: The questions.
            sentences: Read at most so many last sentences of each story.
            by_item: Whether answers are said item by item.
        """
        questions = [step for question in questions for step in ask_items(question)] if by_item else questions
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

    @property
    def by_item(self) -> bool:
        """Whether answers are said item by item."""
        return END in self.words

    def ids(self) -> dict[str, int]:
        """Return the id of each word."""
        return {word: number for number, word in enumerate(self.words, 1)}


@dataclass(frozen=True)
class EncodedQuestions:
    """Questions in buckets of like length.

    `words[id]` is the word of an id, `indices[b][i]` the index in the original list of question i of bucket b, `unseen`
    the words that are not in the vocabulary; the empty answer of a question without one is among these. Where answers
    are said item by item, the questions for the items of an answer lie in one bucket, and all have the index of theirs.
    """

    buckets: tuple[Batch, ...]
    indices: tuple[Int[Tensor, "_"], ...]
    words: tuple[str, ...]
    unseen: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of original questions."""
        return 1 + max((int(index.max()) for index in self.indices), default=-1)

    def answers_in_context(self) -> Bool[Tensor, " word"]:
        """Return for each word, from id 1 on, whether each story and question of which it is the answer has it.

        It is so for a word that is no answer.
        """
        in_context = torch.ones(len(self.words), dtype=torch.bool)
        for bucket in self.buckets:
            absent = (bucket.symbols != bucket.answer.unsqueeze(-1)).all(-1)
            in_context[bucket.answer[absent]] = False
        return in_context[1:]

    def to(self, device: str | torch.device) -> "EncodedQuestions":
        """Return the questions on a device."""
        buckets = tuple(bucket.to(device) for bucket in self.buckets)
        return EncodedQuestions(buckets, tuple(index.to(device) for index in self.indices), self.words, self.unseen)


def encode(questions: Sequence[Question], vocabulary: Vocabulary, sentences: int) -> EncodedQuestions:
    """Encode questions as tensors.

    A bucket holds the stories whose number of sentences rounds up to the same of 2, 3, 4, 6, 8, 12, 16, 24, ..., and is
    as wide as its own longest story, sentence, question and context. A bucket of fewer than 32 joins the next longer,
    and the last one joins the one before.

    Args:
        questions: The questions.
        vocabulary: The training vocabulary, which decides on ids, and on whether a question with a known answer is
            asked for each of its items.
        sentences: Read at most so many last sentences of each story.
    """
    ids = vocabulary.ids()
    lines = _Lines(ids)
    steps = [ask_items(question) if vocabulary.by_item and question.answer else [question] for question in questions]
    index = [number for number, parts in enumerate(steps) for _ in parts]
    encoded = [_encode_question(part, sentences, lines) for parts in steps for part in parts]
    groups = _bucket_indices([len(question.story) for question in encoded])
    return EncodedQuestions(
        tuple(_batch([encoded[row] for row in group], lines.ids_of) for group in groups),
        tuple(torch.tensor([index[row] for row in group]) for group in groups),
        ("", *ids),
        tuple(ids)[len(vocabulary.words) :],
    )


class _Lines:
    """The different lines of all questions as word ids; line 0 is blank. A word without an id gets the next one."""

    def __init__(self, ids: dict[str, int]) -> None:
        self.ids, self.numbers = ids, {"": 0}
        self.ids_of: list[list[int]] = [[]]

    def number(self, line: str) -> int:
        """Return the number of a line; many questions share one."""
        if line not in self.numbers:
            self.numbers[line] = len(self.ids_of)
            self.ids_of.append([self.word(word) for word in tokenize(line)])
        return self.numbers[line]

    def word(self, word: str) -> int:
        """Return the id of a word."""
        return self.ids.setdefault(word, len(self.ids) + 1)


class _EncodedQuestion(NamedTuple):
    """One question: numbers of its lines, ids of its words by first appearance, the id of its answer."""

    story: list[int]
    question: int
    symbols: list[int]
    answer: int
    supporting: list[int]


def _encode_question(question: Question, sentences: int, lines: _Lines) -> _EncodedQuestion:
    """Encode a question."""
    numbers = [lines.number(line) for line in (*question.story[-sentences:], question.question)]
    answer = lines.word(question.answer)
    symbols = dict.fromkeys(itertools.chain(*[lines.ids_of[number] for number in numbers]))
    *story, question_line = numbers
    left_out = len(question.story) - len(story)
    supporting = [index - left_out for index in question.supporting if left_out <= index < len(question.story)]
    return _EncodedQuestion(story, question_line, list(symbols), answer, supporting)


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


def _batch(questions: Sequence[_EncodedQuestion], lines: list[list[int]]) -> Batch:
    """Pad questions to the widest and put them into tensors."""
    story = _padded([question.story for question in questions])
    longest = max(len(lines[number]) for number in np.unique(story))
    story_words = _padded(lines)[:, :longest]
    question_words = _padded([lines[question.question] for question in questions])
    symbols = _padded([question.symbols for question in questions])
    story_ids = story_words[story]
    story_symbols, question_symbols = np.zeros_like(story_ids), np.zeros_like(question_words)
    largest_id = max(itertools.chain(*lines), default=0)
    symbol_of = np.zeros(largest_id + 1, np.int64)  # of each word id in the question at hand
    supporting = np.zeros(story.shape, bool)
    for row, question in enumerate(questions):
        symbol_of[question.symbols] = np.arange(len(question.symbols))
        story_symbols[row] = symbol_of[story_ids[row]]
        question_symbols[row] = symbol_of[question_words[row]]
        supporting[row, question.supporting] = True
    answer = np.array([question.answer for question in questions])
    fields = (story_ids, story_symbols, question_words, question_symbols, symbols, answer, supporting)
    return Batch(*map(torch.from_numpy, fields))


def _padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Return rows as an array, zeros behind the shorter ones."""
    padded = np.zeros((len(rows), max([1, *map(len, rows)])), np.int64)
    for row, values in zip(padded, rows, strict=True):
        row[: len(values)] = values
    return padded
