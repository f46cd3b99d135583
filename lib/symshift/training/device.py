"""The device that a person names."""

import torch

from symshift.errors import InputError


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
