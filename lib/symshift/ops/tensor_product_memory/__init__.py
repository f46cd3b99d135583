"""The tensor-product memory of TPR-RNN (Schlag & Schmidhuber 2018), without the tensor."""

from symshift.ops.tensor_product_memory.function import tensor_product_reads
from symshift.ops.tensor_product_memory.torch import (
    DenseTensor,
    FactorizedMemory,
    MemoryWrites,
    cheapest_memory,
    extend_memory,
    read_in_chain,
    solve_in_chunks,
    solve_story,
    writes_from_keys,
)

__all__ = [
    "DenseTensor",
    "FactorizedMemory",
    "MemoryWrites",
    "cheapest_memory",
    "extend_memory",
    "read_in_chain",
    "solve_in_chunks",
    "solve_story",
    "tensor_product_reads",
    "writes_from_keys",
]
