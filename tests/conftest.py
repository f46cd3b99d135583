"""What every test stands on: one thread each, so that two workers share two cores."""

import os
from pathlib import Path

import pytest
import torch

os.environ["OMP_NUM_THREADS"] = "1"  # for the kernels that tests start
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).parents[1]
