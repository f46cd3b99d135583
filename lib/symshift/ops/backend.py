"""Which form of an operator runs, and how array functions are compiled with Numba.

An operator has up to three forms: `naive`, plain autograd, the specification; `torch`, fast on any device; `numba`,
loops compiled for a CPU. `select_backend` chooses one for a tensor, and `use_backend` overrides the choice, for tests
and measurements. The workbook installs Numba; a machine that only trains may lack it and then uses `torch`.

What a model computes is the same in any ensemble, so a sum must not depend on where numbers lie in memory. But where a
loop writes arrays, compiled code may check at run time whether they overlap with what it reads, and then take another
path. Sums therefore keep their order, unless a kernel over the dims of a slot says that `reassociate` will do, which
suits the CPU's vectors. In a kernel, views of arrays cost more than short sums.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from symshift.errors import InputError

Backend = Literal["naive", "torch", "numba"]
BACKENDS: tuple[Backend, ...] = ("naive", "torch", "numba")
HAS_NUMBA = find_spec("numba") is not None

_forced: ContextVar[Backend | None] = ContextVar("backend", default=None)


@contextmanager
def use_backend(name: Backend | None) -> Iterator[None]:
    """Run every operator in one form while the context is open; None chooses by tensor, as usual.

    A backward pass takes the form of its forward pass, also after the context has closed.

    Args:
        name: "naive", "torch", "numba" or None.

    Raises:
        InputError: There is no such form, or Numba is not installed.
    """
    if name is not None and name not in BACKENDS:
        raise InputError(f"backend is {name!r}; choose from {', '.join(BACKENDS)}")
    if name == "numba" and not HAS_NUMBA:
        raise InputError("backend is 'numba', but Numba is not installed; choose naive or torch")
    token = _forced.set(name)
    try:
        yield
    finally:
        _forced.reset(token)


def select_backend(x: Tensor) -> Backend:
    """Return the form in which an operator takes this tensor: `numba` on a CPU that has it, else `torch`."""
    return _forced.get() or ("numba" if HAS_NUMBA and x.is_cpu else "torch")


class FlopCounter:
    """Adds up the multiplications and additions of the kernels that run while it is entered."""

    entered: ClassVar[list["FlopCounter"]] = []

    def __init__(self) -> None:
        self.total = 0

    def __enter__(self) -> "FlopCounter":
        self.entered.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.entered.remove(self)


class AutogradFunction(torch.autograd.Function):
    """An autograd function that knows the signature of its `forward`.

    Torch binds the arguments of each call to it. To inspect it anew takes as long as all else that a call costs.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.forward.__signature__ = inspect.signature(cls.forward)  # type: ignore[attr-defined]


def njit_kernel(
    helpers: Sequence[Callable[..., Any]] = (), flops: Callable[..., int] | None = None, reassociate: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Compile an array function with Numba at its first call, cached on disk where there is a place for it.

    The function may be called with tensors, and named tuples of tensors, too. It and its helpers want `no_type_check`,
    for Numba reads their source.

    Args:
        helpers: Functions that it calls.
        flops: Takes the same arguments and returns how many multiplications and additions it does, for `FlopCounter`.
        reassociate: Let LLVM reorder sums.
    """
    allowed = {"contract", "nsz"} | ({"reassoc"} if reassociate else set())

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.cache
        def compiled() -> Callable[..., None]:
            from numba import njit
            from numba.extending import register_jitable

            from symshift.ops.cache_numba import cache_on_disk

            for helper in helpers:
                register_jitable(helper)
            return cache_on_disk(njit(fastmath=allowed, error_model="numpy")(function), helpers)

        @functools.wraps(function)
        def call(*arguments: Any) -> None:
            for counter in FlopCounter.entered:
                counter.total += flops(*arguments) if flops else 0
            compiled()(*map(to_arrays, arguments))

        return call

    return decorate


def to_arrays(x: Any) -> Any:
    """Return the array of a tensor, or a named tuple with arrays in place of its tensors; all else as it is."""
    if isinstance(x, tuple) and isinstance(x[0], Tensor):
        return type(x)(*(field.numpy() for field in x))
    return x.numpy() if isinstance(x, Tensor) else x


def merge_vmap_dim(info: Any, in_dims: tuple[int | None, ...], arguments: tuple[Any, ...]) -> list[Any]:
    """Return the arguments of a vmapped function with the axis of vmap merged into their first, the axis of models."""

    def merge(x: Any, dim: int | None) -> Any:
        if not isinstance(x, Tensor):
            return x
        models = x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
        return models.flatten(0, 1)

    return [merge(x, dim) for x, dim in zip(arguments, in_dims, strict=True)]
