"""Symbol-shift equivariance (Definition 1 of the symbol-shift paper), and its limits.

A word never seen in training has the zero vector and alpha as it starts, but no row of B: the semantic half gives it
nothing. So a renaming among unseen words is a symbol-shift of any network. A renaming of seen words, with the same
vector and alpha, onto unseen ones leaves h as it was and renames the symbolic half; the semantic half stays where it
was, and the answer's distribution is off by just what the semantic half gave to the renamed words."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG
from tests.helpers.small import CHOOSING, FORMS, SEEN, UNSEEN, Tale, encoded, memory, network, tales

SYMBOLIC = [preset for preset in FORMS if memory(preset) in ("smn", "stpr", "gstpr", "stransformer", "lexinv")]
SHARING = SEEN[:4]
COUNTERPARTS = dict(zip(SEEN, UNSEEN, strict=False))
ONTO_UNSEEN = COUNTERPARTS | {unseen: seen for seen, unseen in COUNTERPARTS.items()}
STORY = [Tale([["a", "e", "f"], ["b", "e", "g"], ["x", "e"]], ["b", "c"], "a")]


def tables(net):
    """The parameters with a row for each word."""
    return [parameter for parameter in net.parameters() if parameter.shape[:1] == (len(SEEN),)]


@torch.no_grad()
def sharing(net):
    """SHARING get the parameters of the first of them."""
    for table in tables(net):
        table[: len(SHARING)] = table[0].clone()
    return net


@torch.no_grad()
def as_unseen(net):
    """COUNTERPARTS get the parameters of a word never seen. They keep their row of B; it has none."""
    for table in tables(net):
        if table is not getattr(net, "projection", None):
            table[: len(COUNTERPARTS)] = 0
    return net


def renamed(texts, names):
    """The same stories with other words."""

    def lines(words):
        return [names.get(word, word) for word in words]

    return [Tale([lines(line) for line in t.story], lines(t.question), names.get(t.answer, t.answer)) for t in texts]


def distributions(net, texts):
    """The semantic and the symbolic part of each word's probability, question by question."""
    questions, batch = encoded(texts)
    with torch.no_grad():
        component_probabilities = net(batch, NO_RNG).component_probabilities(batch.symbols, len(questions.words))
    return [
        dict(zip(questions.words[1:], row, strict=True))
        for row in torch.stack(component_probabilities, -1)[:, 1:].tolist()
    ]


def largest_difference(before, after, names, half=sum):
    """Between the distributions before and after the renaming, once the former is renamed too."""
    words = {*SEEN, *UNSEEN}
    return max(
        abs(half(one.get(word, (0, 0))) - half(other.get(names.get(word, word), (0, 0))))
        for one, other in zip(before, after, strict=True)
        for word in words
    )


def semantic(component_probabilities):
    return component_probabilities[0]


def symbolic(component_probabilities):
    return component_probabilities[1]


@pytest.mark.parametrize("preset", SYMBOLIC)
@settings(max_examples=15, deadline=None)
@given(texts=tales(), order=st.permutations(SHARING), seed=st.integers(0, 1000))
def test_equivariant_to_words_that_share_parameters(preset, texts, order, seed):
    """Rename words that share parameters, and the distribution is renamed with them."""
    net, names = sharing(network(preset, seed).float()), dict(zip(SHARING, order, strict=True))
    before, after = distributions(net, texts), distributions(net, renamed(texts, names))
    assert largest_difference(before, after, names) < 1e-6


@pytest.mark.parametrize("preset", SYMBOLIC)
@settings(max_examples=15, deadline=None)
@given(texts=tales(), order=st.permutations(UNSEEN), seed=st.integers(0, 1000))
def test_equivariant_to_unseen_words(preset, texts, order, seed):
    """Rename words never seen in training, and the distribution is renamed with them."""
    net, names = network(preset, seed).float(), dict(zip(UNSEEN, order, strict=True))
    before, after = distributions(net, texts), distributions(net, renamed(texts, names))
    assert largest_difference(before, after, names) < 1e-6


@pytest.mark.parametrize("preset", SYMBOLIC)
@settings(max_examples=15, deadline=None)
@given(texts=tales(), seed=st.integers(0, 1000))
def test_seen_words_renamed_to_unseen_keep_symbols(preset, texts, seed):
    """The symbolic half is renamed, the semantic half stays, and the rest is what it gave to the renamed words."""
    net = as_unseen(network(preset, seed).float())
    before, after = distributions(net, texts), distributions(net, renamed(texts, ONTO_UNSEEN))
    assert largest_difference(before, after, ONTO_UNSEEN, symbolic) < 1e-6
    assert largest_difference(before, after, {}, semantic) < 1e-6
    given_to_renamed = max(
        semantic(component_probabilities[word]) for component_probabilities in before for word in COUNTERPARTS
    )
    assert largest_difference(before, after, ONTO_UNSEEN) == pytest.approx(given_to_renamed, abs=1e-6)


@pytest.mark.parametrize("preset", SYMBOLIC)
@settings(max_examples=10, deadline=None)
@given(texts=tales(), seed=st.integers(0, 1000))
def test_equivariant_where_only_symbols_answer(preset, texts, seed):
    """Without the semantic half of the answer, seen words can be renamed to unseen ones too."""
    net = as_unseen(network(preset, seed).float())
    torch.nn.init.constant_(net.beta, -100.0)
    before, after = distributions(net, texts), distributions(net, renamed(texts, ONTO_UNSEEN))
    assert largest_difference(before, after, ONTO_UNSEEN) < 1e-6


@pytest.mark.parametrize("preset", SYMBOLIC)
def test_not_equivariant_to_words_that_differ(preset):
    """Words with parameters of their own cannot be renamed."""
    net, names = network(preset).float(), {"a": "b", "b": "a"}
    before, after = distributions(net, STORY), distributions(net, renamed(STORY, names))
    assert largest_difference(before, after, names) > 1e-3


@pytest.mark.parametrize("preset", [preset for preset in FORMS if preset not in CHOOSING])
def test_only_symbols_separate_equal_parameters(preset):
    """Only symbolic networks tell words apart that share parameters, or answer with unseen ones."""
    net = sharing(network(preset, seed=1).float())
    (component_probabilities,) = distributions(net, STORY)
    assert (abs(sum(component_probabilities["a"]) - sum(component_probabilities["b"])) > 1e-3) == (preset in SYMBOLIC)
    assert (sum(component_probabilities["x"]) > 1e-3) == (preset in SYMBOLIC)
