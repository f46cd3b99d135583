"""Random vectors: new ones for each story in training, a function of the story alone in evaluation."""

import torch

from symshift.models.transformer.lexinvariant import random_vectors
from symshift.ops.rng import NO_RNG, StepRng, fold_in

SYMBOLS = torch.arange(1, 13).repeat(3, 1)


def vectors(seed: int, update: int) -> torch.Tensor:
    rng = StepRng(fold_in([seed], update)[0], torch.tensor(0.0))
    return random_vectors(SYMBOLS, 40, rng, torch.float32)


def test_training_draws_vectors_for_each_story_and_update():
    drawn = torch.cat((vectors(0, 0), vectors(0, 1), vectors(1, 0))).flatten(0, 1)
    assert set(drawn.unique().tolist()) == {-1.0, 1.0}
    assert abs(drawn.mean()) < 0.1
    assert len(drawn.unique(dim=0)) == len(drawn)
    assert torch.equal(vectors(0, 1), vectors(0, 1))


def test_evaluation_gives_every_story_the_same_vectors():
    first, *others = random_vectors(SYMBOLS, 40, NO_RNG, torch.float64)
    assert len(first.unique(dim=0)) == len(first)
    assert all(torch.equal(first, other) for other in others)
    assert torch.equal(random_vectors(SYMBOLS[:1, :5], 40, NO_RNG, torch.float64)[0], first[:5])
