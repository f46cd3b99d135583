"""Small models are computed lean, and afterwards the machine is as it was."""

from collections.abc import Iterator

import pytest
import torch

from symshift.arithmetic import TINY, lean


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_it_ends_with_what_there_was():
    with lean():
        with lean():
            pass
        assert torch.get_num_threads() == 1 and torch.tensor(TINY).mul(1) == 0
    assert torch.get_num_threads() == 2 and torch.tensor(TINY).mul(1) > 0
