"""TPR-RNN with dropout of hidden units alone.

The symbol-shift paper gives TPR-sm a dropout of 0.5 and does not say of what. Our TPR drops units of sentences and
questions, hidden units of the perceptrons, and units of what is read. An experiment: does the place matter?"""

from jaxtyping import Float
from torch import Tensor

from symshift.models.noise import Noise, Quiet
from symshift.models.symbols import Output
from symshift.models.tensor_product import TensorProduct


class HiddenDropout(TensorProduct):
    """Whole sentences and questions enter the perceptrons, and all that is read answers."""

    def keys(
        self,
        story: Float[Tensor, "batch sentence word dim"],
        question: Float[Tensor, "batch asked dim"],
        noise: Noise | Quiet,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rate = self.sizes.dropout
        told = self.told(self.sentence(story), noise, rate, site=4)
        return (*told, *self.asked(self.question(question), noise, rate, site=5))

    def read_off(self, h: Float[Tensor, "batch entity"], noise: Noise | Quiet) -> Output:
        return Output(h @ self.projection.mT, None, None, {})
