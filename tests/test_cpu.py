"""Small models run on one thread, and afterwards the machine is as it was."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from symshift.cpu import DENORMAL, GLIBC, single_threaded_cpu

MEMORY_AFTER = """
from pathlib import Path
import torch
from symshift.cpu import single_threaded_cpu

def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

with single_threaded_cpu():
    with single_threaded_cpu():
        pass
    torch.ones(10**7)
before = resident_bytes()
large = torch.ones(5 * 10**7)  # too large for what was free
assert resident_bytes() - before > 150e6
del large
print(resident_bytes() - before)
"""


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_threads_and_denormals_are_restored():
    with single_threaded_cpu():
        with single_threaded_cpu():
            pass
        assert torch.get_num_threads() == 1
        assert torch.tensor(DENORMAL).mul(1) == 0
    assert torch.get_num_threads() == 2
    assert torch.tensor(DENORMAL).mul(1) > 0


@pytest.mark.skipif(not GLIBC or not sys.platform.startswith("linux"), reason="of the C library of Linux")
def test_memory_freed_afterwards_is_returned():
    done = subprocess.run([sys.executable, "-c", MEMORY_AFTER], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 50e6
