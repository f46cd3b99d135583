"""How a CPU computes small models."""

import contextlib
import ctypes
import platform
from collections.abc import Iterator

import torch

DENORMAL = 1e-39  # below the smallest normal number of float32
GLIBC = ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
MMAP_MAX, TRIM_THRESHOLD, TOP_PAD = -4, -1, -2  # options of mallopt
MALLOC_TRAINING = {MMAP_MAX: 0, TRIM_THRESHOLD: 2**31 - 1, TOP_PAD: 2**26}
MALLOC_DEFAULT = {MMAP_MAX: 2**16, TRIM_THRESHOLD: 2**17, TOP_PAD: 2**17}


@contextlib.contextmanager
def single_threaded_cpu() -> Iterator[None]:
    """Run on one CPU thread, flush denormals to zero, and keep freed memory until the end.

    Measured: two threads were up to 60 times slower on a shared two-core machine; EntNet's gradient over 200 sentences
    fades into denormals, which made an update four times slower; new memory pages took a third of prehoc's update of 70
    sentences. The settings of before come back at the end.
    """
    threads, flushing = torch.get_num_threads(), not torch.tensor(DENORMAL).mul(1)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    _set_malloc(MALLOC_TRAINING)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushing)
        if GLIBC and not flushing:  # the outermost of several
            _set_malloc(MALLOC_DEFAULT)
            GLIBC.malloc_trim(0)


def _set_malloc(options: dict[int, int]) -> None:
    if GLIBC:
        for option, value in options.items():
            GLIBC.mallopt(option, value)
