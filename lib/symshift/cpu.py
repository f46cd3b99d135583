"""How a CPU computes small models."""

import contextlib
import ctypes
import platform
from collections.abc import Iterator

import torch

TINY = 1e-39  # below the smallest normal number
GLIBC = ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
MMAP_MAX, TRIM_THRESHOLD, TOP_PAD = -4, -1, -2  # of mallopt
KEPT = {MMAP_MAX: 0, TRIM_THRESHOLD: 2**31 - 1, TOP_PAD: 2**26}
USUAL = {MMAP_MAX: 2**16, TRIM_THRESHOLD: 2**17, TOP_PAD: 2**17}


@contextlib.contextmanager
def single_threaded_cpu() -> Iterator[None]:
    """One thread, nothing between zero and the smallest normal number, and memory kept from one update to the next. Two
    threads were up to 60 times slower on a shared two-core machine; EntNet's gradient over 200 sentences fades into
    numbers that made an update four times slower; to be handed its pages anew took prehoc a third of an update of 70
    sentences. What a process has freed goes back to the system at the end."""
    threads, flushed = torch.get_num_threads(), not torch.tensor(TINY).mul(1)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    _allocate(KEPT)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushed)
        if GLIBC and not flushed:  # the outermost of several
            _allocate(USUAL)
            GLIBC.malloc_trim(0)


def _allocate(options: dict[int, int]) -> None:
    """Let the C library handle memory so from now on."""
    if GLIBC:
        for option, value in options.items():
            GLIBC.mallopt(option, value)
