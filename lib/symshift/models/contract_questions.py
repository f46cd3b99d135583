"""Questions that training may not have and a test or a person may: with unseen words, or longer."""

import torch
from torch import Tensor

from symshift.data.encoding import Batch, Vocabulary


def unfamiliar_questions(batch: Batch, vocabulary: Vocabulary, sentences: int) -> dict[str, Batch]:
    """Return such questions made from those of a batch, by what is new in them."""
    known = len(vocabulary.words)
    longest_story = max(vocabulary.sentences, min(2 * vocabulary.sentences, sentences))
    longest_line, longest_question = 2 * vocabulary.words_a_sentence, 2 * vocabulary.words_a_question
    unseen = batch._replace(
        story=_above(batch.story, known),
        question=_above(batch.question, known),
        symbols=_above(batch.symbols, known),
        answer=_above(batch.answer, known),
    )
    longer = batch._replace(
        story=_repeated(batch.story, 1, longest_story),
        story_symbols=_repeated(batch.story_symbols, 1, longest_story),
        supporting=_repeated(batch.supporting, 1, longest_story),
    )
    wider = batch._replace(
        story=_repeated(batch.story, 2, longest_line),
        story_symbols=_repeated(batch.story_symbols, 2, longest_line),
        question=_repeated(batch.question, 1, longest_question),
        question_symbols=_repeated(batch.question_symbols, 1, longest_question),
    )
    return {
        f"on a word never seen in training: ids go above {known}, and `ops.functional.embed` reads them": unseen,
        f"on a story longer than those of training, of at most {vocabulary.sentences} sentences": longer,
        "on a sentence or a question longer than those of training": wider,
    }


def _above(ids: Tensor, known: int) -> Tensor:
    """Put an id above the vocabulary for each word."""
    return torch.where(ids > 0, ids + known, 0)


def _repeated(field: Tensor, axis: int, length: int) -> Tensor:
    """Repeat a field along an axis up to this length."""
    return field.index_select(axis, torch.arange(length) % field.shape[axis])
