"""Which memory networks see the order of a sentence's words."""

import pytest
import torch

from symshift.models.noise import QUIET
from tests.small import Told, encoded, network

ONE, OTHER = ([["a", "b", "c"], ["c", "a"]], [["c", "a", "b"], ["a", "c"]])


@pytest.mark.parametrize(("preset", "sees"), [("mn", True), ("mn-plain", True), ("mn-bag", False)])
def test_all_but_a_bag_of_words_see_an_order(preset, sees):
    net = network(preset)
    answers = [net(encoded([Told(story, ["b"], "a")])[1], QUIET).semantic for story in (ONE, OTHER)]
    assert torch.allclose(*answers) != sees
