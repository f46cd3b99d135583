"""TPR-RNN and STPR with dropout of hidden units alone.

The symbol-shift paper gives its small models a dropout of 0.5 and does not say of what. Ours drop units of sentences
and questions, hidden units of the perceptrons, and units of what is read. An experiment: does the place matter?"""

from jaxtyping import Float
from torch import Tensor

from symshift.models.tensor_product.model import SymbolicTensorProduct, TensorProduct
from symshift.ops.rng import NoRng, StepRng


class HiddenDropout(TensorProduct):
    """Whole sentences and questions enter the perceptrons, and all that is read answers."""

    def drop(self, x: Float[Tensor, "*shape"], rng: StepRng | NoRng, site: int) -> Float[Tensor, "*shape"]:
        return x


class SymbolicHiddenDropout(HiddenDropout, SymbolicTensorProduct):
    """STPR with dropout in the perceptrons alone."""
