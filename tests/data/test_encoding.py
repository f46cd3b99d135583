"""Questions as tensors and back."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, tokenize
from symshift.data.encoding import SMALLEST_BUCKET, Vocabulary, encode
from tests.helpers.small import SEEN, UNSEEN, VOCABULARY, encoded, tales
from tests.naive.reading import context

TEXTS = st.lists(st.sampled_from(SEEN + UNSEEN), min_size=1, max_size=5)


def asked(story, question="a b", answer="a"):
    return Question(tuple(story), question, answer, (), 1, "generated")


@settings(max_examples=50, deadline=None)
@given(told=tales())
def test_encode_keeps_words_symbols_and_answers(told):
    questions, batch = encoded(told)
    for row, tale in enumerate(told):
        known = context(tale.story, tale.question)
        lines = [[questions.words[word] for word in line if word] for line in batch.story[row].tolist()]
        assert lines == tale.story + [[]] * (batch.story.shape[1] - len(tale.story))
        assert [questions.words[word] for word in batch.question[row].tolist() if word] == tale.question
        assert questions.words[batch.answer[row]] == tale.answer
        assert [questions.words[word] for word in batch.symbols[row].tolist() if word] == known
        for words, symbols in [(batch.story, batch.story_symbols), (batch.question, batch.question_symbols)]:
            said = words[row] > 0
            assert torch.equal(batch.symbols[row][symbols[row][said]], words[row][said])
            assert (symbols[row][~said] == 0).all()


@settings(max_examples=50, deadline=None)
@given(told=tales())
def test_encode_numbers_unseen_words_after_vocabulary(told):
    questions, _ = encoded(told)
    said = [word for tale in told for word in (*context(tale.story, tale.question), tale.answer)]
    assert questions.words[: len(SEEN) + 1] == ("", *SEEN)
    assert questions.unseen == questions.words[len(SEEN) + 1 :] == tuple(dict.fromkeys(w for w in said if w in UNSEEN))


@settings(max_examples=20, deadline=None)
@given(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=120))
def test_encode_puts_each_question_into_one_bucket(lengths):
    told = encode([asked(["a b"] * length) for length in lengths], VOCABULARY, 70)
    assert sorted(place for places in told.indices for place in places.tolist()) == list(range(len(lengths)))
    assert len(told) == len(lengths)
    for places, bucket in zip(told.indices, told.buckets, strict=True):
        real = (bucket.story > 0).any(-1).sum(-1)
        assert real.tolist() == [lengths[place] for place in places.tolist()]
        assert bucket.story.shape[1] == real.max()
    if len(told.buckets) > 1:
        assert min(map(len, told.indices)) >= SMALLEST_BUCKET


def test_encode_keeps_short_stories_narrow():
    told = encode([asked(["a"] * 3)] * 40 + [asked(["a b c d e"] * 60)] * 40, VOCABULARY, 70)
    assert [tuple(bucket.story.shape) for bucket in told.buckets] == [(40, 3, 1), (40, 60, 5)]


def test_encode_reads_only_last_sentences():
    told = [asked(["x", "a", "b c"])]
    (batch,) = encode(told, VOCABULARY, 2).buckets
    assert batch.story.tolist() == [[[1, 0], [2, 3]]]
    assert "x" in Vocabulary.of(told, 3).words
    assert "x" not in Vocabulary.of(told, 2).words


def test_answers_in_context_stand_there_whenever_they_answer():
    """The wolf is asked for where the story has wolves alone; a word that answers nothing counts as one that does."""
    questions = [
        asked(("Gertrude is a wolf.", "Mice fear wolves."), "What do mice fear?", "wolf"),
        asked(("Mice fear wolves.",), "What do mice fear?", "wolf"),
        asked(("Mary is in the kitchen.",), "Where is Mary?", "kitchen"),
    ]
    vocabulary = Vocabulary.of(questions, 10)
    in_context = encode(questions, vocabulary, 10).answers_in_context().tolist()
    assert [word for word, known in zip(vocabulary.words, in_context, strict=True) if not known] == ["wolf"]


def test_vocabulary_has_words_answers_and_lengths():
    told = [asked(["The cat sat.", "It ran"], "Where is it?", "apple,milk"), asked(["No"], "Who?", "cat")]
    assert Vocabulary.of(told, 70) == Vocabulary(
        ("apple,milk", "cat", "is", "it", "no", "ran", "sat", "the", "where", "who"), 2, 3, 3
    )


@pytest.mark.parametrize("text", ["Where is John?", "where is john", "WHERE, is  john ."])
def test_tokenize_drops_case_and_punctuation(text):
    assert tokenize(text) == ("where", "is", "john")


def test_encode_moves_supporting_facts_with_their_sentences():
    """A fact that is no longer read is none; the others stay with their sentences."""
    question = Question(("a", "b", "c"), "a b", "a", (0, 2), 1, "generated")
    (batch,) = encode([question], VOCABULARY, 2).buckets
    assert batch.story.tolist() == [[[2], [3]]]
    assert batch.supporting.tolist() == [[False, True]]


def test_encode_rounds_lengths_up_to_those_of_buckets():
    questions = [asked(["a"] * length) for length in range(1, 14) for _ in range(SMALLEST_BUCKET)]
    result = encode(questions, VOCABULARY, 70)
    lengths = [sorted({len(questions[index].story) for index in indices.tolist()}) for indices in result.indices]
    assert lengths == [[1, 2], [3], [4], [5, 6], [7, 8], [9, 10, 11, 12], [13]]


def test_encode_leaves_no_small_bucket_at_the_end():
    few = SMALLEST_BUCKET - 1
    result = encode([asked(["a"] * 2)] * SMALLEST_BUCKET + [asked(["a"] * 12)] * few, VOCABULARY, 70)
    assert [len(indices) for indices in result.indices] == [SMALLEST_BUCKET + few]
