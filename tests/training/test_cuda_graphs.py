"""An update is what a CUDA graph can replay: a function of tensors on one device, whatever their values."""

import gc
from weakref import ref

import pytest
import torch

from symshift.models import NETWORKS
from tests.helpers.small import CHOOSING
from tests.helpers.small_ensemble import SEEDS, SmallEnsemble

UPDATES = 4


def replayed(trained, function):
    """Return the losses of the next updates by a function whose arguments lie in the same buffers every time."""
    losses, buffers = [], {}
    for update in range(UPDATES):
        trained.update = update
        arguments = trained.keys(), torch.tensor(update), *trained.batch()
        kept = buffers.setdefault(tuple(x.shape for x in arguments), tuple(map(torch.empty_like, arguments)))
        for buffer, argument in zip(kept, arguments, strict=True):
            buffer.copy_(argument)
        trained.ensemble.rate.fill_(trained.ensemble.learning_rate(update))
        losses.append(function(*kept))
    assert len(buffers) < UPDATES  # some are used again
    return torch.stack(losses)


@pytest.mark.parametrize("preset", sorted(NETWORKS.keys() - CHOOSING))  # these learn nothing where no list is told
def test_train_step_from_reused_buffers(preset):
    """From the same buffers an update is the same."""
    ordinary, buffered = (SmallEnsemble(preset, SEEDS[:3], halve_every=2) for _ in range(2))
    losses = ordinary.losses(UPDATES)
    assert torch.equal(replayed(buffered, buffered.ensemble.train_step), losses)
    assert torch.equal(buffered.ensemble.weights, ordinary.ensemble.weights)
    assert len(set(losses[:, 0].tolist())) > UPDATES / 2


def test_select_keeps_the_moments_of_those_who_stay():
    """The optimizer goes on with the rows of those who stay, and with the number of steps."""
    trained = SmallEnsemble("tpr", SEEDS[:3])
    trained.losses(2)
    before = trained.ensemble.optimizer.state
    trained.ensemble.select(torch.tensor([0, 2]))
    after = trained.ensemble.optimizer.state
    assert after["step"] == 2
    assert all(torch.equal(after[name], before[name][[0, 2]]) for name in ("exp_avg", "exp_avg_sq"))


def test_ensemble_is_freed_with_its_last_user():
    """A stack and its graphs are freed with its last user."""
    trained = SmallEnsemble("tpr", SEEDS[:2])
    trained.losses(2)
    ensemble = ref(trained.ensemble)
    del trained
    gc.collect()
    assert ensemble() is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.filterwarnings("ignore:This instance was constructed with capturable=True")
@pytest.mark.parametrize("preset", NETWORKS)
def test_graphs_give_the_same_losses(preset):
    captured, plain = (SmallEnsemble(preset, SEEDS[:3], device="cuda", halve_every=2) for _ in range(2))
    curves = []
    for trained in (captured, plain):
        for rows in ([0, 1, 2], [0, 2]):  # one leaves, and what is left is captured anew
            trained.select(rows)
            trained.ensemble.graphs = trained.ensemble.graphs if trained is captured else None
            curves.append(trained.losses(UPDATES))
            assert trained is plain or trained.ensemble.graphs.captured
    torch.testing.assert_close(torch.cat(curves[:2], -1), torch.cat(curves[2:], -1), rtol=1e-4, atol=1e-4)
