"""Where the training of an ensemble stands, as one file that is replaced atomically."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import Tensor

from symshift.errors import InputError
from symshift.paths import write_atomically
from symshift.runs import tensor_file
from symshift.training.device import is_memory_error


def checkpoint_file(outputs: Path, run_ids: Iterable[str]) -> Path:
    """Return where the ensemble of these runs has its checkpoint."""
    name = hashlib.sha256(json.dumps(sorted(run_ids)).encode()).hexdigest()[:12]
    return outputs / "checkpoints" / f"{name}.safetensors"


def save(path: Path, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
    """Write tensors and plain values; floats keep all their digits."""
    text = json.dumps(state)
    values = {"state": text, "sha256": _checksum(tensors, text)}
    write_atomically(path, tensor_file.dump(tensors, values))


def load(path: Path, names: Collection[str] = ()) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `save` wrote.

    Args:
        path: The file.
        names: Plain values that must be there.

    Raises:
        InputError: The file is damaged or of another version.
    """
    with translate_checkpoint_errors(path):
        tensors, values = tensor_file.load(path)
        state = json.loads(values["state"])
        if values["sha256"] != _checksum(tensors, values["state"]) or set(names) - state.keys():
            raise ValueError
        return tensors, state


def _checksum(tensors: dict[str, Tensor], state: str) -> str:
    return tensor_file.sha256(f"{tensor_file.tensors_sha256(tensors)} {state}".encode())


@contextmanager
def translate_checkpoint_errors(path: Path) -> Iterator[None]:
    """Raise any error of reading a checkpoint as an `InputError` of one line that names the file.

    Too little memory is no fault of the file, which has to stay: such an error passes as it is.

    Raises:
        InputError: The checkpoint cannot be used.
    """
    try:
        yield
    except Exception as error:
        if is_memory_error(error):
            raise
        message = f"{path} is no checkpoint that this version can resume; remove it to train from the start"
        raise InputError(message) from None
