"""A sentence of an entity network's general form, there and back: all of `entity_cells` but the products with U.

`Operations` says it in torch's operations, on any device; `entity_steps_compiled` in a loop for a CPU."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

SMALLEST = 1e-12  # norm of a slot


class Course(NamedTuple):
    """What both ways need. Found on the way there: the slots after each sentence (`states`), U h + V w + W s + b
    (`inner`), the gates, and one over what each slot was divided by (`scales`)."""

    start: Float[Tensor, "stack batch slot dim"]
    sentences: Float[Tensor, "stack batch sentence dim"]
    slope: Float[Tensor, "stack dim"]
    states: Float[Tensor, "sentence stack batch slot dim"]
    inner: Float[Tensor, "sentence stack batch slot dim"]
    gates: Float[Tensor, "sentence stack batch slot 1"]
    scales: Float[Tensor, "sentence stack batch slot 1"]

    def before(self, t: int, models: slice) -> Float[Tensor, "some batch slot dim"]:
        """The slots before sentence t."""
        return self.states[t - 1, models] if t else self.start[models]


class Entering(NamedTuple):
    """What enters with a sentence: s . w + b_j, W s + b and V w."""

    opening: Float[Tensor, "stack batch sentence slot"]
    told: Float[Tensor, "stack batch sentence dim"]
    held: Float[Tensor, "stack #batch slot dim"]


class Gradients(NamedTuple):
    """Gradients of what they are named after: `start` is that of the slots before the sentence just gone back through,
    `inner` that of this sentence alone, of the models that go side by side."""

    start: Float[Tensor, "stack batch slot dim"]
    sentences: Float[Tensor, "stack batch sentence dim"]
    slope: Float[Tensor, "stack dim"]
    opening: Float[Tensor, "stack batch sentence slot"]
    told: Float[Tensor, "stack batch sentence dim"]
    held: Float[Tensor, "stack #batch slot dim"]
    inner: Float[Tensor, "some batch slot dim"]


class Operations:
    """In torch's operations."""

    def __init__(self, course: Course):
        self.course = course

    def there(self, entering: Entering, t: int, models: slice) -> None:
        """Sentence t for these models, whose `inner` is U h so far."""
        a, gate, scale, after = (x[t, models] for x in self._found())
        h, bend = self.course.before(t, models), self._bend(models)
        a.add_(entering.told[models, :, t, None]).add_(entering.held[models])
        part = h * self.course.sentences[models, :, t, None]
        torch.sum(part, -1, keepdim=True, out=gate).add_(entering.opening[models, :, t, :, None]).sigmoid_()
        torch.addcmul(a, torch.clamp(a, max=0, out=part), bend, out=after)
        torch.addcmul(h, after, gate, out=part)
        torch.linalg.vector_norm(part, dim=-1, keepdim=True, out=scale).clamp_(min=SMALLEST).reciprocal_()
        torch.mul(part, scale, out=after)

    def back(self, of: Gradients, t: int, models: slice) -> None:
        """From the gradient of the slots after sentence t, in `of.start`, to that of the slots before it, but for what
        reached them through U, and of all else."""
        a, gate, scale, after = (x[t, models] for x in self._found())
        h, s, bend = self.course.before(t, models), self.course.sentences[models, :, t, None], self._bend(models)
        flow, da = of.start[models], of.inner[: len(h)]
        along = torch.mul(flow, after, out=da).sum(-1, keepdim=True).neg_()
        flow.addcmul_(after, along).mul_(scale)
        below = a.clamp(max=0)
        opens = torch.addcmul(a, below, bend, out=da).mul_(flow).sum(-1, keepdim=True)
        opens.mul_(gate).mul_(1 - gate)
        through = flow * gate
        of.slope[models] += torch.mul(below, through, out=da).sum((1, 2))
        torch.mul(torch.addcmul(torch.ones_like(bend), below.sign_(), bend, value=-1, out=da), through, out=da)
        of.opening[models, :, t] = opens.squeeze(-1)
        of.told[models, :, t] = da.sum(2)
        of.held[models] += da.sum(1, keepdim=True) if of.held.shape[1] == 1 else da
        of.sentences[models, :, t] = torch.mul(h, opens, out=through).sum(2)
        flow.addcmul_(s, opens)

    def _found(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.course.inner, self.course.gates, self.course.scales, self.course.states

    def _bend(self, models: slice) -> Tensor:
        return self.course.slope[models, None, None] - 1
