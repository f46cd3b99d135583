"""What holds of every operator and backend: it computes what its naive twin does, for any model, layout and number."""

import pytest
import torch
from torch import Tensor
from torch.func import vmap

from symshift.ops.backend import use_backend
from symshift.training.ensemble import REGISTERS
from tests.ops.cases import CASES, Arguments, Case

MODELS = 3

pytestmark = [
    pytest.mark.parametrize("backend", ["torch", "numba"]),
    pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES]),
]


def arguments(case: Case, batch: int = 4, seed: int = 0) -> Arguments:
    """Arguments for one model, ready to be differentiated."""
    values = case.arguments(batch, torch.Generator().manual_seed(seed))
    return tuple(x.requires_grad_() if x.is_floating_point() else x for x in values)


def ensemble_arguments(case: Case, batch: int = 4, dtype: torch.dtype = torch.float64) -> Arguments:
    """Arguments for several models, stacked."""
    models = [[x.detach() for x in arguments(case, batch, seed)] for seed in range(MODELS)]
    return tuple(convert(torch.stack(column), dtype) for column in zip(*models, strict=True))


def convert(x: Tensor, dtype: torch.dtype) -> Tensor:
    """A leaf of this type; masks stay as they are."""
    return x.detach().to(dtype).requires_grad_() if x.is_floating_point() else x


def outputs_and_gradients(function, values: Arguments) -> list[Tensor]:
    """The outputs, and the gradients of a sum of them in which no two numbers have the same weight."""
    outputs = function(*values)
    weights = [torch.arange(1, 1 + x.numel(), dtype=x.dtype).view_as(x).sin() for x in outputs]
    total = sum((x * weight).sum() for x, weight in zip(outputs, weights, strict=True) if x.requires_grad)
    leaves = [x for x in values if x.requires_grad]
    return [*outputs, *torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True)]


def assert_all_close(actual: list[Tensor], expected: list[Tensor], **tolerance: float) -> None:
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one, other, **tolerance)


def test_values_and_gradients_are_those_of_naive(case, backend):
    """Every output and the gradient of every argument agree with plain autograd in float64."""
    with use_backend("naive"):
        expected = outputs_and_gradients(case.function, arguments(case))
    with use_backend(backend):
        assert_all_close(outputs_and_gradients(case.function, arguments(case)), expected)


def test_gradients_pass_gradcheck(case, backend):
    """Gradients agree with finite differences, along random directions (torch's fast mode)."""
    values = arguments(case, batch=2)
    differentiable = [i for i, x in enumerate(case.function(*values)) if x.requires_grad]
    with use_backend(backend):
        assert torch.autograd.gradcheck(
            lambda *x: tuple(case.function(*x)[i] for i in differentiable), values, fast_mode=True
        )


def test_vmap_agrees_with_loop(case, backend):
    """Several models at once compute what each computes alone."""
    values = ensemble_arguments(case)
    with use_backend(backend):
        together = outputs_and_gradients(vmap(case.function), values)
        loop = outputs_and_gradients(
            lambda *x: [torch.stack(rows) for rows in zip(*map(case.function, *x), strict=True)], values
        )
    assert_all_close(together, loop)


def test_strides_change_nothing(case, backend):
    """Arguments that lie in memory with their axes reversed give the same outputs and gradients."""
    values = ensemble_arguments(case)
    reversed_axes = tuple(x.detach().mT.contiguous().mT if x.ndim > 2 else x.detach() for x in values)
    with use_backend(backend):
        expected = outputs_and_gradients(vmap(case.function), values)
        actual = outputs_and_gradients(vmap(case.function), tuple(convert(x, torch.float64) for x in reversed_axes))
    assert_all_close(actual, expected)


def test_empty_batch_gives_empty_outputs(case, backend):
    """A batch of no question has outputs of no row, and gradients of zero."""
    values = arguments(case, batch=0)
    with use_backend(backend):
        results = outputs_and_gradients(case.function, values)
    count = len(results) - sum(x.requires_grad for x in values)
    assert all(x.shape[0] == 0 for x in results[:count])
    assert all((x == 0).all() for x in results[count:])


def test_float32_is_near_float64(case, backend):
    """Single precision loses no more than it must."""
    with use_backend(backend):
        double = outputs_and_gradients(case.function, arguments(case))
        single = outputs_and_gradients(case.function, tuple(convert(x, torch.float32) for x in arguments(case)))
    assert {x.dtype for x in single} == {torch.float32}
    assert_all_close([x.double() for x in single], double, rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="only MKL promises to round alike")
def test_bits_are_the_same_in_any_ensemble(case, backend):
    """In float32 a model alone has the bits that it has among others."""
    values = ensemble_arguments(case, batch=REGISTERS, dtype=torch.float32)
    with use_backend(backend):
        together = outputs_and_gradients(vmap(case.function), values)
        for model in range(MODELS):
            alone = tuple(convert(x[model : model + 1], torch.float32) for x in values)
            outputs = vmap(case.function)(*alone)
            expected = [x[model : model + 1] for x in together[: len(outputs)]]
            assert all(torch.equal(one, other) for one, other in zip(outputs, expected, strict=True))
