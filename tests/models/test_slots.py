"""The slots of an entity network have no order."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.rng import NO_RNG
from tests.helpers.small import SIZES, encoded, network, tales


@pytest.mark.parametrize("name", ["entnet", "entnet-simple", "prehoc", "prehoc-teacher", "posthoc"])
@settings(max_examples=8, deadline=None)
@given(questions=tales(), order=st.permutations(range(SIZES["slots"])))
def test_slots_can_be_permuted(name, questions, order):
    """Permuting keys and gates permutes attention and gates, and changes no answer."""
    net, (_, batch) = network(name), encoded(questions)
    before = net(batch, NO_RNG)
    with torch.no_grad():
        for rows in (net.own_keys, net.gate_bias):
            rows.copy_(rows[order].clone())
    after = net(batch, NO_RNG)
    torch.testing.assert_close(after.semantic, before.semantic)
    torch.testing.assert_close(after.trace["slot_attention"], before.trace["slot_attention"][..., order])
    torch.testing.assert_close(after.trace["write_gates"], before.trace["write_gates"][:, order])
    if before.alignment is not None:
        torch.testing.assert_close(after.alignment, before.alignment)
