"""Where training stands, as one file that is replaced atomically."""

import json
from pathlib import Path
from typing import Any

import safetensors.torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import write_atomically


def save(path: Path, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
    """Keep tensors and plain values; floats keep all their digits."""
    held = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, safetensors.torch.save(held, metadata={"state": json.dumps(state)}))


def load(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `save` kept, copied: as it lies in the file a tensor is not aligned, and may round otherwise."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            state = json.loads(file.metadata()["state"])
            return {name: file.get_tensor(name).clone() for name in file.keys()}, state  # noqa: SIM118
    except (safetensors.SafetensorError, TypeError, KeyError, ValueError):
        raise InputError(f"{path.name} is not a checkpoint of ours; remove it to train from the start") from None
