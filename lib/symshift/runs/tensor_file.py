"""Tensors and plain values in one safetensors file, whose bytes depend on them alone."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
from torch import Tensor

ENTRY = "values"  # one entry of metadata: safetensors writes several in a random order


def dump(tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file; floats among the values keep all their digits."""
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    return safetensors.torch.save(on_cpu, metadata={ENTRY: json.dumps(values)})


def load(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `dump` wrote, or an older file whose values are metadata entries of their own.

    Tensors are copied: as it lies in the file one is not aligned, and may round otherwise.
    """
    with safetensors.safe_open(path, "pt") as file:
        metadata = dict(file.metadata())
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    return tensors, json.loads(metadata[ENTRY]) if ENTRY in metadata else metadata


def sha256(data: bytes) -> str:
    """Return the checksum of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def tensors_sha256(tensors: Mapping[str, Tensor]) -> str:
    """Return the checksum of tensors with their names, types and shapes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
