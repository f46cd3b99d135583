"""The recurrence of entity networks: compiled or in operations, in any group of models, however gradients lie."""

import pytest
import torch
from torch import Tensor
from torch.func import vmap

from symshift.ops.backend import use_backend
from symshift.ops.entity_recurrence import entity_recurrence, function, simple_entity_recurrence

MODELS, BATCH, SENTENCES, SLOTS, DIM = 3, 4, 5, 3, 6


def arguments() -> list[Tensor]:
    """Arguments of the general form for several models."""
    generator = torch.Generator().manual_seed(0)
    shapes = [
        (MODELS, SLOTS, DIM),
        (MODELS, BATCH, SENTENCES, DIM),
        (MODELS, BATCH, SENTENCES, SLOTS),
        (MODELS, BATCH, SENTENCES, DIM),
        (MODELS, SLOTS, DIM),
        (MODELS, DIM, DIM),
        (MODELS, DIM),
    ]
    return [torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_() for shape in shapes]


def slots_and_gradients(backend: str, which: str) -> list[Tensor]:
    """The slots after each sentence, and gradients of a weighted sum of the last or of all."""
    values = arguments()
    with use_backend(backend):
        slots = vmap(entity_recurrence)(*values)
    counted = getattr(slots, which)
    total = (counted * torch.arange(counted.numel()).view_as(counted).sin()).sum()
    return [slots.each, *torch.autograd.grad(total, values)]


@pytest.mark.parametrize("models_at_once", [1, 2, MODELS])
@pytest.mark.parametrize("which", ["last", "each"])
def test_entity_recurrence_agrees_across_backends(which, models_at_once, monkeypatch):
    """Compiled, in operations and sentence by sentence, slots and gradients agree in any grouping of models."""
    monkeypatch.setattr(function, "CACHE_BYTES", models_at_once * BATCH * SLOTS * DIM * 8)
    expected = slots_and_gradients("naive", which)
    for backend in ("torch", "numba"):
        for one, other in zip(expected, slots_and_gradients(backend, which), strict=True):
            torch.testing.assert_close(one, other)


def test_a_slot_that_a_sentence_cancels_stays_bounded():
    """In float32 the squared norm is then rounding noise, and must not become a factor of 1e8."""
    generator = torch.Generator().manual_seed(0)
    slots = torch.nn.functional.normalize(torch.randn(64, DIM, generator=generator), dim=-1).requires_grad_()
    cancel_one_each = -slots.detach().unsqueeze(1) * (1 + 1e-4)
    after = simple_entity_recurrence(slots, cancel_one_each, torch.full((64, 1, 64), 40.0)).last
    (gradient,) = torch.autograd.grad(after.sum(), slots)
    assert after.norm(dim=-1).max() < 1.01
    assert gradient.abs().max() < 1e7


@pytest.mark.parametrize("which", ["last", "each"])
def test_gradient_layout_changes_nothing(which):
    """How an incoming gradient lies in memory does not matter."""
    values = arguments()
    slots = getattr(vmap(entity_recurrence)(*values), which)
    weights = torch.arange(slots.numel(), dtype=slots.dtype).view_as(slots).sin()
    straight = torch.autograd.grad((slots * weights).sum(), values, retain_graph=True)
    across = torch.autograd.grad((slots.mT.contiguous() * weights.mT.contiguous()).sum(), values)
    for one, other in zip(straight, across, strict=True):
        torch.testing.assert_close(one, other)
