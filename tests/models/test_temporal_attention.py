"""Temporal attention: a distribution over the sentences there are, and the loss that teaches it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG
from tests.helpers.small import TEMPORAL, VOCABULARY, Told, encoded, network, tales
from tests.naive.temporal_attention import Twin


@pytest.mark.parametrize("name", TEMPORAL)
@settings(max_examples=8, deadline=None)
@given(told=tales())
def test_attention_is_a_distribution_over_real_sentences_and_real_slots(name, told):
    _, batch = encoded(told)
    output = network(name)(batch, NO_RNG)
    real, attention, slots = (batch.story > 0).any(-1), output.trace["attention"][:, 0], output.trace["slot_attention"]
    assert (attention[~real] == 0).all() and (attention >= 0).all()
    if name == "prehoc-teacher":
        assert torch.equal(attention, batch.supporting.to(attention.dtype))
    else:
        torch.testing.assert_close(attention.sum(-1), torch.ones(len(told), dtype=torch.float64))
    torch.testing.assert_close(slots.sum(-1)[real], torch.ones(int(real.sum()), dtype=torch.float64))
    if name.startswith("mn"):
        assert (slots.triu(1) == 0).all()  # no sentence before it is told


@pytest.mark.parametrize("name", TEMPORAL)
@settings(max_examples=5, deadline=None)
@given(told=tales(most=2), seed=st.integers(0, 1000))
def test_alignments_and_their_loss_are_the_twins(name, told, seed):
    net = network(name, seed, answer_weight=0.0)
    twin, (_, batch) = Twin(net, name, VOCABULARY), encoded(told)
    output = net(batch, NO_RNG)
    for row, tale in enumerate(told):
        torch.testing.assert_close(output.alignment[row, : len(tale.story)], twin.align(tale.story, tale.question))
    fast = net.loss(output, batch)
    slow = torch.stack([twin.facts_loss(tale.story, tale.question) for tale in told])
    torch.testing.assert_close(fast, slow)
    parameters = dict(net.named_parameters())
    gradients = [
        torch.autograd.grad(x.sum(), list(parameters.values()), allow_unused=True, materialize_grads=True)
        for x in (fast, slow)
    ]
    for of, one, other in zip(parameters, *gradients, strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, of=of: f"{of}: {text}")


def test_the_joint_loss_weighs_answer_and_facts():
    _, batch = encoded([Told([["a", "b"], ["c"]], ["b"], "d")])

    def loss(answer_weight, facts_weight):
        net = network("prehoc", answer_weight=answer_weight, facts_weight=facts_weight)
        return net.loss(net(batch, NO_RNG), batch)

    torch.testing.assert_close(loss(2.0, 3.0), 2 * loss(1.0, 0.0) + 3 * loss(0.0, 1.0))


def test_where_every_sentence_is_a_fact_there_is_still_a_loss():
    net, (_, batch) = network("prehoc"), encoded([Told([["a", "b"]], ["b"], "d")])
    output = net(batch, NO_RNG)
    torch.testing.assert_close(
        net.loss(output, batch) + output.log_likelihood(batch.symbols, batch.answer),
        -torch.nn.functional.logsigmoid(output.alignment[:, 0]),
    )
