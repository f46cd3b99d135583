"""The device that a person names."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from symshift.errors import InputError

NO_MEMORY = ("allocate memory", "out of memory", "Storage size calculation overflowed")  # torch has no type for all


def resolve_device(device: str) -> torch.device:
    """Return the device of this name; `auto` is the GPU where there is one.

    Raises:
        InputError: This machine has no such device, or its tensors hold no numbers, as torch's `meta`.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.zeros(1, device=device).item()
        return torch.device(device)
    except (RuntimeError, AssertionError, TypeError):
        raise InputError(f"device {device!r} is not on this machine; choose auto or cpu") from None


@contextmanager
def memory_named(training: str) -> Iterator[None]:
    """Turn a want of memory into one line that names the training."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(phrase in str(error) for phrase in NO_MEMORY):
            raise
        right = "a smaller batch, fewer seeds or a smaller network would be right"
        raise InputError(f"{training} needs more memory than there is; {right}") from None
