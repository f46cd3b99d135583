"""How a CPU computes small models."""

import contextlib
from collections.abc import Iterator

import torch

TINY = 1e-39  # below the smallest normal number


@contextlib.contextmanager
def lean() -> Iterator[None]:
    """One thread, and nothing between zero and the smallest normal number. Two threads were up to 60 times slower on a
    shared two-core machine; EntNet's gradient over 200 sentences fades into numbers that made an update four times
    slower."""
    threads, flushed = torch.get_num_threads(), not torch.tensor(TINY).mul(1)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushed)
