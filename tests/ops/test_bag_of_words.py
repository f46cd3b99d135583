"""Bags of words straight from the table, in compiled loops: what they are in operations."""

import pytest
import torch
from torch.func import vmap

from symshift.ops.backend import use_backend
from symshift.ops.bag_of_words.function import word_bags
from symshift.ops.rng import NO_DROPOUT, NO_RNG, DropoutSpec, StepRng, fold_in

STACK, WORDS, DIM, LONGEST = 3, 8, 7, 3
FEW, MOST, TYPES = DropoutSpec(0.2, 3), DropoutSpec(0.7, 3), DropoutSpec(0.5, 1)


def told(ids_shape, dtype):
    generator = torch.Generator().manual_seed(0)
    table, places = (
        torch.randn(STACK, rows, DIM, generator=generator, dtype=dtype).requires_grad_() for rows in (WORDS, LONGEST)
    )
    ids = torch.randint(WORDS + 3, (STACK, *ids_shape), generator=generator)
    return table, ids, places, fold_in(torch.arange(STACK), torch.tensor(5))


@pytest.mark.parametrize(
    ("units", "types"),
    [(FEW, NO_DROPOUT), (MOST, NO_DROPOUT), (NO_DROPOUT, TYPES), (FEW, TYPES), (NO_DROPOUT, NO_DROPOUT)],
    ids=["units", "most units", "types", "both", "nothing"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("ids_shape", [(4, 5, 6), (4, 2), (1, 1, LONGEST)], ids=["stories", "questions", "one"])
def test_compiled_and_in_operations_a_bag_is_the_same(ids_shape, dtype, units, types):
    """With blank words, words never seen, and sentences longer than the longest in training."""
    table, ids, places, key = told(ids_shape, dtype)
    found = []
    for backend in ("numba", "torch"):

        def bags(table, ids, places, key):
            return word_bags(table, ids, places, StepRng(key, torch.tensor(0.0)), units, types)

        with use_backend(backend):
            made = vmap(bags)(table, ids, places, key)
        weights = torch.arange(made.numel(), dtype=dtype).view_as(made).sin()
        found.append([made, *torch.autograd.grad((made * weights).sum(), (table, places))])
    assert found[0][0].abs().sum() > 0
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_a_quiet_bag_has_all_of_its_words():
    table, ids, places, key = (x[0] for x in told((4, 5, 6), torch.float64))
    rng = StepRng(key, torch.tensor(0.0))
    whole, dropped = (word_bags(table, ids, places, which, DropoutSpec(0.5, 3), TYPES) for which in (NO_RNG, rng))
    torch.testing.assert_close(whole, word_bags(table, ids, places, rng))
    assert not torch.allclose(whole, dropped)
