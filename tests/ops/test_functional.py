"""Products of shared functions are those of `torch.einsum`."""

import pytest
import torch
from torch.func import vmap

from symshift.ops.functional import dot_products, project, project_heads, weighted_sum

PRODUCTS = {
    "project": (project, "bti,io->bto", (4, 5, 3), (3, 6)),
    "project-heads": (project_heads, "btki,kio->btko", (4, 5, 2, 3), (2, 3, 6)),
    "project-one-head": (project_heads, "bki,kio->bko", (4, 1, 3), (1, 3, 6)),
    "dot-products": (dot_products, "btd,bd->bt", (4, 5, 3), (4, 3)),
    "weighted-sum": (weighted_sum, "bt,btd->bd", (4, 5), (4, 5, 3)),
}


@pytest.mark.parametrize("models", [1, 3], ids=["alone", "stack"])
@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_product_is_that_of_einsum(product, models):
    """In values and gradients, also of a slice of a larger array."""
    function, equation, *shapes = product
    generator = torch.Generator().manual_seed(0)
    arguments = [
        torch.randn(models, *shape, 2, generator=generator, dtype=torch.float64)[..., 0].requires_grad_()
        for shape in shapes
    ]

    def values_and_gradients(function):
        result = vmap(function)(*arguments) if models > 1 else function(*(x[0] for x in arguments))
        return result, *torch.autograd.grad((result * result.detach().cos()).sum(), arguments)

    found, expected = map(values_and_gradients, (function, lambda *x: torch.einsum(equation, *x)))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
