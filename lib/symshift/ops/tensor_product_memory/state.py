"""What the compiled kernels read and fill, with the stories of a block side by side.

A block is up to LANES stories of one model. For each dim, a row has the first vector of every story, then the second of
every story, and so on: in `entities` e1 of 32 stories and e2 of them.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor


class KeysAndValues(NamedTuple):
    """Keys and values of each sentence: the memory as a sum. In kernels also those of one block, and gradients."""

    entities: Float[Tensor, "block sentence entity two_lanes"]  # e1 e2
    relations: Float[Tensor, "block sentence relation three_lanes"]  # r1 r2 r3
    values: Float[Tensor, "block sentence entity three_lanes"]  # of the rows W, M, B


class ForwardState(NamedTuple):
    """What the reads start from, then what they are before and after their norms."""

    query_entity: Float[Tensor, "block 1 entity lane"]
    query_relations: Float[Tensor, "block read relation lane"]
    dim_mask: Float[Tensor, "block 1 entity lane"]
    retrieved: Float[Tensor, "block read entity lane"]
    reads: Float[Tensor, "block read entity lane"]


class Gradients(NamedTuple):
    """Gradients, by the name of what they belong to; all but that of the query entity add up."""

    query_entity: Float[Tensor, "block 1 entity lane"]
    query_relations: Float[Tensor, "block read relation lane"]
    gains: Float[Tensor, "model read"]
    biases: Float[Tensor, "model read"]
