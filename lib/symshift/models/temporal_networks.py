"""The networks with temporal attention: on the entity network, as in the paper, and on other memories, ours."""

from symshift.models.entity_network.model import EntityNetwork
from symshift.models.memory_network.model import MemoryNetwork
from symshift.models.registry import add_family, register
from symshift.models.temporal_attention import PostHoc, PreHoc, TeacherForcedPreHoc, with_temporal_attention
from symshift.models.tensor_product.model import TensorProduct
from symshift.models.tensor_product.symbolic import PointerTensorProduct, SymbolicTensorProduct

register_prehoc = register("prehoc", colour="#52174C", marker="X", after="entnet")
register_teacher = register("prehoc-teacher", colour="#26016F", marker="h", after="prehoc-weak")
register_posthoc = register("posthoc", colour="#1D7C52", marker="*", after="prehoc-teacher")

register_prehoc(with_temporal_attention(PreHoc, EntityNetwork))
register_teacher(with_temporal_attention(TeacherForcedPreHoc, EntityNetwork))
register_posthoc(with_temporal_attention(PostHoc, EntityNetwork))
add_family("prehoc-weak", colour="#D61FB0", marker="d", after="prehoc")  # a preset of prehoc without the loss on facts

register("mn+prehoc", family="mn")(with_temporal_attention(PreHoc, MemoryNetwork))
register("mn+posthoc", family="mn")(with_temporal_attention(PostHoc, MemoryNetwork))
register("tpr+prehoc", family="tpr")(with_temporal_attention(PreHoc, TensorProduct))
register("stpr+prehoc", family="stpr")(with_temporal_attention(PreHoc, SymbolicTensorProduct))
register("gstpr+prehoc", family="gstpr")(with_temporal_attention(PreHoc, PointerTensorProduct))
register("gstpr+posthoc", family="gstpr")(with_temporal_attention(PostHoc, PointerTensorProduct))
