"""What holds of every network.

This file has padding, batch order and gradients of all parameters. The rest of the contract needs training and is in
`tests/training/test_loop.py`: equal curves of equal seeds (`test_train_is_deterministic`), equal answers after save and
load (`test_reader_makes_the_errors_of_its_record`) and 32 stories learnt by heart (`test_step_overfits_32_stories`).
Equal bits alone and in an ensemble are in `tests/training/test_ensemble.py`, renaming in `test_equivariance.py`.
"""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.config import configure, presets
from symshift.data import load
from symshift.data.encoding import Vocabulary, encode
from symshift.models import NETWORKS
from symshift.models.properties import with_padding
from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import CHOOSING, FORMS, SEEN, Tale, encoded, memory, network, tales

NOISE = StepRng(fold_in([0], 0)[0], torch.tensor(0.0))


@pytest.fixture(scope="module")
def questions():
    """A few generated questions."""
    return load(1, 50, source="generated")


@st.composite
def paddings(draw):
    """How many blank sentences, words, question words and symbols to add, and a seed for where the sentences go."""
    return [draw(st.integers(0, 3)) for _ in range(4)], draw(st.integers(0, 1000))


def same(output, other, batch):
    """The outputs are the same, but for blank symbols."""
    torch.testing.assert_close(output.semantic, other.semantic)
    if output.symbolic is not None:
        real = batch.symbols > 0
        torch.testing.assert_close(output.symbolic[real], other.symbolic[:, : real.shape[1]][real])


@pytest.mark.parametrize("preset", FORMS)
@settings(max_examples=6, deadline=None)
@given(texts=tales(), padding=paddings())
def test_padding_changes_nothing(preset, texts, padding):
    """Blank sentences, words and symbols change neither outputs nor losses nor gradients."""
    net, (_, batch) = network(preset), encoded(texts)
    wider = with_padding(batch, *padding[0], padding[1])
    output, other = net(batch, NO_RNG), net(wider, NO_RNG)
    same(output, other, batch)
    losses = [net.loss(out, b) for out, b in ((output, batch), (other, wider))]
    gradients = [torch.autograd.grad((-loss).exp().sum(), list(net.parameters())) for loss in losses]
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("preset", FORMS)
@settings(max_examples=8, deadline=None)
@given(texts=tales(), data=st.data())
def test_batch_order_and_size_change_nothing(preset, texts, data):
    """Each question of a batch has the answer that it has alone, in any order."""
    net, (_, batch) = network(preset), encoded(texts)
    order = torch.tensor(data.draw(st.permutations(range(len(texts)))))
    together, shuffled = net(batch, NO_RNG), net(batch.take(order), NO_RNG)
    torch.testing.assert_close(together.semantic[order], shuffled.semantic)
    for row in range(len(texts)):
        alone = net(batch.take(torch.tensor([row])), NO_RNG)
        torch.testing.assert_close(together.semantic[row], alone.semantic[0])
        if alone.symbolic is not None:
            torch.testing.assert_close(together.symbolic[row], alone.symbolic[0])


@pytest.mark.parametrize("preset", FORMS)
def test_empty_batch_gives_no_answers(preset):
    """A seed may have put no question of a bucket aside to select on."""
    net, (_, batch) = network(preset), encoded([Tale([["a", "b"], ["c"]], ["b"], "d")])
    none = batch.take(torch.tensor([], dtype=torch.long))
    output = net(none, NO_RNG)
    assert len(net.loss(output, none)) == len(output.semantic) == 0


@pytest.mark.parametrize("preset", FORMS)
@settings(max_examples=8, deadline=None)
@given(texts=tales())
def test_probabilities_add_up_to_one(preset, texts):
    """Both parts of the answer's distribution sum to one, and padding gets nothing."""
    net, (questions, batch) = network(preset), encoded(texts)
    semantic, symbolic = net(batch, NO_RNG).component_probabilities(batch.symbols, len(questions.words))
    torch.testing.assert_close((semantic + symbolic).sum(-1), torch.ones(len(texts), dtype=torch.float64))
    assert (semantic[:, 0] == 0).all()
    assert (symbolic[:, 0] == 0).all()


@pytest.mark.parametrize("preset", presets())
def test_every_parameter_gets_a_gradient(preset, questions):
    """From its initial value, with dropout, in every preset; and all gradients are finite."""
    config = configure({"model": preset})
    vocabulary = Vocabulary.of(questions, config.sentences)
    net = NETWORKS[config.network](config.network_config, vocabulary, torch.Generator().manual_seed(0))
    reached = {name: False for name, _ in net.named_parameters()}
    for batch in encode(questions, vocabulary, config.sentences).buckets:
        gradients = torch.autograd.grad(net.loss(net(batch, NOISE), batch).mean(), list(net.parameters()))
        for name, gradient in zip(reached, gradients, strict=True):
            assert gradient.isfinite().all(), name
            reached[name] |= bool(gradient.any())
    assert reached == dict.fromkeys(reached, True)


@pytest.mark.parametrize("preset", [preset for preset in FORMS if preset not in CHOOSING])
def test_answer_head_gets_a_gradient(preset):
    """The row of a word that no story names moves: only the head can reach it."""
    net, (_, batch) = network(preset), encoded([Tale([["a", "b"], ["c"]], ["b"], "d")])
    likelihood = net(batch, NO_RNG).log_likelihood(batch.symbols, batch.answer).sum()
    by_hop = memory(preset) in ("mn", "smn")  # the head is the last of A^(0) .. A^(K)
    (gradient,) = torch.autograd.grad(likelihood, net.words if by_hop else net.projection)
    row = gradient[SEEN.index("g")]
    assert (row[-1] if by_hop else row).all()


@pytest.mark.parametrize("preset", ["smn", "stpr", "gstpr", "stransformer", "lexinv"])
@pytest.mark.parametrize("log_odds", [-200.0, 200.0])
def test_gradients_are_finite_at_both_ends_of_beta(preset, log_odds):
    """Where sigmoid(beta) rounds to zero or one."""
    net, (_, batch) = network(preset), encoded([Tale([["a", "b"], ["c"]], ["b"], "d"), Tale([["a"]], ["x"], "x")])
    torch.nn.init.constant_(net.beta, log_odds)
    loss = net(batch, NO_RNG).log_likelihood(batch.symbols, batch.answer).mean()
    for gradient in torch.autograd.grad(loss, list(net.parameters())):
        assert gradient.isfinite().all()


@pytest.mark.parametrize("preset", ["stpr", "gstpr"])
def test_dropout_spares_the_symbols(preset):
    """Dropout acts on semantic dims alone."""
    net, (_, batch) = network(preset, dropout=0.5, word_dropout=0.0), encoded([Tale([["a", "b"], ["c"]], ["b"], "d")])
    quiet, noisy = net(batch, NO_RNG).trace, net(batch, NOISE).trace
    for name in ("entities", "relations", "query_entity", "query_relations"):
        m = batch.symbols.shape[1]
        torch.testing.assert_close(noisy[name][..., -m:], quiet[name][..., -m:])
        assert not torch.allclose(noisy[name][..., :-m], quiet[name][..., :-m])
