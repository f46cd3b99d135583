"""Dropout by a hash in torch operations, on any device."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.ops.hash_dropout.spec import DropoutSpec
from symshift.ops.hashing import hash_bits


def hash_dropout(x: Float[Tensor, "*shape"], key: Int[Tensor, " 2"], dropout: DropoutSpec) -> Float[Tensor, "*shape"]:
    """Return x times its mask; the arguments are those of the public function in `function`."""
    numbers = torch.arange(x.numel(), device=x.device, dtype=torch.int32).view(x.shape)
    keep = hash_bits(key, dropout.site, numbers) < dropout.threshold
    return x * keep.to(x.dtype).div_(1 - dropout.rate)
