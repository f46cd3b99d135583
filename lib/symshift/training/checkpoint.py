"""Where the training of an ensemble stands, as one file that is replaced atomically."""

import hashlib
import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import safetensors.torch
from torch import Tensor

from symshift.errors import InputError
from symshift.paths import write_atomically


def checkpoint_file(outputs: Path, run_ids: Iterable[str]) -> Path:
    """Return where the ensemble of these runs has its checkpoint."""
    name = hashlib.sha256(json.dumps(sorted(run_ids)).encode()).hexdigest()[:12]
    return outputs / "checkpoints" / f"{name}.safetensors"


def save(path: Path, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
    """Write tensors and plain values; floats keep all their digits."""
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, safetensors.torch.save(on_cpu, metadata={"state": json.dumps(state)}))


def load(path: Path, names: Collection[str] = ()) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `save` wrote.

    Tensors are copied: as it lies in the file one is not aligned, and may round otherwise.

    Args:
        path: The file.
        names: Plain values that must be there.

    Raises:
        InputError: The file is damaged or of another version.
    """
    try:
        with safetensors.safe_open(path, "pt") as file:
            state = json.loads(file.metadata()["state"])
            if missing := set(names) - state.keys():
                raise KeyError(*missing)
            return {name: file.get_tensor(name).clone() for name in file.keys()}, state  # noqa: SIM118
    except (safetensors.SafetensorError, AttributeError, TypeError, KeyError, ValueError):
        raise InputError(f"{path.name} is not a checkpoint of ours; remove it to train from the start") from None
