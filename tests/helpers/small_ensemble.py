"""A small ensemble in training."""

import torch

from symshift.data import load
from symshift.data.encoding import Vocabulary, encode
from symshift.ops.rng import fold_in
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble
from tests.helpers.small import config

SEEDS = list(range(10))
STORIES = Data(load(1, 100, source="generated"), load(1, 10, "test", "generated"))


class SmallEnsemble:
    """Models in training, one per seed, as the loop trains them."""

    def __init__(self, preset, seeds, device="cpu", stories=STORIES, **values):
        small = config(preset, **{"batch": 8} | values)
        vocabulary = Vocabulary.of(stories.train, small.sentences)
        self.ensemble, self.seeds, self.stories = Ensemble.untrained(small, vocabulary, seeds, device), seeds, stories
        self.update, self.device = 0, device
        self.questions = encode(stories.train, vocabulary, small.sentences).to(device)

    def batch(self):
        splits = self.stories.split(self.questions, self.seeds)
        return splits.batch(self.keys(), self.update, self.ensemble.training.batch)

    def keys(self):
        """The keys of this update."""
        return fold_in(self.seeds, self.update, self.device)

    def losses(self, updates):
        """Return the loss of each of the next updates, update by seed."""
        losses = []
        for _ in range(updates):
            losses.append(self.ensemble.step(self.batch(), self.keys(), self.update))
            self.update += 1
        return torch.stack(losses)

    def select(self, rows):
        """Go on with these models alone."""
        self.ensemble.select(torch.tensor(rows, device=self.device))
        self.seeds = [self.seeds[row] for row in rows]
