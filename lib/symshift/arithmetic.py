"""How a CPU computes small models."""

import contextlib
import ctypes
import platform
from collections.abc import Iterator

import torch

TINY = 1e-39  # below the smallest normal number
GLIBC = ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
KEPT = {-4: 0, -1: 2**31 - 1, -2: 2**26}  # mallopt's M_MMAP_MAX, M_TRIM_THRESHOLD, M_TOP_PAD


@contextlib.contextmanager
def lean() -> Iterator[None]:
    """One thread, nothing between zero and the smallest normal number, and memory kept from one update to the next. Two
    threads were up to 60 times slower on a shared two-core machine; EntNet's gradient over 200 sentences fades into
    numbers that made an update four times slower; to be handed its pages anew took prehoc a third of an update of 70
    sentences. What a process has freed goes back to the system at the end."""
    threads, flushed = torch.get_num_threads(), not torch.tensor(TINY).mul(1)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    if GLIBC:
        for option, value in KEPT.items():
            GLIBC.mallopt(option, value)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushed)
        if GLIBC:
            GLIBC.malloc_trim(0)
