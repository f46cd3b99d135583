"""The tensor-product memory of TPR-RNN, without the tensor.

Schlag & Schmidhuber 2018, Eq. 34-39 as printed in appendix E of the symbol-shift paper. The memory F is a third-order
tensor that each sentence t changes by W + M + B. All three reads use F before the sentence. Because the keys depend on
the sentence alone, F is a sum of triples key_e (x) key_r (x) value, three a sentence:

    row W:  keys (e1, r1)   value  e2 - F(e1, r1)
    row M:  keys (e1, r2)   value  F(e1, r1) - F(e1, r2)
    row B:  keys (e2, r3)   value  e1 - F(e2, r3)

and a read is F(n, l) = sum_s (E_s . n)(R_s . l) v_s. So the values of all sentences solve one unit lower triangular
system (I + L) V = C, exactly. No loop over time, and no tensor of entity x relation x entity numbers.

Long stories are solved in chunks: the memory of the past is read for the chunk's right-hand side, and is carried either
as triples or as the tensor, whichever is cheaper. A chunk of one sentence is the streaming form. A CPU solves and reads
the whole story in compiled loops (`fast_weights_compiled`).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.ops.backend import select_backend
from symshift.ops.tensor_product_memory import function as fast_weights_compiled

LONGEST_SOLVE = 40  # sentences in one triangular system; measured by `make bench`


class Writes(NamedTuple):
    """Keys and targets of consecutive sentences, rows W, M, B of each in turn; blank sentences are all zero."""

    entity_keys: Float[Tensor, "batch row entity"]
    relation_keys: Float[Tensor, "batch row relation"]
    targets: Float[Tensor, "batch row entity"]

    def split(self, sentences: int) -> list["Rows"]:
        """Chunks of at most so many sentences."""
        return [Writes(*part) for part in zip(*(x.split(3 * sentences, dim=1) for x in self), strict=True)]


class FactorizedMemory(NamedTuple):
    """The memory as its triples: memory and cost of a read grow with the story."""

    entity_keys: Float[Tensor, "batch row entity"]
    relation_keys: Float[Tensor, "batch row relation"]
    values: Float[Tensor, "batch row entity"]

    @classmethod
    def empty(cls, rows: Writes) -> "Triples":
        return cls(*(x[:, :0] for x in rows))

    def read(
        self, entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
    ) -> Float[Tensor, "batch read entity"]:
        """F(entity, relation), contracted over the first entity and the relation axis."""
        return ((entity @ self.entity_keys.mT) * (relation @ self.relation_keys.mT)) @ self.values

    def read_over_time(
        self, entity: Float[Tensor, "batch #sentence entity"], relation: Float[Tensor, "batch 1 relation"]
    ) -> Float[Tensor, "batch sentence entity"]:
        """F(entity, relation) as F was after each sentence: the sum over the triples until then."""
        row = torch.arange(self.values.shape[1], device=self.values.device) // 3
        told = (row <= row[::3, None]).to(self.values.dtype)
        return ((entity @ self.entity_keys.mT) * (relation @ self.relation_keys.mT) * told) @ self.values

    def write(self, rows: Writes, values: Float[Tensor, "batch row entity"]) -> "Triples":
        new = (rows.entity_keys, rows.relation_keys, values)
        return FactorizedMemory(*(torch.cat(pair, dim=1) for pair in zip(self, new, strict=True)))


class DenseTensor(NamedTuple):
    """The memory as the tensor F itself, its first two axes as one: right for small keys and long stories."""

    tensor: Float[Tensor, "batch key entity"]

    @classmethod
    def empty(cls, rows: Writes) -> "DenseTensor":
        batch, _, entity = rows.entity_keys.shape
        return cls(rows.targets.new_zeros(batch, entity * rows.relation_keys.shape[-1], entity))

    def read(
        self, entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
    ) -> Float[Tensor, "batch read entity"]:
        """F(entity, relation), contracted over the first entity and the relation axis."""
        return _outer(entity, relation) @ self.tensor

    def write(self, rows: Writes, values: Float[Tensor, "batch row entity"]) -> "DenseTensor":
        return DenseTensor(self.tensor + _outer(rows.entity_keys, rows.relation_keys).mT @ values)


Memory = FactorizedMemory | DenseTensor


def _outer(
    entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
) -> Float[Tensor, "batch read key"]:
    return (entity.unsqueeze(-1) * relation.unsqueeze(-2)).flatten(-2)


def rows(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    real: Bool[Tensor, "batch sentence"],
) -> Writes:
    """The rows of each sentence from its entity vectors e1, e2 and relation vectors r1, r2, r3. A sentence that is not
    real writes nothing."""
    first, second = (entities * real[..., None, None]).unbind(2)
    return Writes(
        torch.stack((first, first, second), 2).flatten(1, 2),
        relations.flatten(1, 2),
        torch.stack((second, torch.zeros_like(first), first), 2).flatten(1, 2),
    )


def erase_terms(reads: Float[Tensor, "batch row column"]) -> Float[Tensor, "batch row column"]:
    """What each row subtracts, from the reads with its own keys: F(e1, r1) for W, F(e1, r2) - F(e1, r1) for M,
    F(e2, r3) for B."""
    write, move, back = reads.unflatten(1, (-1, 3)).unbind(2)
    return torch.stack((write, move - write, back), 2).flatten(1, 2)


def solve(rows: Writes, targets: Float[Tensor, "batch row entity"]) -> Float[Tensor, "batch row entity"]:
    """The values of rows that see only each other and what `targets` already accounts for."""
    overlap = (rows.entity_keys @ rows.entity_keys.mT) * (rows.relation_keys @ rows.relation_keys.mT)
    sentence = torch.arange(overlap.shape[-1], device=overlap.device) // 3
    earlier = (sentence[:, None] > sentence[None, :]).to(overlap.dtype)
    return torch.linalg.solve_triangular(erase_terms(overlap) * earlier, targets, upper=False, unitriangular=True)


def extend(memory: Memory, rows: Writes) -> Memory:
    """The memory after these sentences, given the memory before them."""
    old = memory.read(rows.entity_keys, rows.relation_keys)
    return memory.write(rows, solve(rows, rows.targets - erase_terms(old)))


def cheapest_memory(sentences: int, entity: int, relation: int) -> type[Memory]:
    """How to carry the past between chunks, by the multiplications one read costs at half the story."""
    triples = 3 * sentences / 2 * (2 * entity + relation)
    tensor = entity * relation * (entity + 1)
    return FactorizedMemory if triples < tensor else DenseTensor


def chained_reads(
    entities: Float[Tensor, "batch sentence 2 entity"],
    relations: Float[Tensor, "batch sentence 3 relation"],
    real: Bool[Tensor, "batch sentence"],
    start: Float[Tensor, "batch entity"],
    steps: Float[Tensor, "batch step relation"],
    dims: Float[Tensor, "batch entity"],
    norms: torch.nn.ModuleList,
) -> Float[Tensor, "batch step entity"]:
    """What each step finds in a story's memory from what the one before found (Eq. 12-13), normalised over real dims;
    in compiled loops where they can be. A sentence that is not real writes nothing."""
    if select_backend(entities) != "numba":
        return read_in_chain(memory_of_story(rows(entities, relations, real)), start, steps, dims, norms)
    scalars = (torch.stack(each) for each in ([norm.gain for norm in norms], [norm.bias for norm in norms]))
    entities = entities * real[..., None, None]
    return fast_weights_compiled.chained_reads(entities, relations, start, steps, dims, *scalars)


def read_in_chain(
    memory: Memory,
    start: Float[Tensor, "batch entity"],
    steps: Float[Tensor, "batch step relation"],
    dims: Float[Tensor, "batch entity"],
    norms: torch.nn.ModuleList,
) -> Float[Tensor, "batch step entity"]:
    """The same of a memory."""
    at, reads = start, []
    for step, norm in zip(steps.unbind(1), norms, strict=True):
        at = norm(memory.read(at.unsqueeze(1), step.unsqueeze(1)).squeeze(1), dims)
        reads.append(at)
    return torch.stack(reads, 1)


def memory_of_story(rows: Writes, chunk: int = LONGEST_SOLVE) -> Memory:
    """The memory after all rows: one triangular system for short stories, chunks of `chunk` sentences for long ones."""
    sentences = rows.targets.shape[1] // 3
    if sentences <= chunk:
        return FactorizedMemory(rows.entity_keys, rows.relation_keys, solve(rows, rows.targets))
    return in_chunks(cheapest_memory(sentences, rows.entity_keys.shape[-1], rows.relation_keys.shape[-1]), rows, chunk)


def in_chunks(carrier: type[Memory], rows: Writes, chunk: int = LONGEST_SOLVE) -> Memory:
    """The memory after all rows, solved `chunk` sentences at a time and carried between as `carrier`."""
    memory = carrier.empty(rows)
    for part in rows.split(chunk):
        memory = extend(memory, part)
    return memory
