"""Attention over slots: sentence by sentence in compiled loops it is what it is in operations."""

import pytest
import torch
from torch.func import vmap

from symshift.ops.slot_attention.function import intra_attention

STACK, BATCH, SENTENCES, SLOTS, DIM, WIDTH = 2, 3, 4, 5, 6, 3


def told(inner, layout):
    """Arguments for a stack; `layout` is how the contents' axes lie in memory."""
    generator = torch.Generator().manual_seed(0)
    shapes = [(BATCH, SLOTS, WIDTH), (inner, WIDTH), (WIDTH,)]
    rest = [torch.randn(STACK, *shape, generator=generator, dtype=torch.float64).requires_grad_() for shape in shapes]
    shape = STACK, BATCH, SENTENCES, SLOTS, DIM
    lying = torch.randn([shape[axis] for axis in layout], generator=generator, dtype=torch.float64).requires_grad_()
    present = torch.rand(shape[:-1], generator=generator) < 0.7
    present[0, 0, 0] = False
    return lying, rest, present


@pytest.mark.parametrize("seen", ["attention", "memory", "both"])
@pytest.mark.parametrize("inner", [4, DIM])
@pytest.mark.parametrize("layout", [(0, 1, 2, 3, 4), (2, 0, 1, 3, 4)], ids=["stories first", "sentences first"])
def test_compiled_and_in_operations_it_is_the_same(layout, inner, seen, monkeypatch):
    lying, rest, present = told(inner, layout)
    contents = lying.permute(*torch.tensor(layout).argsort().tolist())
    found = []
    for compiled in (True, False):
        monkeypatch.setattr("symshift.ops.slot_attention.function.can_be", lambda x, compiled=compiled: compiled)
        intra, memory = vmap(intra_attention)(contents, *rest, present)
        total = (intra * intra.detach().cos()).sum() if seen != "memory" else 0
        total = total + ((memory * memory.detach().cos()).sum() if seen != "attention" else 0)
        gradients = torch.autograd.grad(total, [lying, *rest], retain_graph=True)
        found.append([intra, memory, *gradients])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
