"""Which memory networks see the order of a sentence's words."""

import pytest
import torch

from symshift.ops.rng import NO_RNG
from tests.helpers.small import Tale, encoded, network

STORY, REORDERED = ([["a", "b", "c"], ["c", "a"]], [["c", "a", "b"], ["a", "c"]])


@pytest.mark.parametrize(("preset", "sees"), [("mn", True), ("mn-plain", True), ("mn-bag", False)])
def test_word_order_counts_unless_sentences_are_bags(preset, sees):
    """All memory networks but mn-bag answer differently when words change places."""
    net = network(preset)
    answers = [net(encoded([Tale(story, ["b"], "a")])[1], NO_RNG).semantic for story in (STORY, REORDERED)]
    assert torch.allclose(*answers) != sees


@pytest.mark.parametrize("preset", ["mn-inputs", "smn-inputs"])
def test_input_positions_order_only_what_is_matched(preset):
    """Word order changes the input memories alone: neither output memories nor the question."""
    net = network(preset)
    dim = net.config.dim

    def trace(story, question):
        return net(encoded([Tale(story, question, "a")])[1], NO_RNG).trace

    def memories(story):
        hops = net.input_and_output_memories(trace(story, ["b", "d"])["memories"][..., :dim])
        return [torch.stack(memory) for memory in zip(*hops, strict=True)]

    (inputs, outputs), (reordered_inputs, reordered_outputs) = memories(STORY), memories(REORDERED)
    assert torch.allclose(outputs, reordered_outputs)
    assert not torch.allclose(inputs, reordered_inputs)
    query, reordered_query = (trace(STORY, question)["query"][:, :dim] for question in (["b", "d"], ["d", "b"]))
    assert torch.allclose(query, reordered_query)
