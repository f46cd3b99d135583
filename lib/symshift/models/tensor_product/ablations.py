"""TPR-RNN with fewer memory operations: the ablation of Schlag & Schmidhuber 2018, Table 3.

W writes by r1, M moves by r2, B links back by r3. Without an operation a sentence has no such relation vector: a zero
key overlaps with nothing, so its row of the triangular system (`fast_weights`) reads nothing and writes nothing."""

import torch
from torch import Tensor

from symshift.models.tensor_product.model import RELATIONS, TensorProduct


class Ablated(TensorProduct):
    """A network with only some of the relation vectors, and so of the operations."""

    def fit(self, keys: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        entities, relations, *asked = super().fit(keys)
        has = dict(zip(self.relations, relations.unbind(-2), strict=True))
        without = torch.zeros_like(has["r1"])
        return (entities, torch.stack([has.get(name, without) for name in RELATIONS], -2), *asked)


class Write(Ablated):
    """W alone."""

    relations = ("r1",)


class WriteMove(Ablated):
    """W + M."""

    relations = ("r1", "r2")


class WriteBack(Ablated):
    """W + B."""

    relations = ("r1", "r3")
