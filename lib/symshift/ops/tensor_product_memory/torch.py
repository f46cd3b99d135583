"""The memory of TPR-RNN as keys and values, in torch operations on any device; README.md has the derivation.

Schlag & Schmidhuber 2018, Eq. 34-39 as printed in appendix E of the symbol-shift paper. A sentence writes three rows:

    row W:  keys (e1, r1)   value  e2 - F(e1, r1)
    row M:  keys (e1, r2)   value  F(e1, r1) - F(e1, r2)
    row B:  keys (e2, r3)   value  e1 - F(e2, r3)
"""

from typing import NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.ops.functional import scalar_layer_norm

SENTENCES_PER_SOLVE = 40  # at most in one triangular system; measured by `make bench`


class MemoryWrites(NamedTuple):
    """Keys and targets of consecutive sentences, rows W, M, B of each in turn; blank sentences are all zero.

    A row's value is its target minus what the memory before the sentence holds for it.
    """

    entity_keys: Float[Tensor, "batch row entity"]
    relation_keys: Float[Tensor, "batch row relation"]
    targets: Float[Tensor, "batch row entity"]

    def split(self, sentences: int) -> list["MemoryWrites"]:
        """Return chunks of at most so many sentences."""
        return [MemoryWrites(*part) for part in zip(*(x.split(3 * sentences, dim=1) for x in self), strict=True)]


class FactorizedMemory(NamedTuple):
    """F as a sum of key (x) key (x) value: its size and the cost of a read grow with the story."""

    entity_keys: Float[Tensor, "batch row entity"]
    relation_keys: Float[Tensor, "batch row relation"]
    values: Float[Tensor, "batch row entity"]

    @classmethod
    def empty(cls, writes: MemoryWrites) -> "FactorizedMemory":
        """Return the memory before any sentence."""
        return cls(*(x[:, :0] for x in writes))

    def read(
        self, entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
    ) -> Float[Tensor, "batch read entity"]:
        """Return F(entity, relation), contracted over the first entity and the relation axis."""
        return ((entity @ self.entity_keys.mT) * (relation @ self.relation_keys.mT)) @ self.values

    def read_over_time(
        self, entity: Float[Tensor, "batch #sentence entity"], relation: Float[Tensor, "batch 1 relation"]
    ) -> Float[Tensor, "batch sentence entity"]:
        """Return F(entity, relation) as F was after each sentence: the sum over the rows until then."""
        sentence = torch.arange(self.values.shape[1], device=self.values.device) // 3
        written = (sentence <= sentence[::3, None]).to(self.values.dtype)
        return ((entity @ self.entity_keys.mT) * (relation @ self.relation_keys.mT) * written) @ self.values

    def write(self, writes: MemoryWrites, values: Float[Tensor, "batch row entity"]) -> "FactorizedMemory":
        """Return the memory with these rows, whose values are solved."""
        new = (writes.entity_keys, writes.relation_keys, values)
        return FactorizedMemory(*(torch.cat(pair, dim=1) for pair in zip(self, new, strict=True)))


class DenseTensor(NamedTuple):
    """F itself, its first two axes as one: right for small keys and long stories."""

    tensor: Float[Tensor, "batch key entity"]

    @classmethod
    def empty(cls, writes: MemoryWrites) -> "DenseTensor":
        """Return the memory before any sentence."""
        batch, _, entity = writes.entity_keys.shape
        return cls(writes.targets.new_zeros(batch, entity * writes.relation_keys.shape[-1], entity))

    def read(
        self, entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
    ) -> Float[Tensor, "batch read entity"]:
        """Return F(entity, relation), contracted over the first entity and the relation axis."""
        return _outer(entity, relation) @ self.tensor

    def write(self, writes: MemoryWrites, values: Float[Tensor, "batch row entity"]) -> "DenseTensor":
        """Return the memory with these rows, whose values are solved."""
        return DenseTensor(self.tensor + _outer(writes.entity_keys, writes.relation_keys).mT @ values)


Memory = FactorizedMemory | DenseTensor
Form = TypeVar("Form", FactorizedMemory, DenseTensor)


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
    """Solve the story's memory, then read it."""
    memory = solve_story(writes_from_keys(entities, relations, sentence_mask))
    return read_in_chain(memory, query_entity, query_relations, dim_mask, gains, biases)


