"""Loops that Numba compiles for a CPU, and how an autograd function made of them takes a stack of models.

In torch's operations each of them goes through all of its numbers from memory and back; a compiled loop goes through
them once. The workbook installs Numba; a machine that only trains may lack it, and does the same in operations.

What a model does is the same in any stack, so a sum must not depend on where numbers lie in memory. But where a loop
writes arrays, compiled code may look at run time whether they overlap with what is read, and then go another way.
Sums therefore keep their order, unless a loop over the dims of a slot says that `any_order` will do, which suits the
CPU's vectors. In a loop, views of arrays cost more than short sums."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar

from torch import Tensor

HAS_NUMBA = find_spec("numba") is not None


class FlopCounter:
    """Adds up the multiplications and additions of products in compiled loops while it is entered."""

    entered: ClassVar[list["FlopCounter"]] = []

    def __init__(self) -> None:
        self.total = 0

    def __enter__(self) -> "FlopCounter":
        self.entered.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.entered.remove(self)


def numba_supports(x: Tensor) -> bool:
    """Whether loops over this tensor can be compiled."""
    return HAS_NUMBA and x.is_cpu


def loop(
    function: Callable[..., None],
    parts: Sequence[Callable[..., Any]] = (),
    operations: Callable[..., int] | None = None,
    any_order: bool = False,
) -> Callable[..., None]:
    """A function of arrays, for tensors too; compiled at its first call and kept beside its module, with the functions
    that it calls. It wants `no_type_check`, for Numba reads its source, and so do they. `operations` says how many
    multiplications and additions of products the arguments take; `any_order`, that its sums may be reordered."""
    allowed = {"contract", "nsz"} | ({"reassoc"} if any_order else set())

    @functools.cache
    def compiled() -> Callable[..., None]:
        from numba import njit
        from numba.extending import register_jitable

        for part in parts:
            register_jitable(part)
        return njit(fastmath=allowed, error_model="numpy", cache=True)(function)

    @functools.wraps(function)
    def call(*arguments: Any) -> None:
        for arithmetic in FlopCounter.entered:
            arithmetic.total += operations(*arguments) if operations else 0
        compiled()(*(x.numpy() if isinstance(x, Tensor) else x for x in arguments))

    return call


def stacked(info: Any, in_dims: tuple[int | None, ...], arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments of a vmapped function whose first axis is the stack, with the models of vmap in it too."""

    def rows(x: Any, at: int | None) -> Any:
        if not isinstance(x, Tensor):
            return x
        return (x.expand(info.batch_size, *x.shape) if at is None else x.movedim(at, 0)).flatten(0, 1)

    return [rows(x, at) for x, at in zip(arguments, in_dims, strict=True)]


_chosen: list[str | None] = [None]  # by the innermost `use_backend`


@contextmanager
def use_backend(name: str | None) -> Iterator[None]:
    """Compute operators by "naive", "torch" or "numba" while this is entered; None chooses by device."""
    before = _chosen[0]
    _chosen[0] = name
    try:
        yield
    finally:
        _chosen[0] = before


def select_backend(x: Tensor) -> str:
    """Return the backend that an operator on this tensor should use."""
    return _chosen[0] or ("numba" if numba_supports(x) else "torch")


def njit_kernel(
    helpers: Sequence[Callable[..., Any]] = (), flops: Callable[..., int] | None = None, reassociate: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Compile the decorated function of arrays with Numba at its first call; see `loop`."""
    return functools.partial(loop, parts=helpers, operations=flops, any_order=reassociate)


merge_vmap_dim = stacked
