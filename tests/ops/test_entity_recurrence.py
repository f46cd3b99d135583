"""A sentence of an entity network's general form: compiled and in torch's operations it is the same."""

import pytest
import torch
from torch import Tensor

from symshift.ops.entity_recurrence import function as entity_cells
from symshift.ops.entity_recurrence import numba as entity_steps_compiled
from symshift.ops.entity_recurrence import torch as entity_steps

STACK, BATCH, SENTENCES, SLOTS, DIM = 3, 4, 5, 3, 6


def told() -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [
        (STACK, SLOTS, DIM),
        (STACK, BATCH, SENTENCES, DIM),
        (STACK, BATCH, SENTENCES, SLOTS),
        (STACK, BATCH, SENTENCES, DIM),
        (STACK, SLOTS, DIM),
        (STACK, DIM, DIM),
        (STACK, DIM),
    ]
    return [torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_() for shape in shapes]


def there_and_back(steps, arguments, each, monkeypatch):
    """The slots, and the gradients of a sum of the last ones, or of all that there were, in which none counts alike."""
    monkeypatch.setattr(entity_cells, "_steps", lambda slots: steps)
    last, states, *_ = entity_cells._Loop.apply(*arguments)
    counted = states if each else last
    total = (counted * torch.arange(counted.numel()).view_as(counted).sin()).sum()
    return [states, *torch.autograd.grad(total, arguments)]


@pytest.mark.parametrize("together", [1, 2, STACK])
@pytest.mark.parametrize("each", [False, True])
def test_compiled_and_in_operations_a_story_is_the_same(each, together, monkeypatch):
    monkeypatch.setattr(entity_cells, "CACHE", together * BATCH * SLOTS * DIM * 8)
    ways = entity_steps, entity_steps_compiled
    found = (there_and_back(steps, told(), each, monkeypatch) for steps in ways)
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("which", [0, 1], ids=["last", "each"])
def test_how_a_gradient_lies_in_memory_changes_nothing(which):
    arguments = told()
    slots = entity_cells._Loop.apply(*arguments)[which]
    weights = torch.arange(slots.numel(), dtype=slots.dtype).view_as(slots).sin()
    straight = torch.autograd.grad((slots * weights).sum(), arguments, retain_graph=True)
    across = torch.autograd.grad((slots.mT.contiguous() * weights.mT.contiguous()).sum(), arguments)
    for one, other in zip(straight, across, strict=True):
        torch.testing.assert_close(one, other)
