"""A kernel is compiled wherever it can be, and found again on disk where that is possible."""

import importlib.util
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import njit
from numba.core.caching import FunctionCache

from symshift.ops.cache_numba import TolerantCache, cache_on_disk

MODULE = """
from typing import NamedTuple
import numpy as np
class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray
def double(x):
    return 2 * x
def kernel(pair, out):
    out[0] = pair.a[0] + 10 * pair.b[0]
"""


def load_module(folder: Path, text: str = MODULE):
    """Import the text as a new module in a folder, as another process would."""
    (folder / "own_kernel.py").write_text(text)
    specification = importlib.util.spec_from_file_location("own_kernel", folder / "own_kernel.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules["own_kernel"] = module  # for pickles of its classes
    specification.loader.exec_module(module)
    return module


def answer(module) -> float:
    """Compile the kernel, or find it on disk, and call it."""
    out = np.zeros(1)
    name = next(name for name in ("Pair", "Two") if hasattr(module, name))
    kernel = cache_on_disk(njit(module.kernel), [module.double])
    kernel(getattr(module, name)(np.ones(1), 2 * np.ones(1)), out)
    assert out[0] == 21
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture(autouse=True)
def forget_module(monkeypatch):
    """Forget the module afterwards; keep its kernels beside it, also where NUMBA_CACHE_DIR names another folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    yield
    sys.modules.pop("own_kernel", None)


def test_kernel_is_found_on_disk(tmp_path):
    assert [answer(load_module(tmp_path)) for _ in range(2)] == [0, 1]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [b"", b"\x80\x05cut"])
def test_damaged_cache_is_made_again(tmp_path, suffix, damage):
    answer(load_module(tmp_path))
    for file in (tmp_path / "__pycache__").glob(f"*.{suffix}"):
        file.write_bytes(damage)
    assert [answer(load_module(tmp_path)) for _ in range(2)] == [0, 1]


def test_renamed_named_tuple_is_compiled_again(tmp_path):
    """The index on disk names a class that is gone; the file keeps its size and time."""
    answer(load_module(tmp_path))
    (index,) = (tmp_path / "__pycache__").glob("*.nbi")
    index.write_bytes(index.read_bytes().replace(b"Pair", b"Twin"))
    assert [answer(load_module(tmp_path)) for _ in range(2)] == [0, 1]


def test_changed_file_beside_the_kernel_is_seen(tmp_path):
    answer(load_module(tmp_path))
    (tmp_path / "state.py").write_text("FIELDS = 2\n")
    assert answer(load_module(tmp_path)) == 0


@pytest.mark.parametrize("number", ["2", "10"])  # of the helper, and of the kernel
def test_changed_number_of_another_module_is_seen(tmp_path, number):
    """A number that a kernel imports is compiled in, as `NORM_EPSILON` is."""
    text = MODULE.replace(f"{number} *", "NUMBER *")
    hits = []
    for imported in (int(number), int(number), float(number)):
        module = load_module(tmp_path, text)
        module.NUMBER = imported
        hits.append(answer(module))
    assert hits == [0, 1, 0]


def test_without_a_place_there_is_no_cache(tmp_path, monkeypatch):
    def no_place(*_):
        raise RuntimeError("cannot cache function 'kernel': no locator available")

    monkeypatch.setattr(FunctionCache, "__init__", no_place)
    assert [answer(load_module(tmp_path)) for _ in range(2)] == [0, 0]
    assert not isinstance(njit(load_module(tmp_path).kernel)._cache, TolerantCache)
