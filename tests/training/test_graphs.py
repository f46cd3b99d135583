"""An update is what a CUDA graph can replay: a function of tensors on one device, whatever their values."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from symshift.models import NETWORKS
from symshift.stories.encoding import Batch
from symshift.training.graphs import Graphs
from tests.small import FORMS
from tests.training.test_stacking import SEEDS, Course

UPDATES = 12


class OnlyOn(TorchDispatchMode):
    """Refuses every operation that takes or makes a tensor of another device."""

    def __init__(self, device):
        super().__init__()
        self.device = torch.device(device)

    def __torch_dispatch__(self, call, types, arguments=(), options=None):
        made = call(*arguments, **(options or {}))
        tensors = [x for x in tree_leaves((arguments, options, made)) if isinstance(x, torch.Tensor)]
        assert {x.device for x in tensors} <= {self.device}, call
        return made


def replayed(course, function):
    """The losses of the course's next updates by a function whose arguments lie in the same buffers in every update."""
    losses, buffers = [], {}
    for update in range(UPDATES):
        course.update = update
        arguments = torch.tensor(course.seeds), torch.tensor(update), *course.batch()
        kept = buffers.setdefault(tuple(x.shape for x in arguments), tuple(map(torch.empty_like, arguments)))
        for buffer, argument in zip(kept, arguments, strict=True):
            buffer.copy_(argument)
        course.stack.rate.fill_(course.stack.learning_rate(update))
        losses.append(function(*kept))
    return torch.stack(losses)


@pytest.mark.parametrize("preset", FORMS)
def test_no_part_of_an_update_looks_at_a_value_or_leaves_the_device(preset):
    course = Course(preset, SEEDS[:2])
    stack, fields = course.stack, [field.to("meta") for field in course.batch()]  # where tensors have no values
    stack.weights, stack.template = stack.weights.detach().to("meta").requires_grad_(), stack.template.to("meta")
    seeds, update = (torch.empty(shape, dtype=torch.long, device="meta") for shape in ((2,), ()))
    with OnlyOn("meta"):
        losses, gradient = stack.gradient(seeds, update, Batch(*fields))
    assert losses.shape == (2,) and gradient.shape == stack.weights.shape


@pytest.mark.parametrize("preset", NETWORKS)
def test_from_the_same_buffers_an_update_is_the_same(preset):
    ordinary, buffered = (Course(preset, SEEDS[:3], halve_every=5) for _ in range(2))
    losses = ordinary.losses(UPDATES)
    assert torch.equal(replayed(buffered, buffered.stack.learn_from), losses)
    assert torch.equal(buffered.stack.weights, ordinary.stack.weights)
    assert len(set(losses[:, 0].tolist())) > UPDATES / 2


def test_whatever_changes_place_is_captured_anew():
    stack = Course("tpr", SEEDS[:3]).stack
    before = stack.learn
    stack.keep(torch.tensor([0, 2]))
    assert stack.learn is not before
    assert stack.optimizer.param_groups[0]["params"][0] is stack.weights
    assert stack.optimizer.param_groups[0]["lr"] is stack.rate


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("preset", NETWORKS)
def test_a_graph_gives_the_same_curve(preset):
    captured, plain = (Course(preset, SEEDS[:3], device="cuda", halve_every=5) for _ in range(2))
    plain.stack.learn = plain.stack.learn_from
    for course in (captured, plain):
        course.losses(UPDATES)
        course.keep([0, 2])
    assert isinstance(captured.stack.learn, Graphs)
    plain.stack.learn = plain.stack.learn_from
    torch.testing.assert_close(captured.losses(UPDATES), plain.losses(UPDATES), rtol=1e-4, atol=1e-4)
    assert captured.stack.learn.captured
