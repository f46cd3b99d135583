"""The device that a person names."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from symshift.errors import InputError

NO_MEMORY = ("allocate memory", "out of memory", "Storage size calculation overflowed")  # torch has no type for all


def resolve_device(device: str) -> torch.device:
    """Return the device of this name, such as `cpu` or `cuda:1`; `auto` is the GPU where there is one.

    Raises:
        InputError: This machine has no such device, or it is no CPU and no CUDA one. Others, as Apple's `mps`, have no
            64-bit numbers, and torch's `meta` has none at all.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
        if resolved.type not in ("cpu", "cuda"):
            raise InputError(f"device {device!r} cannot train these networks; choose auto, cpu or cuda")
        torch.zeros(1, device=resolved).item()
        return resolved
    except (RuntimeError, AssertionError, TypeError):
        raise InputError(f"device {device!r} is not on this machine; choose auto or cpu") from None


def is_memory_error(error: Exception) -> bool:
    """Return whether an error, of Python or of torch, says that there is too little memory."""
    return isinstance(error, MemoryError) or any(phrase in str(error) for phrase in NO_MEMORY)


@contextmanager
def translate_memory_errors(training: str) -> Iterator[None]:
    """Raise an error of too little memory as an `InputError` of one line.

    Args:
        training: What is trained, as the line names it.

    Raises:
        InputError: There is too little memory.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_memory_error(error):
            raise
        right = "a smaller batch, fewer seeds or a smaller network would be right"
        raise InputError(f"{training} needs more memory than there is; {right}") from None
