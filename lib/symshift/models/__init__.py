"""The networks, by the name a preset calls them."""

from symshift.models.base import Network as Network
from symshift.models.entity_network.cloze import ClozeEntityNetwork
from symshift.models.entity_network.model import (
    EntityNetwork,
    ReleasedEntityNetwork,
    SimpleEntityNetwork,
    TiedEntityNetwork,
)
from symshift.models.lstm import LongShortTermMemory
from symshift.models.memory_network.input_positions import InputPositions, SymbolicInputPositions
from symshift.models.memory_network.model import MemoryNetwork, SymbolicMemoryNetwork
from symshift.models.temporal_attention import PostHoc, PreHoc, TaughtPreHoc, plug
from symshift.models.tensor_product.ablations import Write, WriteBack, WriteMove
from symshift.models.tensor_product.hidden_dropout import HiddenDropout, SymbolicHiddenDropout
from symshift.models.tensor_product.model import PointerTensorProduct, SymbolicTensorProduct, TensorProduct
from symshift.models.tensor_product.whole_word_dropout import SymbolicWholeWordDropout, WholeWordDropout

NETWORKS = {
    "mn": MemoryNetwork,
    "smn": SymbolicMemoryNetwork,
    "mn-inputs": InputPositions,
    "smn-inputs": SymbolicInputPositions,
    "tpr": TensorProduct,
    "tpr-w": Write,
    "tpr-wm": WriteMove,
    "tpr-wb": WriteBack,
    "tpr-hidden": HiddenDropout,
    "tpr-words": WholeWordDropout,
    "stpr": SymbolicTensorProduct,
    "stpr-hidden": SymbolicHiddenDropout,
    "stpr-words": SymbolicWholeWordDropout,
    "gstpr": PointerTensorProduct,
    "lstm": LongShortTermMemory,
    "entnet": EntityNetwork,
    "entnet-released": ReleasedEntityNetwork,
    "entnet-simple": SimpleEntityNetwork,
    "entnet-tied": TiedEntityNetwork,
    "entnet-cloze": ClozeEntityNetwork,
    "prehoc": plug(PreHoc, EntityNetwork),
    "prehoc-teacher": plug(TaughtPreHoc, EntityNetwork),
    "posthoc": plug(PostHoc, EntityNetwork),
    "mn+prehoc": plug(PreHoc, MemoryNetwork),
    "mn+posthoc": plug(PostHoc, MemoryNetwork),
    "tpr+prehoc": plug(PreHoc, TensorProduct),
    "stpr+prehoc": plug(PreHoc, SymbolicTensorProduct),
    "gstpr+prehoc": plug(PreHoc, PointerTensorProduct),
    "gstpr+posthoc": plug(PostHoc, PointerTensorProduct),
}
