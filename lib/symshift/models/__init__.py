"""The networks, by the name a preset calls them."""

from symshift.models.memory_network import MemoryNetwork, SymbolicMemoryNetwork
from symshift.models.tensor_product import PointerTensorProduct, SymbolicTensorProduct, TensorProduct

NETWORKS = {
    "mn": MemoryNetwork,
    "smn": SymbolicMemoryNetwork,
    "tpr": TensorProduct,
    "stpr": SymbolicTensorProduct,
    "gstpr": PointerTensorProduct,
}

Network = MemoryNetwork | TensorProduct
