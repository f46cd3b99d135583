"""The networks, registered under the names that presets call them by."""

from symshift.models.base import Memory as Memory
from symshift.models.base import Network as Network
from symshift.models.entity_network.cloze import ClozeEntityNetwork
from symshift.models.entity_network.model import EntityNetwork, SimpleEntityNetwork
from symshift.models.entity_network.variants import ReleasedEntityNetwork, TiedEntityNetwork
from symshift.models.lstm import LongShortTermMemory
from symshift.models.memory_network.model import MemoryNetwork, SymbolicMemoryNetwork
from symshift.models.memory_network.variants import InputPositions, SymbolicInputPositions
from symshift.models.registry import NETWORKS as NETWORKS
from symshift.models.registry import add_family, register
from symshift.models.temporal_attention import PostHoc, PreHoc, TeacherForcedPreHoc, with_temporal_attention
from symshift.models.tensor_product.ablations import Write, WriteBack, WriteMove
from symshift.models.tensor_product.hidden_dropout import HiddenDropout, SymbolicHiddenDropout
from symshift.models.tensor_product.model import PointerTensorProduct, SymbolicTensorProduct, TensorProduct
from symshift.models.tensor_product.whole_word_dropout import SymbolicWholeWordDropout, WholeWordDropout

register("mn", colour="#5AAEF0", marker="o")(MemoryNetwork)
register("smn", colour="#1245C0", marker="s", after="mn")(SymbolicMemoryNetwork)
register("mn-inputs", family="mn")(InputPositions)
register("smn-inputs", family="smn")(SymbolicInputPositions)
register("tpr", colour="#EDBE2A", marker="D", after="smn")(TensorProduct)
register("tpr-w", family="tpr")(Write)
register("tpr-wm", family="tpr")(WriteMove)
register("tpr-wb", family="tpr")(WriteBack)
register("tpr-hidden", family="tpr")(HiddenDropout)
register("tpr-words", family="tpr")(WholeWordDropout)
register("stpr", colour="#CC6A14", marker="v", after="tpr")(SymbolicTensorProduct)
register("stpr-hidden", family="stpr")(SymbolicHiddenDropout)
register("stpr-words", family="stpr")(SymbolicWholeWordDropout)
register("gstpr", colour="#630A02", marker="^", after="stpr")(PointerTensorProduct)
register("lstm", colour="#A6A6A6", marker="<", after="posthoc")(LongShortTermMemory)
register("entnet", colour="#8ACE77", marker="P", after="gstpr")(EntityNetwork)
register("entnet-released", family="entnet")(ReleasedEntityNetwork)
register("entnet-simple", family="entnet")(SimpleEntityNetwork)
register("entnet-tied", family="entnet")(TiedEntityNetwork)
register("entnet-cloze", family="entnet")(ClozeEntityNetwork)
register("prehoc", colour="#52174C", marker="X", after="entnet")(with_temporal_attention(PreHoc, EntityNetwork))
add_family("prehoc-weak", colour="#D61FB0", marker="d", after="prehoc")
register("prehoc-teacher", colour="#26016F", marker="h", after="prehoc-weak")(
    with_temporal_attention(TeacherForcedPreHoc, EntityNetwork)
)
register("posthoc", colour="#1D7C52", marker="*", after="prehoc-teacher")(
    with_temporal_attention(PostHoc, EntityNetwork)
)
register("mn+prehoc", family="mn")(with_temporal_attention(PreHoc, MemoryNetwork))
register("mn+posthoc", family="mn")(with_temporal_attention(PostHoc, MemoryNetwork))
register("tpr+prehoc", family="tpr")(with_temporal_attention(PreHoc, TensorProduct))
register("stpr+prehoc", family="stpr")(with_temporal_attention(PreHoc, SymbolicTensorProduct))
register("gstpr+prehoc", family="gstpr")(with_temporal_attention(PreHoc, PointerTensorProduct))
register("gstpr+posthoc", family="gstpr")(with_temporal_attention(PostHoc, PointerTensorProduct))
