"""Where training stands, as one file that is replaced atomically."""

import json
from collections.abc import Collection
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


def load(path: Path, names: Collection[str] = ()) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `save` kept, these values at least. Tensors are copied: as it lies in the file one is not aligned, and may
    round otherwise."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            state = json.loads(file.metadata()["state"])
            if missing := set(names) - state.keys():
                raise KeyError(*missing)
            return {name: file.get_tensor(name).clone() for name in file.keys()}, state  # noqa: SIM118
    except (safetensors.SafetensorError, AttributeError, TypeError, KeyError, ValueError):
        raise InputError(f"{path.name} is not a checkpoint of ours; remove it to train from the start") from None
