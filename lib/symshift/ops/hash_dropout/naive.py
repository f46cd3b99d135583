"""Dropout by a hash in plain autograd, as it is defined."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.hash_dropout.spec import DropoutSpec
from symshift.ops.hashing import hash_bits


def hash_dropout(x: Float[Tensor, "*shape"], key: Int[Tensor, " 2"], dropout: DropoutSpec) -> Float[Tensor, "*shape"]:
    """Return x * scale where the hash of an element's number is below the threshold, else zero."""
    numbers = torch.arange(x.numel(), device=x.device).view(x.shape)
    keep = hash_bits(key, dropout.site, numbers) < dropout.threshold
    return torch.where(keep, x * dropout.scale, torch.zeros_like(x))
