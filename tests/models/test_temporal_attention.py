"""Temporal attention: a distribution over sentences, and the loss that trains it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG
from tests.helpers.small import TEMPORAL, VOCABULARY, Tale, encoded, network, tales
from tests.naive.temporal_attention import Twin


@pytest.mark.parametrize("name", TEMPORAL)
@settings(max_examples=8, deadline=None)
@given(questions=tales())
def test_attention_is_a_distribution(name, questions):
    """Attention over sentences and over slots sums to one and leaves out blank sentences and slots yet to come."""
    _, batch = encoded(questions)
    output = network(name)(batch, NO_RNG)
    sentence_mask = (batch.story > 0).any(-1)
    attention, slots = output.trace["attention"][:, 0], output.trace["slot_attention"]
    assert (attention[~sentence_mask] == 0).all()
    assert (attention >= 0).all()
    if name == "prehoc-teacher":
        assert torch.equal(attention, batch.supporting.to(attention.dtype))
    else:
        torch.testing.assert_close(attention.sum(-1), torch.ones(len(questions), dtype=torch.float64))
    ones = torch.ones(int(sentence_mask.sum()), dtype=torch.float64)
    torch.testing.assert_close(slots.sum(-1)[sentence_mask], ones)
    if name.startswith("mn"):
        assert (slots.triu(1) == 0).all()  # a sentence is a slot from the time it is read


@pytest.mark.parametrize("name", TEMPORAL)
@settings(max_examples=5, deadline=None)
@given(questions=tales(maximum=2), seed=st.integers(0, 1000))
def test_alignments_and_loss_agree_with_the_twin(name, questions, seed):
    """Alignments, the loss on facts and its gradients are those of the slow twin."""
    net = network(name, seed, answer_weight=0.0)
    twin, (_, batch) = Twin(net, name, VOCABULARY), encoded(questions)
    output = net(batch, NO_RNG)
    for row, tale in enumerate(questions):
        torch.testing.assert_close(output.alignment[row, : len(tale.story)], twin.align(tale.story, tale.question))
    fast = net.loss(output, batch)
    slow = torch.stack([twin.facts_loss(tale.story, tale.question) for tale in questions])
    torch.testing.assert_close(fast, slow)
    parameters = dict(net.named_parameters())
    gradients = [
        torch.autograd.grad(x.sum(), list(parameters.values()), allow_unused=True, materialize_grads=True)
        for x in (fast, slow)
    ]
    for parameter, one, other in zip(parameters, *gradients, strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, parameter=parameter: f"{parameter}: {text}")


def test_joint_loss_weighs_answer_and_facts():
    """The loss is linear in the two weights."""
    _, batch = encoded([Tale([["a", "b"], ["c"]], ["b"], "d")])

    def loss(answer_weight, facts_weight):
        net = network("prehoc", answer_weight=answer_weight, facts_weight=facts_weight)
        return net.loss(net(batch, NO_RNG), batch)

    torch.testing.assert_close(loss(2.0, 3.0), 2 * loss(1.0, 0.0) + 3 * loss(0.0, 1.0))


def test_loss_exists_where_every_sentence_is_a_fact():
    """The mean over no other sentence is zero, not NaN."""
    net, (_, batch) = network("prehoc"), encoded([Tale([["a", "b"]], ["b"], "d")])
    output = net(batch, NO_RNG)
    torch.testing.assert_close(
        net.loss(output, batch) + output.log_likelihood(batch.symbols, batch.answer),
        -torch.nn.functional.logsigmoid(output.alignment[:, 0]),
    )
