"""Numerical operators, each a folder with a naive form, a fast one for any device and kernels for a CPU."""

from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.entity_recurrence import SlotMixture, Slots, entity_recurrence, simple_entity_recurrence
from symshift.ops.hash_dropout import hash_dropout
from symshift.ops.slot_attention import slot_attention
from symshift.ops.symbolic_attention import AttentionInputs, AttentionOutputs, symbolic_attention
from symshift.ops.tensor_product_memory import (
    DenseTensor,
    FactorizedMemory,
    MemoryWrites,
    solve_in_chunks,
    solve_story,
    tensor_product_reads,
    writes_from_keys,
)

__all__ = [
    "AttentionInputs",
    "AttentionOutputs",
    "DenseTensor",
    "FactorizedMemory",
    "MemoryWrites",
    "SlotMixture",
    "Slots",
    "bag_of_words",
    "entity_recurrence",
    "hash_dropout",
    "simple_entity_recurrence",
    "slot_attention",
    "solve_in_chunks",
    "solve_story",
    "symbolic_attention",
    "tensor_product_reads",
    "writes_from_keys",
]
