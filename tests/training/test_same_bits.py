"""What a seed becomes does not depend on how many others train beside it."""

from functools import cache

import pytest
import torch

from symshift.config import configure, presets
from symshift.data import load
from symshift.training.data import Data
from symshift.training.ensemble import REGISTERS
from tests.helpers.small import FORMS
from tests.helpers.small_ensemble import SmallEnsemble

SEEDS = [3, 7, 1]
UPDATES = 6
UPDATES_OF_TWO = 3


@cache  # every preset asks for the same ones
def stories_of(task):
    return Data(load(task, 100, source="generated"), load(task, 10, "test", "generated"))


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="only MKL promises to round alike")
@pytest.mark.parametrize("preset", FORMS)
def test_weights_alone_and_together_to_the_bit(preset):
    """A seed has the same losses alone, in an ensemble of two and in one of three; and the same weights in the end."""
    three, two, alone = (SmallEnsemble(preset, SEEDS[:models], batch=REGISTERS) for models in (3, 2, 1))
    losses = three.losses(UPDATES)
    assert torch.equal(alone.losses(UPDATES)[:, 0], losses[:, 0])
    assert torch.equal(alone.ensemble.weights[0], three.ensemble.weights[0])
    assert torch.equal(two.losses(UPDATES_OF_TWO), losses[:UPDATES_OF_TWO, :2])


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="only MKL promises to round alike")
@pytest.mark.parametrize("task", [3, 4, 8, 20])
@pytest.mark.parametrize(
    "preset", ["mn", "smn", "stpr-sm", "gstpr-sm", "prehoc", "deltanet", "ut", "stransformer-nodrop"]
)
def test_stories_of_any_shape_alone_and_together(preset, task):
    """Long stories, stories of two sentences, lists as answers, and stories that begin with a question."""
    together, alone = (
        SmallEnsemble(preset, seeds, batch=REGISTERS, stories=stories_of(task)) for seeds in (SEEDS[:2], SEEDS[:1])
    )
    assert torch.equal(alone.losses(2)[:, 0], together.losses(2)[:, 0])
    assert torch.equal(alone.ensemble.weights[0], together.ensemble.weights[0])


@pytest.mark.parametrize("preset", presets())
def test_batch_fills_whole_registers(preset):
    """The batch of every preset is one of those for which bits do not depend on the ensemble."""
    assert configure({"model": preset}).training.batch % REGISTERS == 0
