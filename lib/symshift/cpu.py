"""How a CPU computes small models."""

import contextlib
import ctypes
import platform
from collections.abc import Iterator

import torch

TINY = 1e-39  # below the smallest normal number
GLIBC = ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
MMAP_MAX, TRIM_THRESHOLD, TOP_PAD = -4, -1, -2  # of mallopt
MALLOC_TRAINING = {MMAP_MAX: 0, TRIM_THRESHOLD: 2**31 - 1, TOP_PAD: 2**26}
USUAL = {MMAP_MAX: 2**16, TRIM_THRESHOLD: 2**17, TOP_PAD: 2**17}


@contextlib.contextmanager
def single_threaded_cpu() -> Iterator[None]:
    """Run on one CPU thread, flush denormals to zero and keep freed memory until the end.

    Measured on a shared two-core machine: two threads up to 60 times slower; denormals in EntNet's gradient over 200
    sentences make an update four times slower; pages given anew take a third of prehoc's update of 70 sentences.
    What was set before is restored, and freed memory is returned to the system.
    """
    threads, flushed = torch.get_num_threads(), not torch.tensor(TINY).mul(1)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    _allocate(MALLOC_TRAINING)
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
