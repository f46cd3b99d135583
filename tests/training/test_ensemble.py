"""A model is the same alone and in any stack: its seed decides, not its company."""

import pytest
import torch
from torch.func import functional_call, vmap

from symshift.data import load
from symshift.data.encoding import Vocabulary, encode
from symshift.models import NETWORKS
from symshift.ops.entity_recurrence import function as entity_cells
from symshift.ops.rng import StepRng, fold_in
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble
from tests.helpers.small import FORMS, config

SEEDS = list(range(10))
ONE = 3  # the seed that also trains alone
STORIES = Data(load(1, 100, source="generated"), load(1, 10, "test", "generated"))


class ForwardState:
    """Models in training, one a seed, as the protocol trains them."""

    def __init__(self, preset, seeds, device="cpu", **values):
        small = config(preset, **{"batch": 8} | values)
        vocabulary = Vocabulary.of(STORIES.train, small.sentences)
        self.stack, self.seeds = Ensemble.of(small, vocabulary, seeds, device), seeds
        self.update, self.device = 0, device
        self.questions = encode(STORIES.train, vocabulary, small.sentences).to(device)

    def batch(self):
        parts = STORIES.parts(self.questions, self.seeds)
        return parts.batch(torch.tensor(self.seeds, device=self.device), self.update, self.stack.training.batch)

    def losses(self, updates):
        """The loss of each of the next updates, update by seed."""
        losses = []
        for _ in range(updates):
            seeds = torch.tensor(self.seeds, device=self.device)
            losses.append(self.stack.step(self.batch(), seeds, self.update))
            self.update += 1
        return torch.stack(losses)

    def keep(self, rows):
        """The others leave."""
        self.stack.keep(torch.tensor(rows, device=self.device))
        self.seeds = [self.seeds[row] for row in rows]


@pytest.mark.parametrize("preset", NETWORKS)
def test_alone_and_in_a_stack_a_seed_starts_from_the_same_weights(preset):
    assert torch.equal(ForwardState(preset, [ONE]).stack.weights[0], ForwardState(preset, SEEDS).stack.weights[ONE])


def test_alone_and_in_a_stack_a_seed_sees_the_same_examples():
    alone, stacked = ForwardState("tpr", [ONE]), ForwardState("tpr", SEEDS)
    for alone.update in range(20):
        stacked.update = alone.update
        for one, many in zip(alone.batch(), stacked.batch(), strict=True):
            assert torch.equal(one[0], many[ONE])


def test_alone_and_in_a_stack_a_seed_draws_the_same_masks():
    def masks(key):
        rng, words = StepRng(key, torch.tensor(0.0)), torch.arange(24).view(2, 3, 4) % 5
        dropped = rng.dropout(torch.ones(2, 3, 4), 0.5, site=1)
        return dropped, rng.word_type_dropout(torch.ones(2, 3, 4, 1), words, 0.5, site=2), rng.uniform(3, 7)

    for update in range(20):
        many = vmap(masks)(fold_in(torch.tensor(SEEDS), torch.tensor(update)))
        for one, stacked in zip(masks(fold_in(torch.tensor(ONE), torch.tensor(update))), many, strict=True):
            assert torch.equal(one, stacked[ONE])


@pytest.mark.parametrize("preset", ["mn", "smn", "tpr-sm", "stpr", "gstpr-sm", "entnet", "entnet-simple"])
def test_alone_and_in_a_stack_a_seed_has_the_same_losses(preset):
    alone, stacked = ForwardState(preset, [ONE]).losses(50), ForwardState(preset, SEEDS).losses(50)
    torch.testing.assert_close(alone[:, 0], stacked[:, ONE], rtol=0, atol=1e-4)


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="only MKL promises to round alike")
@pytest.mark.parametrize("sizes", [{}, {"dim": 64, "hidden": 64, "width": 64, "slots": 8}], ids=["small", "wide"])
@pytest.mark.parametrize("preset", FORMS)
def test_alone_and_in_a_stack_a_seed_has_the_same_losses_to_the_bit(preset, sizes):
    alone, stacked = (ForwardState(preset, seeds, batch=32, **sizes).losses(3) for seeds in ([ONE], SEEDS[: ONE + 1]))
    assert torch.equal(alone[:, 0], stacked[:, ONE])


def test_how_many_entity_networks_go_side_by_side_changes_nothing(monkeypatch):
    together = ForwardState("entnet", SEEDS, batch=32).losses(5)
    slots = ForwardState("entnet", [ONE]).stack.template.own_keys.nbytes * 32
    for models in (1, 3):
        monkeypatch.setattr(entity_cells, "CACHE_BYTES", models * slots)
        assert torch.equal(ForwardState("entnet", SEEDS, batch=32).losses(5), together)


def test_seeds_of_a_stack_differ():
    losses = ForwardState("tpr-sm", SEEDS).losses(5)
    assert all(len(set(row.tolist())) == len(SEEDS) for row in losses)


def test_a_model_that_leaves_does_not_change_the_others():
    together, left = ForwardState("stpr-sm", SEEDS[:3]), ForwardState("stpr-sm", SEEDS[:3])
    together.losses(10)
    left.losses(10)
    left.keep([0, 2])
    torch.testing.assert_close(left.losses(20), together.losses(20)[:, [0, 2]], rtol=0, atol=1e-4)


def test_each_model_is_clipped_by_its_own_gradient():
    course = ForwardState("tpr", SEEDS[:3], optimizer="sgd", learning_rate=1.0, clip=0.5)
    with torch.no_grad():
        course.stack.weights[1] *= 30
    before, batch = course.stack.weights.detach().clone(), course.batch()
    course.losses(1)
    for row, seed in enumerate(SEEDS[:3]):
        start = before[row].clone().requires_grad_()
        own = {name: value[0] for name, value in course.stack.named(start[None]).items()}
        rng = StepRng(fold_in(torch.tensor(seed), torch.tensor(0)), torch.tensor(0.0))
        alone = type(batch)(*(field[row] for field in batch))
        output = functional_call(course.stack.template, own, (alone, rng))
        output.log_likelihood(alone.symbols, alone.answer).mean().neg().backward()
        step = start.grad / max(1, start.grad.norm() / 0.5)
        torch.testing.assert_close(course.stack.weights[row], before[row] - step, rtol=1e-4, atol=1e-6)
