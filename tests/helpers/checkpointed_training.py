"""A small training that writes a checkpoint at every validation.

`python -m tests.helpers.checkpointed_training OUTPUTS` runs it.
"""

import sys
from collections.abc import Sequence

from symshift.data import load
from symshift.training import loop
from symshift.training.data import Data
from tests.helpers.small import config

SEEDS = [0, 1, 2]
QUICK = {"evaluate_every": 5, "patience": 50, "batch": 8, "restart_at": 0}


def train(outputs: str, seeds: Sequence[int] = SEEDS, updates: int = 100) -> list[str]:
    stories = Data(load(1, 100, source="generated"), load(1, 10, "test", "generated"))
    return loop.train(config("gstpr-sm", updates=updates, **QUICK), seeds, outputs, "cpu", stories)


if __name__ == "__main__":
    loop.SECONDS_BETWEEN_CHECKPOINTS = 0
    train(sys.argv[1])
