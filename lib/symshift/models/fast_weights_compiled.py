"""The memory of `fast_weights` on a CPU: the same triples, with 32 stories side by side.

In torch's operations a matrix of row by row goes through memory a dozen times, and a small product costs more to start
than to compute. The loops of `fast_weights_loops` keep no such matrix, and take a number of 32 stories at once, so that
what a story gives does not depend on its company."""

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from symshift.models import fast_weights_loops as loops
from symshift.models.compiled import stacked
from symshift.models.fast_weights_loops import LANES

# Of `LANES` stories a block, for each dim: e1 of all of them and e2 of all of them, and so on.
Entities = Float[Tensor, "block sentence entity pair"]
Relations = Float[Tensor, "block sentence relation triple"]
Values = Float[Tensor, "block sentence entity triple"]


class SideBySide(NamedTuple):
    """The entities e1 e2, the relations r1 r2 r3 and the values of rows W, M and B of each sentence."""

    entities: Entities
    relations: Relations
    values: Values

    def read(
        self, entity: Float[Tensor, "batch read entity"], relation: Float[Tensor, "batch read relation"]
    ) -> Float[Tensor, "batch read entity"]:
        """F(entity, relation), contracted over the first entity and the relation axis."""
        asked = (_side_by_side(x.unsqueeze(-2)) for x in (entity, relation))
        return _Read.apply(*asked, *self).movedim(-1, 1).flatten(0, 1)[: len(entity)]


def remember(
    entities: Float[Tensor, "batch sentence 2 entity"], relations: Float[Tensor, "batch sentence 3 relation"]
) -> SideBySide:
    """The memory after these sentences; one without entities changes nothing."""
    e, r = _side_by_side(entities), _side_by_side(relations)
    return SideBySide(e, r, _Solve.apply(e, r))


def _side_by_side(x: Float[Tensor, "batch position row dim"]) -> Float[Tensor, "block position dim rows"]:
    """Zeros fill the last block."""
    if missing := -len(x) % LANES:
        x = F.pad(x, (0, 0, 0, 0, 0, 0, 0, missing))
    return x.unflatten(0, (-1, LANES)).permute(0, 2, 4, 3, 1).flatten(-2).contiguous()


class _Solve(torch.autograd.Function):
    """The values of a story's entities and relations."""

    @staticmethod
    def forward(e: Entities, r: Relations) -> Values:
        values = e.new_empty(*e.shape[:3], 3 * LANES)
        loops.solve(e.contiguous(), r.contiguous(), values)
        return values

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_values: Values) -> tuple[Entities, Relations]:
        e, r, v = (x.contiguous() for x in ctx.saved_tensors)
        of_e, of_r = torch.zeros_like(e), torch.zeros_like(r)
        loops.solve_back(e, r, v, of_e, of_r, of_values.clone(memory_format=torch.contiguous_format))
        return of_e, of_r

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[Tensor, int]:
        return _Solve.apply(*stacked(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0


class _Read(torch.autograd.Function):
    """What is read with each entity and relation."""

    @staticmethod
    def forward(
        entity: Float[Tensor, "block read entity lane"],
        relation: Float[Tensor, "block read relation lane"],
        e: Entities,
        r: Relations,
        v: Values,
    ) -> Float[Tensor, "block read entity lane"]:
        found = torch.zeros_like(entity, memory_format=torch.contiguous_format)
        loops.read(*(x.contiguous() for x in (entity, relation, e, r, v)), found)
        return found

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_found: Float[Tensor, "block read entity lane"]) -> tuple[Tensor, ...]:
        inputs = [x.contiguous() for x in ctx.saved_tensors]
        gradients = tuple(torch.zeros_like(x) for x in inputs)
        loops.read_back(*inputs, of_found.contiguous(), *gradients)
        return gradients

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *arguments: Tensor) -> tuple[Tensor, int]:
        return _Read.apply(*stacked(info, in_dims, arguments)).unflatten(0, (info.batch_size, -1)), 0
