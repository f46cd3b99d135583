"""Bags of words in plain autograd, word by word: the specification."""

from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.functional import embed
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
    vectors = rng.word_type_dropout(vectors, ids, *type_dropout)
    bags = vectors.new_zeros(*ids.shape[:-1], table.shape[-1])
    for word in range(ids.shape[-1]):
        bags = bags + position_weights[min(word, len(position_weights) - 1)] * vectors[..., word, :]
    return bags
