"""Every network is its slow twin: all outputs and every parameter's gradient, in float64."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.models import NETWORKS, Memory
from symshift.ops.rng import NO_RNG, StepRng, fold_in
from tests.helpers.small import FORMS, TEMPORAL, VOCABULARY, encoded, kind, network, tales
from tests.naive import TWINS, memory_network

WITH_SLOTS = [preset for preset in FORMS if kind(preset) not in TEMPORAL and issubclass(NETWORKS[kind(preset)], Memory)]


def check_twin(net, twin, texts, rng):
    """The network and its twin say the same of these questions."""
    all_of_them, batch = encoded(texts)
    output = net(batch, rng)
    readings = [twin.read(tale.story, tale.question) for tale in texts]
    p = sum(output.component_probabilities(batch.symbols, len(all_of_them.words)))
    for row, reading in enumerate(readings):
        torch.testing.assert_close(output.semantic[row], reading.semantic)
        if reading.symbolic is not None:
            torch.testing.assert_close(output.symbolic[row, : len(reading.symbols)], reading.symbolic)
        probabilities = torch.stack([reading.probability(word) for word in all_of_them.words[1:]])
        torch.testing.assert_close(p[row, 1:], probabilities)

    likelihood = output.log_likelihood(batch.symbols, batch.answer)
    chances = torch.stack([reading.probability(tale.answer) for reading, tale in zip(readings, texts, strict=True)])
    likelihood = torch.where(chances > 0, likelihood, likelihood.exp())
    slow_likelihood = torch.where(chances > 0, chances, 1).log()
    torch.testing.assert_close(likelihood, slow_likelihood)
    parameters = dict(net.named_parameters())
    fast, slow = (
        torch.autograd.grad(x.sum(), list(parameters.values()), allow_unused=True, materialize_grads=True)
        for x in (likelihood, slow_likelihood)
    )
    for name, one, other in zip(parameters, fast, slow, strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("preset", FORMS)
@settings(max_examples=6, deadline=None)
@given(texts=tales(maximum=2), seed=st.integers(0, 1000))
def test_network_agrees_with_its_twin(preset, texts, seed):
    """Outputs, likelihoods and all gradients are those of plain code from the papers' equations."""
    net = network(preset, seed)
    check_twin(net, TWINS[kind(preset)](net, kind(preset), VOCABULARY), texts, NO_RNG)


@pytest.mark.parametrize("preset", WITH_SLOTS)
@settings(max_examples=5, deadline=None)
@given(texts=tales(maximum=2), seed=st.integers(0, 1000))
def test_memory_trajectory_agrees_with_its_twin(preset, texts, seed):
    """Slots and keys after each sentence are the twin's."""
    net, (_, batch) = network(preset, seed), encoded(texts)
    twin, trajectory = TWINS[kind(preset)](net, kind(preset), VOCABULARY), net.unroll(batch, NO_RNG)
    for row, tale in enumerate(texts):
        for time, moment in enumerate(twin.unroll(tale.story, tale.question)):
            keys = trajectory.keys[row if len(trajectory.keys) > 1 else 0]
            for slot, (content, key) in enumerate(zip(moment.contents, moment.keys, strict=True)):
                assert trajectory.slot_mask[row, time, slot]
                torch.testing.assert_close(trajectory.contents[row, time, slot, : len(content)], content)
                torch.testing.assert_close(keys[slot, : len(key)], key)


@pytest.mark.parametrize("preset", ["mn", "smn"])
@settings(max_examples=5, deadline=None)
@given(texts=tales(maximum=2), seed=st.integers(0, 1000))
def test_linear_start_leaves_out_the_softmax(preset, texts, seed):
    """For its share of the updates, and not after it."""
    net = network(preset, seed, linear_start=0.5, time_noise=0.0, dropout=0.0)
    softmax, linear = (memory_network.Twin(net, preset, VOCABULARY, linear=linear) for linear in (False, True))
    for progress, twin in [(0.0, linear), (0.49, linear), (0.5, softmax)]:
        check_twin(net, twin, texts, StepRng(fold_in([seed], 0)[0], torch.tensor(progress)))
