"""TPR-RNN with fewer memory operations: the ablation of Schlag & Schmidhuber 2018, Table 3.

W writes by r1, M moves by r2, B links back by r3. Without an operation a sentence has no such relation vector: a zero
key overlaps with nothing, so its row of the triangular system (`fast_weights`) reads nothing and writes nothing."""

import torch
from torch import Tensor

from symshift.models.tensor_product import RELATIONS, TensorProduct


class Ablated(TensorProduct):
    """A network with only some of the relation vectors, and so of the operations."""

    def fit(self, keys: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        entities, relations, *asked = super().fit(keys)
        told = relations.new_zeros(*relations.shape[:-2], len(RELATIONS), relations.shape[-1])
        places = torch.tensor([RELATIONS.index(name) for name in self.relations], device=told.device)
        return (entities, told.index_add(-2, places, relations), *asked)


class Write(Ablated):
    """W alone."""

    relations = ("r1",)


class WriteMove(Ablated):
    """W + M."""

    relations = ("r1", "r2")


class WriteBack(Ablated):
    """W + B."""

    relations = ("r1", "r3")
