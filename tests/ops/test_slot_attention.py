"""Attention over slots: compiled, in operations and slot by slot it is the same."""

import pytest
import torch
from torch.func import vmap

from symshift.ops.backend import use_backend
from symshift.ops.slot_attention import slot_attention

MODELS, BATCH, SENTENCES, SLOTS, DIM, WIDTH = 2, 3, 4, 5, 6, 3


def arguments(attended, layout):
    """Arguments for several models; `layout` is how the contents' axes lie in memory."""
    generator = torch.Generator().manual_seed(0)
    shapes = [(BATCH, SLOTS, WIDTH), (attended, WIDTH), (WIDTH,)]
    rest = [torch.randn(MODELS, *shape, generator=generator, dtype=torch.float64).requires_grad_() for shape in shapes]
    shape = MODELS, BATCH, SENTENCES, SLOTS, DIM
    stored = torch.randn([shape[axis] for axis in layout], generator=generator, dtype=torch.float64).requires_grad_()
    slot_mask = torch.rand(shape[:-1], generator=generator) < 0.7
    slot_mask[0, 0, 0] = False
    return stored, rest, slot_mask


@pytest.mark.parametrize("differentiated", ["attention", "memory", "both"])
@pytest.mark.parametrize("attended", [4, DIM])
@pytest.mark.parametrize("layout", [(0, 1, 2, 3, 4), (2, 0, 1, 3, 4)], ids=["stories-first", "sentences-first"])
def test_slot_attention_agrees_across_backends(layout, attended, differentiated):
    """Values and gradients agree for either memory layout, and where A sees only the first dims."""
    stored, rest, slot_mask = arguments(attended, layout)
    contents = stored.permute(*torch.tensor(layout).argsort().tolist())
    results = []
    for backend in ("naive", "torch", "numba"):
        with use_backend(backend):
            attention, memory = vmap(slot_attention)(contents, *rest, slot_mask)
        total = (attention * attention.detach().cos()).sum() if differentiated != "memory" else 0
        total = total + ((memory * memory.detach().cos()).sum() if differentiated != "attention" else 0)
        results.append([attention, memory, *torch.autograd.grad(total, [stored, *rest], retain_graph=True)])
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            torch.testing.assert_close(one, two)
