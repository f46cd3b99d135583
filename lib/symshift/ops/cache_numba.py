"""Compiled kernels on disk, where that is possible; a cache that is missing or damaged costs a compilation.

Numba keeps them beside their module, else in the user's folder for caches. It raises where it can write to neither, and
whatever its unpickling raises where a file was cut off, or where a named tuple of a signature has another name since.
It looks at the kernel's own module only, so that a changed helper, a named tuple with its fields in another order or a
number of another module would be read as it was: here they count too.
"""

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache


class TolerantCache(FunctionCache):
    """Numba's cache of one function.

    Args:
        function: The kernel.
        helpers: The functions that it calls.
    """

    def __init__(self, function: Callable[..., Any], helpers: Sequence[Callable[..., Any]]):
        super().__init__(function)
        self._cache_file._source_stamp = (self._impl.locator.get_source_stamp(), _digest(function, helpers))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel of a signature; None where it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # the index and the kernels are pickles
            with contextlib.suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled kernel, if that is possible."""
        with contextlib.suppress(Exception):  # as on a full disk
            super().save_overload(sig, data)


def cache_on_disk(dispatcher: Any, helpers: Sequence[Callable[..., Any]]) -> Any:
    """Let a compiled function use the cache on disk; where there is no place for it, leave it without."""
    with contextlib.suppress(RuntimeError, OSError):
        dispatcher._cache = TolerantCache(dispatcher.py_func, helpers)
    return dispatcher


def _digest(function: Callable[..., Any], helpers: Sequence[Callable[..., Any]]) -> str:
    """Return a checksum of the kernel's folder, its helpers' files, and the numbers that kernel and helpers name."""
    files = {Path(helper.__code__.co_filename) for helper in helpers}
    files |= {*Path(function.__code__.co_filename).parent.glob("*.py")}
    digest = hashlib.sha256(repr([_numbers(each) for each in (function, *helpers)]).encode())
    for file in sorted(files):
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()


def _numbers(function: Callable[..., Any]) -> dict[str, int | float]:
    """Return the numbers of its module that a function names, imported ones among them: they are compiled in."""
    values = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: value for name, value in values.items() if isinstance(value, int | float)}
