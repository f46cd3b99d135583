"""Bags of words straight from the table: all forms of the operator agree, in values and gradients."""

import pytest
import torch
from torch.func import vmap

from symshift.ops.backend import BACKENDS, use_backend
from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.hash_dropout import NO_DROPOUT, DropoutSpec
from symshift.ops.rng import NO_RNG, StepRng, fold_in

MODELS, WORDS, DIM, LONGEST = 3, 8, 7, 3
FEW, MOST, TYPES = DropoutSpec(0.2, 3), DropoutSpec(0.7, 3), DropoutSpec(0.5, 1)


def inputs(ids_shape, dtype):
    """Tables, ids with padding and words never seen, position weights and keys of a few models."""
    generator = torch.Generator().manual_seed(0)
    table, position_weights = (
        torch.randn(MODELS, rows, DIM, generator=generator, dtype=dtype).requires_grad_() for rows in (WORDS, LONGEST)
    )
    ids = torch.randint(WORDS + 3, (MODELS, *ids_shape), generator=generator)
    return table, ids, position_weights, fold_in(range(MODELS), 5)


@pytest.mark.parametrize(
    ("unit_dropout", "type_dropout"),
    [(FEW, NO_DROPOUT), (MOST, NO_DROPOUT), (NO_DROPOUT, TYPES), (FEW, TYPES), (NO_DROPOUT, NO_DROPOUT)],
    ids=["units", "most-units", "types", "both", "nothing"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("ids_shape", [(4, 5, 6), (4, 2), (1, 1, LONGEST)], ids=["stories", "questions", "one"])
def test_bag_of_words_is_the_same_in_all_forms(ids_shape, dtype, unit_dropout, type_dropout):
    """With blank words, words never seen, and sentences longer than the longest in training."""
    table, ids, position_weights, key = inputs(ids_shape, dtype)

    def bags(table, ids, position_weights, key):
        rng = StepRng(key, torch.tensor(0.0))
        return bag_of_words(table, ids, position_weights, rng, unit_dropout, type_dropout)

    def value_and_gradients(backend):
        with use_backend(backend):
            values = vmap(bags)(table, ids, position_weights, key)
        weights = torch.arange(values.numel(), dtype=dtype).view_as(values).sin()
        return values, *torch.autograd.grad((values * weights).sum(), (table, position_weights))

    expected, *others = (value_and_gradients(backend) for backend in BACKENDS)
    assert expected[0].abs().sum() > 0
    for other in others:
        torch.testing.assert_close(other, expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bag_of_words_drops_nothing_in_evaluation(backend):
    """NO_RNG keeps every word and unit, whatever the rates."""
    table, ids, position_weights, key = (x[0] for x in inputs((4, 5, 6), torch.float64))
    rng = StepRng(key, torch.tensor(0.0))
    with use_backend(backend):
        whole, dropped = (
            bag_of_words(table, ids, position_weights, which, DropoutSpec(0.5, 3), TYPES) for which in (NO_RNG, rng)
        )
        torch.testing.assert_close(whole, bag_of_words(table, ids, position_weights, rng))
    assert not torch.allclose(whole, dropped)


def test_bag_of_words_gradients_are_those_of_differences():
    """Finite differences agree with the compiled backward pass."""
    table, ids, position_weights, key = (x[0] for x in inputs((2, 2, 3), torch.float64))
    rng = StepRng(key, torch.tensor(0.0))

    def bags(table, position_weights):
        return bag_of_words(table, ids, position_weights, rng, FEW, TYPES)

    with use_backend("numba"):
        assert torch.autograd.gradcheck(bags, (table, position_weights))
