"""Additive attention over the slots of a memory after each sentence (Palma 2020)."""

from symshift.ops.slot_attention.function import slot_attention

__all__ = ["slot_attention"]
