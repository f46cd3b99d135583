"""A sentence of an entity network's general form, there and back: all of `entity_cells` but the products with U.

Here in torch's operations, on any device; `entity_steps_compiled` has the same two functions in a loop for a CPU."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

SMALLEST = 1e-12  # norm of a slot


class ForwardState(NamedTuple):
    """What both ways need. Found on the way there: the slots after each sentence (`states`), U h + V w + W s + b
    (`inner`), the gates, and one over what each slot was divided by (`scales`)."""

    start: Float[Tensor, "stack slot dim"]
    sentences: Float[Tensor, "stack batch sentence dim"]
    slope: Float[Tensor, "stack dim"]
    states: Float[Tensor, "sentence stack batch slot dim"]
    inner: Float[Tensor, "sentence stack batch slot dim"]
    gates: Float[Tensor, "sentence stack batch slot 1"]
    scales: Float[Tensor, "sentence stack batch slot 1"]

    def before(self, t: int, models: slice) -> Float[Tensor, "some #batch slot dim"]:
        """The slots before sentence t."""
        return self.states[t - 1, models] if t else self.start[models].unsqueeze(1)


class StepInputs(NamedTuple):
    """What enters with a sentence: s . w + b_j, W s + b and V w."""

    opening: Float[Tensor, "stack batch sentence slot"]
    told: Float[Tensor, "stack batch sentence dim"]
    held: Float[Tensor, "stack slot dim"]


class Gradients(NamedTuple):
    """Gradients of what they are named after: `slots` is that of the slots before the sentence just gone back through,
    `inner` that of this sentence alone, of the models that go side by side; `each`, which is given, that of the slots
    after each sentence by whoever looked at them then, or of no sentence."""

    each: Float[Tensor, "some stack batch slot dim"]
    slots: Float[Tensor, "stack batch slot dim"]
    sentences: Float[Tensor, "stack batch sentence dim"]
    slope: Float[Tensor, "stack dim"]
    opening: Float[Tensor, "stack batch sentence slot"]
    told: Float[Tensor, "stack batch sentence dim"]
    held: Float[Tensor, "stack slot dim"]
    inner: Float[Tensor, "some batch slot dim"]


Step = Callable[[int, slice], None]  # of sentence t, for these models


def there(course: ForwardState, entering: StepInputs) -> Step:
    """A sentence for models whose `inner` is U h so far."""
    return partial(_there, course, entering)


def back(course: ForwardState, of: Gradients) -> Step:
    """From the gradient of the slots after a sentence, in `of.slots`, to that of the slots before it, but for what
    reached them through U, and of all else."""
    return partial(_back, course, of)


def _there(course: ForwardState, entering: StepInputs, t: int, models: slice) -> None:
    h, bend, (a, gate, scale, after) = course.before(t, models), *_found(course, t, models)
    a.add_(entering.told[models, :, t, None]).add_(entering.held[models, None])
    part = h * course.sentences[models, :, t, None]
    torch.sum(part, -1, keepdim=True, out=gate).add_(entering.opening[models, :, t, :, None]).sigmoid_()
    torch.addcmul(a, torch.clamp(a, max=0, out=part), bend, out=after)
    torch.addcmul(h, after, gate, out=part)
    torch.linalg.vector_norm(part, dim=-1, keepdim=True, out=scale).clamp_(min=SMALLEST).reciprocal_()
    torch.mul(part, scale, out=after)


def _back(course: ForwardState, of: Gradients, t: int, models: slice) -> None:
    h, bend, (a, gate, scale, after) = course.before(t, models), *_found(course, t, models)
    flow, da = of.slots[models], of.inner[: len(h)]
    if len(of.each):
        flow.add_(of.each[t, models])
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
    of.held[models] += da.sum(1)
    of.sentences[models, :, t] = torch.mul(h, opens, out=through).sum(2)
    flow.addcmul_(course.sentences[models, :, t, None], opens)


def _found(course: ForwardState, t: int, models: slice) -> tuple[Tensor, tuple[Tensor, ...]]:
    """What phi adds below zero; and `inner`, gates, scales and slots of a sentence."""
    each = course.inner, course.gates, course.scales, course.states
    return course.slope[models, None, None] - 1, tuple(x[t, models] for x in each)
