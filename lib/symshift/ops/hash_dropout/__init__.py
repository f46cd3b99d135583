"""Dropout whose mask is a hash of key, site and position."""

from symshift.ops.hash_dropout.function import hash_dropout
from symshift.ops.hash_dropout.spec import NO_DROPOUT, DropoutSpec

__all__ = ["NO_DROPOUT", "DropoutSpec", "hash_dropout"]
