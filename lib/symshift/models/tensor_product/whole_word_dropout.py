"""TPR-RNN and STPR with dropout of whole words alone.

Another reading of the symbol-shift paper's dropout of 0.5, beside `tensor_product` and `hidden_dropout`: in training,
each word of story and question loses its vector with this probability, and keeps its symbol. Unlike `word_dropout` of
the sizes, the same word elsewhere in the example may keep it."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.models.tensor_product.hidden_dropout import HiddenDropout
from symshift.models.tensor_product.model import SymbolicTensorProduct
from symshift.ops.rng import NoRng, Site, StepRng


class WholeWordDropout(HiddenDropout):
    """What is left of the sentences enters the perceptrons, and all that these say is used."""

    hidden_dropout = 0.0

    def vectors(
        self, ids: Int[Tensor, "batch *position"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position dim"]:
        heard = super().vectors(ids, rng)
        site = Site.WHOLE_STORY_WORDS if ids.ndim == 3 else Site.WHOLE_QUESTION_WORDS
        return heard * rng.dropout(torch.ones_like(heard[..., :1]), self.config.dropout, site)

    def bags(
        self, story: Int[Tensor, "batch sentence word"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence dim"]:
        return self.sentence(self.vectors(story, rng))


class SymbolicWholeWordDropout(WholeWordDropout, SymbolicTensorProduct):
    """STPR with dropout of words alone."""
