"""What holds of the network that chooses among candidates, beside what holds of every network."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import CHOOSING, SEEN, UNSEEN, Told, encoded, network, tales

NOISE = StepRng(fold_in(torch.tensor(0), torch.tensor(0)), torch.tensor(0.0))
OTHERS = dict(zip(UNSEEN, "uvw", strict=True))


def chances(net, told, rng=NO_RNG):
    """The probability of each word, question by question."""
    questions, batch = encoded(told)
    with torch.no_grad():
        both = sum(net(batch, rng).component_probabilities(batch.symbols, len(questions.words)))
    return [dict(zip(questions.words[1:], row, strict=True)) for row in both[:, 1:].tolist()]


def rewritten(told, story=lambda lines: lines, word=lambda word: word):
    """The same questions with another story or other words."""
    return [
        Told([list(map(word, line)) for line in story(t.story)], list(map(word, t.question)), word(t.answer))
        for t in told
    ]


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(told=tales())
def test_only_candidates_are_answers(preset, told):
    for t, chance in zip(told, chances(network(preset), told), strict=True):
        assert {word for word, share in chance.items() if share > 0} == set(t.story[0])


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(told=tales(SEEN), data=st.data())
def test_candidates_have_no_order_and_no_number(preset, told, data):
    def shuffled(story):
        return [data.draw(st.permutations(story[0] + story[0][:1])), *story[1:]]

    net = network(preset)
    for one, other in zip(chances(net, told), chances(net, rewritten(told, shuffled)), strict=True):
        assert one == pytest.approx({word: other.get(word, 0) for word in one})


@pytest.mark.parametrize("preset", CHOOSING)
@settings(max_examples=15, deadline=None)
@given(told=tales())
def test_words_never_seen_can_be_renamed(preset, told):
    renamed = rewritten(told, word=lambda word: OTHERS.get(word, word))
    net = network(preset)
    for one, other in zip(chances(net, told), chances(net, renamed), strict=True):
        assert {OTHERS.get(word, word): chance for word, chance in one.items() if chance} == pytest.approx(
            {word: chance for word, chance in other.items() if chance}
        )


@pytest.mark.parametrize("preset", CHOOSING)
def test_two_words_never_seen_are_told_apart(preset):
    (chance,) = chances(network(preset), [Told([["x", "y", "a"], ["a", "x", "b"]], ["b", "c"], "x")])
    assert abs(chance["x"] - chance["y"]) > 1e-3


@pytest.mark.parametrize("preset", CHOOSING)
def test_a_hidden_word_is_a_word_never_seen(preset):
    net = network(preset, dropout=0.0, word_dropout=0.9999)
    story = [["b", "c"], ["d", "b", "e"], ["a", "c"]]
    (hidden,) = chances(net, [Told(story, ["a", "d"], "b")], NOISE)
    (unseen,) = chances(net, [Told([["x", "y"], ["z", "x", "z"], ["z", "y"]], ["z", "z"], "x")])
    assert [hidden["b"], hidden["c"]] == pytest.approx([unseen["x"], unseen["y"]])
