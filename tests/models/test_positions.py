"""Which memory networks see the order of a sentence's words."""

import pytest
import torch

from symshift.ops.rng import NO_RNG
from tests.helpers.small import Told, encoded, network

ONE, OTHER = ([["a", "b", "c"], ["c", "a"]], [["c", "a", "b"], ["a", "c"]])


@pytest.mark.parametrize(("preset", "sees"), [("mn", True), ("mn-plain", True), ("mn-bag", False)])
def test_all_but_a_bag_of_words_see_an_order(preset, sees):
    net = network(preset)
    answers = [net(encoded([Told(story, ["b"], "a")])[1], NO_RNG).semantic for story in (ONE, OTHER)]
    assert torch.allclose(*answers) != sees


@pytest.mark.parametrize("preset", ["mn-inputs", "smn-inputs"])
def test_positions_on_inputs_alone_are_of_what_is_matched(preset):
    net = network(preset)
    said = [(ONE, ["b", "d"]), (OTHER, ["b", "d"]), (ONE, ["d", "b"])]
    traces = [net(encoded([Told(story, question, "a")])[1], NO_RNG).trace for story, question in said]
    (inputs, outputs), (other, same) = (net.sides(trace["memories"][..., : net.config.dim]) for trace in traces[:2])
    assert torch.allclose(outputs, same) and not torch.allclose(inputs, other)
    one, _, turned = (trace["start"][:, : net.config.dim] for trace in traces)
    assert torch.allclose(one, turned)
