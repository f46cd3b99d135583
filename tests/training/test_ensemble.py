"""A model is the same alone and in any stack: its seed decides, not its company."""

import itertools

import pytest
import torch
from torch.func import functional_call, vmap

from symshift.models import NETWORKS
from symshift.ops.entity_recurrence import function as entity_cells
from symshift.ops.rng import StepRng, fold_in
from tests.helpers.small import FORMS
from tests.helpers.small_ensemble import SEEDS, SmallEnsemble

ONE = 3  # the seed that also trains alone


@pytest.mark.parametrize("preset", NETWORKS)
def test_initial_weights_alone_and_together(preset):
    """Alone and in a stack a seed starts from the same weights."""
    assert torch.equal(
        SmallEnsemble(preset, [ONE]).ensemble.weights[0], SmallEnsemble(preset, SEEDS).ensemble.weights[ONE]
    )


def test_examples_alone_and_together():
    """Alone and in a stack a seed sees the same examples."""
    alone, together = SmallEnsemble("tpr", [ONE]), SmallEnsemble("tpr", SEEDS)
    for alone.update in range(20):
        together.update = alone.update
        for one, many in zip(alone.batch(), together.batch(), strict=True):
            assert torch.equal(one[0], many[ONE])


def test_dropout_masks_alone_and_together():
    """Alone and in a stack a seed draws the same masks."""

    def masks(key):
        rng, words = StepRng(key, torch.tensor(0.0)), torch.arange(24).view(2, 3, 4) % 5
        dropped = rng.dropout(torch.ones(2, 3, 4), 0.5, site=1)
        return dropped, rng.word_type_dropout(torch.ones(2, 3, 4, 1), words, 0.5, site=2), rng.uniform(3, 7)

    for update in range(20):
        many = vmap(masks)(fold_in(SEEDS, update))
        for one, together in zip(masks(fold_in([ONE], update)[0]), many, strict=True):
            assert torch.equal(one, together[ONE])


@pytest.mark.parametrize("preset", ["mn", "smn", "tpr-sm", "stpr", "gstpr-sm", "entnet", "entnet-simple"])
def test_losses_alone_and_together(preset):
    """Alone and in a stack a seed has the same losses."""
    alone, together = SmallEnsemble(preset, [ONE]).losses(8), SmallEnsemble(preset, SEEDS).losses(8)
    torch.testing.assert_close(alone[:, 0], together[:, ONE], rtol=0, atol=1e-4)


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="only MKL promises to round alike")
@pytest.mark.parametrize("preset", FORMS)
def test_first_losses_alone_and_together_to_the_bit(preset):
    """Alone and in a stack a seed of wide networks has the same losses to the bit; test_same_bits has small ones."""
    wide = {"batch": 32, "dim": 64, "hidden": 64, "width": 64, "slots": 8}
    alone, together = (SmallEnsemble(preset, seeds, **wide).losses(3) for seeds in ([ONE], SEEDS[: ONE + 1]))
    assert torch.equal(alone[:, 0], together[:, ONE])


def test_entity_networks_side_by_side(monkeypatch):
    """How many entity networks go side by side changes nothing."""
    together = SmallEnsemble("entnet", SEEDS, batch=32).losses(5)
    slots = SmallEnsemble("entnet", [ONE]).ensemble.template.own_keys.nbytes * 32
    for models in (1, 3):
        monkeypatch.setattr(entity_cells, "CACHE_BYTES", models * slots)
        assert torch.equal(SmallEnsemble("entnet", SEEDS, batch=32).losses(5), together)


def test_seeds_of_an_ensemble_differ():
    losses = SmallEnsemble("tpr-sm", SEEDS).losses(5)
    assert all(len(set(row.tolist())) == len(SEEDS) for row in losses)


def test_select_does_not_change_the_others():
    """A model that leaves does not change the others."""
    together, left = SmallEnsemble("stpr-sm", SEEDS[:3]), SmallEnsemble("stpr-sm", SEEDS[:3])
    together.losses(3)
    left.losses(3)
    left.select([0, 2])
    torch.testing.assert_close(left.losses(7), together.losses(7)[:, [0, 2]], rtol=0, atol=1e-4)


def test_gradient_is_clipped_for_each_model():
    """Each model is clipped by its own gradient."""
    trained = SmallEnsemble("tpr", SEEDS[:3], optimizer="sgd", learning_rate=1.0, clip=0.5)
    with torch.no_grad():
        trained.ensemble.weights[1] *= 30
    before, batch = trained.ensemble.weights.detach().clone(), trained.batch()
    trained.losses(1)
    for row, seed in enumerate(SEEDS[:3]):
        start = before[row].clone().requires_grad_()
        own = {name: value[0] for name, value in trained.ensemble.unflatten(start[None]).items()}
        rng = StepRng(fold_in([seed], 0)[0], torch.tensor(0.0))
        alone = type(batch)(*(field[row] for field in batch))
        output = functional_call(trained.ensemble.template, own, (alone, rng))
        output.log_likelihood(alone.symbols, alone.answer).mean().neg().backward()
        step = start.grad / max(1, start.grad.norm() / 0.5)
        torch.testing.assert_close(trained.ensemble.weights[row], before[row] - step, rtol=1e-4, atol=1e-6)


def test_answer_dropout_takes_the_semantic_half_from_a_share():
    """Answers of task 1 are rooms of the story, which are surer with both halves, at the start too."""
    rates = 0.0, 0.3, 0.7, 0.99
    losses = [SmallEnsemble("stransformer", SEEDS[:3], batch=200, answer_dropout=rate).losses(1)[0] for rate in rates]
    for lower, higher in itertools.pairwise(losses):
        assert (lower < higher).all()


def test_answer_dropout_spares_words_that_may_not_be_hidden():
    spared = SmallEnsemble("stransformer", SEEDS[:2], answer_dropout=0.99)
    spared.ensemble.hidable_words = torch.zeros(len(spared.ensemble.template.words), dtype=torch.bool)
    assert torch.equal(spared.losses(2), SmallEnsemble("stransformer", SEEDS[:2]).losses(2))


def test_learning_rate_is_halved_every_so_many_updates():
    halved, constant = (SmallEnsemble("tpr", [0], learning_rate=0.1, halve_every=every).ensemble for every in (10, 0))
    assert [halved.learning_rate(update) for update in (0, 9, 10, 19, 20)] == [0.1, 0.1, 0.05, 0.05, 0.025]
    assert constant.learning_rate(10**6) == 0.1


def test_linear_start_ends_at_its_share_of_the_updates():
    always, half, never = (
        SmallEnsemble("mn", [0], updates=4, linear_start=share).losses(3) for share in (1.0, 0.5, 0.0)
    )
    assert torch.equal(half[:2], always[:2])
    assert half[2] != always[2]
    assert half[0] != never[0]
