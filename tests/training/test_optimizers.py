"""Each optimizer steps as torch's class of that name does, to the bit."""

import subprocess
import sys

import pytest
import torch

from symshift.models.transformer.symbolic import NOT_DECAYED
from symshift.training.optimizers import Adam, Sgd
from tests.helpers.small_ensemble import SmallEnsemble

BETAS = (0.9, 0.99)
RATES = (0.1, 0.1, 0.05, 0.0)


@pytest.mark.parametrize("decay", [0.0, 0.3], ids=["alone", "with-decay"])
@pytest.mark.parametrize("name", ["adam", "sgd"])
def test_steps_are_those_of_the_class(name, decay):
    start = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
    ours, theirs = start.clone().requires_grad_(), start.clone().requires_grad_()
    rate = torch.zeros((), dtype=torch.float64)
    amounts = torch.full((1, 64), decay) if decay else None
    optimizer = Adam(ours, BETAS, {}, amounts) if name == "adam" else Sgd(amounts)
    if name == "sgd":
        reference = torch.optim.SGD([theirs], rate, weight_decay=decay)
    elif decay:
        reference = torch.optim.AdamW([theirs], rate, BETAS, weight_decay=decay, fused=True)
    else:
        reference = torch.optim.Adam([theirs], rate, BETAS, fused=True)
    for seed, value in enumerate(RATES):
        rate.fill_(value)
        theirs.grad = torch.randn(3, 64, generator=torch.Generator().manual_seed(seed + 1))
        before = ours.detach().clone()
        optimizer.step(ours, theirs.grad.clone(), rate)
        reference.step()
        assert torch.equal(ours, theirs)
        assert torch.equal(ours, before) == (value == 0)
    for key, tensor in optimizer.state.items():
        assert torch.equal(tensor, reference.state[theirs][key])
    assert len(optimizer.state) == (3 if name == "adam" else 0)


@pytest.mark.parametrize("decays", ["all", "all-but-matches"])
def test_a_network_says_which_weights_decay(decays):
    ensemble = SmallEnsemble("stransformer-recency", [0, 1], weight_decay=0.5, decays=decays).ensemble
    amounts = {name: set(part.unique().tolist()) for name, part in ensemble.unflatten(ensemble.decay).items()}
    assert set(amounts) > set(NOT_DECAYED)
    for name, amount in amounts.items():
        assert amount == ({0.0} if decays != "all" and name in NOT_DECAYED else {0.5})


def test_an_ensemble_without_decay_has_none():
    assert SmallEnsemble("stransformer", [0], weight_decay=0.0).ensemble.decay is None


def test_an_update_takes_decay_whatever_the_gradient():
    kept, decayed = (SmallEnsemble("mn", [0], optimizer="sgd", weight_decay=decay) for decay in (0.0, 0.5))
    start = kept.ensemble.weights.detach().clone()
    kept.losses(1), decayed.losses(1)
    rate = kept.ensemble.rate.item()
    expected = kept.ensemble.weights - rate * 0.5 * start
    torch.testing.assert_close(decayed.ensemble.weights, expected)
    assert not torch.equal(kept.ensemble.weights, expected)


def test_adam_goes_on_from_its_state():
    start = torch.randn(2, 32, generator=torch.Generator().manual_seed(0))
    gradients = torch.randn(4, 2, 32, generator=torch.Generator().manual_seed(1))
    rate = torch.tensor(0.1, dtype=torch.float64)
    whole, parted = start.clone(), start.clone()
    optimizer = Adam(whole, BETAS, {})
    for gradient in gradients:
        optimizer.step(whole, gradient, rate)
    first = Adam(parted, BETAS, {})
    for gradient in gradients[:2]:
        first.step(parted, gradient, rate)
    second = Adam(parted, BETAS, first.state)
    for gradient in gradients[2:]:
        second.step(parted, gradient, rate)
    assert torch.equal(whole, parted)


def test_training_loads_no_compiler(tmp_path):
    """torch's compiler takes a second to import and compiles nothing here."""
    code = (
        "import sys; from symshift import configure, train; "
        "config = configure({'model': 'mn', 'source': 'generated', 'examples': 100, 'updates': 2}); "
        f"train(config, [0], {str(tmp_path)!r}, 'cpu'); assert 'torch._dynamo' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
