"""The memory of TPR-RNN as the papers have it: the tensor F in full, changed sentence by sentence."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.ops.functional import scalar_layer_norm


def tensor_product_reads(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    sentence_mask: Bool[Tensor, "batch sentence"],
    query_entity: Float[Tensor, "batch entity"],
    query_relations: Float[Tensor, "batch read relation"],
    dim_mask: Float[Tensor, "batch entity"],
    gains: Float[Tensor, " read"],
    biases: Float[Tensor, " read"],
) -> Float[Tensor, "batch read entity"]:
    """Read the memory after the story; each read starts from the one before (Schlag & Schmidhuber 2018, Eq. 17-19)."""
    memory, entity, reads = dense_memory(entities, relations, sentence_mask), query_entity, []
    for relation, gain, bias in zip(query_relations.unbind(1), gains, biases, strict=True):
        entity = scalar_layer_norm(read(memory, entity, relation), dim_mask, gain, bias)
        reads.append(entity)
    return torch.stack(reads, 1)


def dense_memory(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    sentence_mask: Bool[Tensor, "batch sentence"],
) -> Float[Tensor, "batch entity relation value"]:
    """Return F after the story (Eq. 34-39). All three reads of a sentence are from F before it."""
    memory = entities.new_zeros(len(entities), entities.shape[-1], relations.shape[-1], entities.shape[-1])
    for t in range(entities.shape[1]):
        (e1, e2), (r1, r2, r3) = entities[:, t].unbind(1), relations[:, t].unbind(1)
        w, m, b = read(memory, e1, r1), read(memory, e1, r2), read(memory, e2, r3)
        write = bind(e1, r1, e2 - w)
        move = bind(e1, r2, w - m)
        backlink = bind(e2, r3, e1 - b)
        memory = torch.where(sentence_mask[:, t, None, None, None], memory + write + move + backlink, memory)
    return memory


def read(
    memory: Float[Tensor, "batch entity relation value"],
    entity: Float[Tensor, "batch entity"],
    relation: Float[Tensor, "batch relation"],
) -> Float[Tensor, "batch value"]:
    """Return F(entity, relation), contracted over the first entity and the relation axis."""
    return torch.einsum("berv,be,br->bv", memory, entity, relation)


def bind(
    entity: Float[Tensor, "batch entity"],
    relation: Float[Tensor, "batch relation"],
    value: Float[Tensor, "batch value"],
) -> Float[Tensor, "batch entity relation value"]:
    """Return entity (x) relation (x) value."""
    return torch.einsum("be,br,bv->berv", entity, relation, value)
