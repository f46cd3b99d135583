"""When a model stops, and when it starts again from another seed."""

from dataclasses import replace

import pytest

from symshift.config import configure
from symshift.training.replica import BestValidation, Replica
from symshift.training.stopping import MAX_ATTEMPTS, has_finished, why_failed

TRAINING = replace(
    configure({"model": "tpr"}).training,
    updates=100,
    evaluate_every=10,
    patience=30,
    solved=0.01,
    restart_at=20,
    restart_above=5.0,
)


def replica(*, error=40.0, loss=2.0, best=(40.0, 2.0, 10), attempt=0):
    """A model with this last validation, and this best one: error, loss and update."""
    last = {"update": 10, "loss": 1.0, "valid_error": error, "valid_loss": loss}
    return Replica(0, attempt, BestValidation(*best), [last])


@pytest.mark.parametrize(
    ("last", "update", "solved", "finished"),
    [
        ({"error": 0.0, "loss": 0.009}, 10, 0.01, True),
        ({"error": 0.0, "loss": 0.01}, 10, 0.01, False),
        ({"error": 0.0, "loss": 0.0}, 10, 0.0, False),  # 0: nothing counts as solved
        ({"error": 0.1, "loss": 0.001, "best": (0.0, 0.02, 10)}, 10, 0.01, False),
        ({}, 39, 0.01, False),
        ({}, 40, 0.01, True),  # the best validation is 30 updates old
        ({"best": (40.0, 2.0, 90)}, 99, 0.01, False),
        ({"best": (40.0, 2.0, 90)}, 100, 0.01, True),
    ],
)
def test_has_finished_at_each_bound(last, update, solved, finished):
    assert has_finished(replica(**last), update, replace(TRAINING, solved=solved)) == finished


@pytest.mark.parametrize(
    ("model", "update", "restart_at", "failed"),
    [
        ({"best": (5.1, 2.0, 10)}, 10, 20, False),
        ({"best": (5.1, 2.0, 10)}, 20, 20, True),
        ({"best": (5.1, 2.0, 10)}, 30, 20, False),  # it is asked once
        ({"best": (5.1, 2.0, 10)}, 20, 15, True),
        ({"best": (5.1, 2.0, 10)}, 10, 0, False),  # 0: never
        ({"best": (5.0, 2.0, 10)}, 20, 20, False),
        ({"best": (5.0, 2.0, 10), "error": 50.0}, 20, 20, False),  # the best validation decides, not the last
        ({"best": (5.1, 2.0, 10), "attempt": MAX_ATTEMPTS - 2}, 20, 20, True),
        ({"best": (5.1, 2.0, 10), "attempt": MAX_ATTEMPTS - 1}, 20, 20, False),
    ],
)
def test_why_failed_at_each_bound(model, update, restart_at, failed):
    training = replace(TRAINING, restart_at=restart_at)
    assert bool(why_failed(replica(**model), update, training, finite=True)) == failed
    assert why_failed(replica(**model), update, training, finite=False) == "weights are not finite"
