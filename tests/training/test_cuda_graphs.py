"""An update is what a CUDA graph can replay: a function of tensors on one device, whatever their values."""

from weakref import ref

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from symshift.data.encoding import Batch
from symshift.models import NETWORKS
from tests.helpers.small import CHOOSING, FORMS
from tests.helpers.small_ensemble import SEEDS, SmallEnsemble

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


def replayed(trained, function):
    """Return the losses of the next updates by a function whose arguments lie in the same buffers every time."""
    losses, buffers = [], {}
    for update in range(UPDATES):
        trained.update = update
        arguments = torch.tensor(trained.seeds), torch.tensor(update), *trained.batch()
        kept = buffers.setdefault(tuple(x.shape for x in arguments), tuple(map(torch.empty_like, arguments)))
        for buffer, argument in zip(kept, arguments, strict=True):
            buffer.copy_(argument)
        trained.ensemble.rate.fill_(trained.ensemble.learning_rate(update))
        losses.append(function(*kept))
    return torch.stack(losses)


@pytest.mark.parametrize("preset", FORMS)
def test_gradient_runs_on_the_meta_device(preset):
    """No part of an update looks at a value or leaves the device."""
    trained = SmallEnsemble(preset, SEEDS[:2])
    ensemble, fields = trained.ensemble, [field.to("meta") for field in trained.batch()]  # where tensors have no values
    ensemble.weights, ensemble.template = (
        ensemble.weights.detach().to("meta").requires_grad_(),
        ensemble.template.to("meta"),
    )
    seeds, update = (torch.empty(shape, dtype=torch.long, device="meta") for shape in ((2,), ()))
    with OnlyOn("meta"):
        losses, gradient = ensemble.gradient(seeds, update, Batch(*fields))
    assert losses.shape == (2,)
    assert gradient.shape == ensemble.weights.shape


@pytest.mark.parametrize("preset", sorted(NETWORKS.keys() - CHOOSING))  # these learn nothing where no list is told
def test_train_step_from_reused_buffers(preset):
    """From the same buffers an update is the same."""
    ordinary, buffered = (SmallEnsemble(preset, SEEDS[:3], halve_every=5) for _ in range(2))
    losses = ordinary.losses(UPDATES)
    assert torch.equal(replayed(buffered, buffered.ensemble.train_step), losses)
    assert torch.equal(buffered.ensemble.weights, ordinary.ensemble.weights)
    assert len(set(losses[:, 0].tolist())) > UPDATES / 2


def test_select_gives_the_optimizer_the_weights():
    """The optimizer follows the weights of those who stay."""
    ensemble = SmallEnsemble("tpr", SEEDS[:3]).ensemble
    ensemble.select(torch.tensor([0, 2]))
    (group,) = ensemble.optimizer.param_groups
    assert group["params"][0] is ensemble.weights
    assert group["lr"] is ensemble.rate


def test_ensemble_is_freed_with_its_last_user():
    """A stack and its graphs are freed with its last user."""
    trained = SmallEnsemble("tpr", SEEDS[:2])
    trained.losses(2)
    ensemble = ref(trained.ensemble)
    del trained
    assert ensemble() is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.filterwarnings("ignore:This instance was constructed with capturable=True")
@pytest.mark.parametrize("preset", NETWORKS)
def test_graphs_give_the_same_losses(preset):
    captured, plain = (SmallEnsemble(preset, SEEDS[:3], device="cuda", halve_every=5) for _ in range(2))
    curves = []
    for trained in (captured, plain):
        for rows in ([0, 1, 2], [0, 2]):  # one leaves, and what is left is captured anew
            trained.select(rows)
            trained.ensemble.graphs = trained.ensemble.graphs if trained is captured else None
            curves.append(trained.losses(UPDATES))
            assert trained is plain or trained.ensemble.graphs.captured
    torch.testing.assert_close(torch.cat(curves[:2], -1), torch.cat(curves[2:], -1), rtol=1e-4, atol=1e-4)
