"""Bags of words in torch operations, on any device."""

from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.functional import embed, position_weighted_sum
from symshift.ops.hash_dropout import DropoutSpec
from symshift.ops.rng import NoRng, StepRng


def bag_of_words(
    table: Float[Tensor, "vocabulary dim"],
    ids: Int[Tensor, "batch *position word"],
    position_weights: Float[Tensor, "longest dim"],
    rng: StepRng | NoRng,
    unit_dropout: DropoutSpec,
    type_dropout: DropoutSpec,
) -> Float[Tensor, "batch *position dim"]:
    """Return the bag of each sentence; the arguments are those of the public function in `function`."""
    vectors = rng.dropout(embed(table, ids), *unit_dropout)
    return position_weighted_sum(rng.word_type_dropout(vectors, ids, *type_dropout), position_weights)
