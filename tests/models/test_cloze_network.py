"""The entity network that chooses among candidates: what holds of it besides what holds of every network."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import CHOOSING, SEEN, UNSEEN, Tale, encoded, network, tales

NOISE = StepRng(fold_in([0], 0)[0], torch.tensor(0.0))
OTHERS = dict(zip(UNSEEN, "uvw", strict=True))


def probabilities(net, questions, rng=NO_RNG):
    """The probability of each word, question by question."""
    encoded_questions, batch = encoded(questions)
    with torch.no_grad():
        both = sum(net(batch, rng).component_probabilities(batch.symbols, len(encoded_questions.words)))
    return [dict(zip(encoded_questions.words[1:], row, strict=True)) for row in both[:, 1:].tolist()]


def rewritten(questions, story=lambda lines: lines, word=lambda word: word):
    """The same questions with another story or other words."""
    return [
        Tale([list(map(word, line)) for line in story(t.story)], list(map(word, t.question)), word(t.answer))
        for t in questions
    ]


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(questions=tales())
def test_answers_are_candidates(preset, questions):
    """Words that are no candidates have no probability."""
    for t, chance in zip(questions, probabilities(network(preset), questions), strict=True):
        assert {word for word, share in chance.items() if share > 0} == set(t.story[0])


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(questions=tales(SEEN), data=st.data())
def test_order_and_count_of_candidates_do_not_matter(preset, questions, data):
    """Shuffling the candidates, or listing one twice, changes no probability."""

    def shuffled(story):
        return [data.draw(st.permutations(story[0] + story[0][:1])), *story[1:]]

    net = network(preset)
    for one, other in zip(
        probabilities(net, questions), probabilities(net, rewritten(questions, shuffled)), strict=True
    ):
        assert one == pytest.approx({word: other.get(word, 0) for word in one})


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(questions=tales())
def test_unseen_words_can_be_renamed(preset, questions):
    """Renaming words outside the vocabulary renames the answer and changes no probability."""
    renamed = rewritten(questions, word=lambda word: OTHERS.get(word, word))
    net = network(preset)
    for one, other in zip(probabilities(net, questions), probabilities(net, renamed), strict=True):
        assert {OTHERS.get(word, word): chance for word, chance in one.items() if chance} == pytest.approx(
            {word: chance for word, chance in other.items() if chance}
        )


@pytest.mark.parametrize("preset", CHOOSING)
def test_unseen_candidates_differ(preset):
    """Two candidates outside the vocabulary have different probabilities."""
    (chance,) = probabilities(network(preset), [Tale([["x", "y", "a"], ["a", "x", "b"]], ["b", "c"], "x")])
    assert abs(chance["x"] - chance["y"]) > 1e-3


@pytest.mark.parametrize("preset", CHOOSING)
def test_hidden_word_is_like_an_unseen_word(preset):
    """With all words hidden, a story is answered like one of unseen words."""
    net = network(preset, dropout=0.0, word_dropout=0.9999)
    story = [["b", "c"], ["d", "b", "e"], ["a", "c"]]
    (hidden,) = probabilities(net, [Tale(story, ["a", "d"], "b")], NOISE)
    (unseen,) = probabilities(net, [Tale([["x", "y"], ["z", "x", "z"], ["z", "y"]], ["z", "z"], "x")])
    assert [hidden["b"], hidden["c"]] == pytest.approx([unseen["x"], unseen["y"]])