def read_in_chain(
    memory: Memory,
    query_entity: Float[Tensor, "batch entity"],
    query_relations: Float[Tensor, "batch read relation"],
    dim_mask: Float[Tensor, "batch entity"],
    gains: Float[Tensor, " read"],
    biases: Float[Tensor, " read"],
) -> Float[Tensor, "batch read entity"]:
    """Read a memory; each read starts from the one before, normalized over its real dims."""
    entity, reads = query_entity, []
    for relation, gain, bias in zip(query_relations.unbind(1), gains, biases, strict=True):
        retrieved = memory.read(entity.unsqueeze(1), relation.unsqueeze(1)).squeeze(1)
        entity = scalar_layer_norm(retrieved, dim_mask, gain, bias)
        reads.append(entity)
    return torch.stack(reads, 1)


def writes_from_keys(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    sentence_mask: Bool[Tensor, "batch sentence"],
) -> MemoryWrites:
    """Return the rows that each sentence writes.

    Args:
        entities: e1 and e2 of each sentence.
        relations: r1, r2 and r3 of each sentence.
        sentence_mask: Sentences that are not blank; others write nothing.
    """
    first, second = (entities * sentence_mask[..., None, None]).unbind(2)
    return MemoryWrites(
        # a view of the first entity, so that its three gradients are added in one order, alone and in an ensemble
        torch.stack((first.view_as(first), first, second), 2).flatten(1, 2),
        relations.flatten(1, 2),
        torch.stack((second, torch.zeros_like(first), first), 2).flatten(1, 2),
    )


def solve_story(writes: MemoryWrites, chunk: int = SENTENCES_PER_SOLVE) -> Memory:
    """Return the memory after all rows: one triangular system for short stories, chunks for long ones.

    Args:
        writes: The rows of a story.
        chunk: How many sentences a triangular system has at most.
    """
    sentences = writes.targets.shape[1] // 3
    if sentences <= chunk:
        return FactorizedMemory(writes.entity_keys, writes.relation_keys, _solve(writes, writes.targets))
    form = cheapest_memory(sentences, writes.entity_keys.shape[-1], writes.relation_keys.shape[-1])
    if form is DenseTensor:
        return solve_in_chunks(DenseTensor, writes, chunk)
    return solve_in_chunks(FactorizedMemory, writes, chunk)


def solve_in_chunks(form: type[Form], writes: MemoryWrites, chunk: int = SENTENCES_PER_SOLVE) -> Form:
    """Return the memory after all rows, solved `chunk` sentences at a time and carried between in this form."""
    memory = form.empty(writes)
    for part in writes.split(chunk):
        memory = extend_memory(memory, part)
    return memory


def extend_memory(memory: Form, writes: MemoryWrites) -> Form:
    """Return the memory after these sentences, given the memory before them."""
    old = memory.read(writes.entity_keys, writes.relation_keys)
    return memory.write(writes, _solve(writes, writes.targets - _erased(old)))


def cheapest_memory(sentences: int, entity: int, relation: int) -> type[Memory]:
    """Choose how to carry the past between chunks, by the multiplications one read costs at half the story."""
    factorized = 3 * sentences / 2 * (2 * entity + relation)
    dense = entity * relation * (entity + 1)
    return FactorizedMemory if factorized < dense else DenseTensor


def _solve(writes: MemoryWrites, targets: Float[Tensor, "batch row entity"]) -> Float[Tensor, "batch row entity"]:
    """Values of rows that see only each other and what `targets` already accounts for."""
    overlap = (writes.entity_keys @ writes.entity_keys.mT) * (writes.relation_keys @ writes.relation_keys.mT)
    sentence = torch.arange(overlap.shape[-1], device=overlap.device) // 3
    earlier = (sentence[:, None] > sentence[None, :]).to(overlap.dtype)
    return torch.linalg.solve_triangular(_erased(overlap) * earlier, targets, upper=False, unitriangular=True)


def _erased(reads: Float[Tensor, "batch row column"]) -> Float[Tensor, "batch row column"]:
    """What rows subtract, from the reads with their keys: F(e1, r1), F(e1, r2) - F(e1, r1) and F(e2, r3)."""
    write, move, backlink = reads.unflatten(1, (-1, 3)).unbind(2)
    return torch.stack((write, move - write, backlink), 2).flatten(1, 2)


def _outer(
    entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
) -> Float[Tensor, "batch read key"]:
    return (entity.unsqueeze(-1) * relation.unsqueeze(-2)).flatten(-2)
