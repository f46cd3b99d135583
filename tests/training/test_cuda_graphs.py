"""An update is what a CUDA graph can replay: a function of tensors on one device, whatever their values."""

from weakref import ref

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from symshift.data.encoding import Batch
from symshift.models import NETWORKS
from tests.helpers.small import CHOOSING, FORMS
from tests.training.test_ensemble import SEEDS, ForwardState

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
    course = ForwardState(preset, SEEDS[:2])
    stack, fields = course.stack, [field.to("meta") for field in course.batch()]  # where tensors have no values
    stack.weights, stack.template = stack.weights.detach().to("meta").requires_grad_(), stack.template.to("meta")
    seeds, update = (torch.empty(shape, dtype=torch.long, device="meta") for shape in ((2,), ()))
    with OnlyOn("meta"):
        losses, gradient = stack.gradient(seeds, update, Batch(*fields))
    assert losses.shape == (2,) and gradient.shape == stack.weights.shape


@pytest.mark.parametrize("preset", sorted(NETWORKS.keys() - CHOOSING))  # these learn nothing where no list is told
def test_from_the_same_buffers_an_update_is_the_same(preset):
    ordinary, buffered = (ForwardState(preset, SEEDS[:3], halve_every=5) for _ in range(2))
    losses = ordinary.losses(UPDATES)
    assert torch.equal(replayed(buffered, buffered.stack.learn), losses)
    assert torch.equal(buffered.stack.weights, ordinary.stack.weights)
    assert len(set(losses[:, 0].tolist())) > UPDATES / 2


def test_the_optimizer_follows_the_weights_of_those_who_stay():
    stack = ForwardState("tpr", SEEDS[:3]).stack
    stack.keep(torch.tensor([0, 2]))
    (group,) = stack.optimizer.param_groups
    assert group["params"][0] is stack.weights and group["lr"] is stack.rate


def test_a_stack_and_its_graphs_are_freed_with_its_last_user():
    course = ForwardState("tpr", SEEDS[:2])
    course.losses(2)
    stack = ref(course.stack)
    del course
    assert stack() is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.filterwarnings("ignore:This instance was constructed with capturable=True")
@pytest.mark.parametrize("preset", NETWORKS)
def test_a_graph_gives_the_same_curve(preset):
    captured, plain = (ForwardState(preset, SEEDS[:3], device="cuda", halve_every=5) for _ in range(2))
    curves = []
    for course in (captured, plain):
        for rows in ([0, 1, 2], [0, 2]):  # one leaves, and what is left is captured anew
            course.keep(rows)
            course.stack.graphs = course.stack.graphs if course is captured else None
            curves.append(course.losses(UPDATES))
            assert course is plain or course.stack.graphs.captured
    torch.testing.assert_close(torch.cat(curves[:2], -1), torch.cat(curves[2:], -1), rtol=1e-4, atol=1e-4)
