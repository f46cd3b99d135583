"""The device that a person names."""

import torch

from symshift.errors import InputError


def resolve_device(device: str) -> torch.device:
    """Return the device of this name; `auto` is the GPU where there is one.

    Raises:
        InputError: This machine has no such device.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise InputError(f"device {device!r} is not on this machine; choose auto or cpu") from None
    return torch.device(device)
