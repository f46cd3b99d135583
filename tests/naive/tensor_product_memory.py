"""TPR-RNN's memory as the recurrent loop over the tensor F (Eq. 34-39 of the symbol-shift paper), for one story."""

import torch
from torch import Tensor


def read(memory: Tensor, entity: Tensor, relation: Tensor) -> Tensor:
    """F(entity, relation)."""
    return torch.einsum("erv,e,r->v", memory, entity, relation)


def bind(entity: Tensor, relation: Tensor, value: Tensor) -> Tensor:
    """entity (x) relation (x) value."""
    return torch.einsum("e,r,v->erv", entity, relation, value)


def memory_of_story(entities: Tensor, relations: Tensor, sentence_mask: Tensor) -> Tensor:
    """F after the story. All three reads of a sentence are from F before it; a blank sentence is skipped."""
    memory = entities.new_zeros(entities.shape[-1], relations.shape[-1], entities.shape[-1])
    for (e1, e2), (r1, r2, r3), real in zip(entities, relations, sentence_mask, strict=True):
        if real:
            w, m, b = read(memory, e1, r1), read(memory, e1, r2), read(memory, e2, r3)
            write = bind(e1, r1, e2) - bind(e1, r1, w)
            move = bind(e1, r2, w) - bind(e1, r2, m)
            back = bind(e2, r3, e1) - bind(e2, r3, b)
            memory = memory + write + move + back
    return memory
