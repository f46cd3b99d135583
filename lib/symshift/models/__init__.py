"""The networks, registered under the names that presets call them by: every module here is imported for that."""

import pkgutil
from importlib import import_module

from symshift.models.base import Memory as Memory
from symshift.models.base import Network as Network
from symshift.models.registry import NETWORKS as NETWORKS
from symshift.models.registry import register as register
from symshift.models.tensor_product.ablations import Write, WriteBack, WriteMove
from symshift.models.tensor_product.hidden_dropout import HiddenDropout, SymbolicHiddenDropout
from symshift.models.tensor_product.model import PointerTensorProduct, SymbolicTensorProduct, TensorProduct
from symshift.models.tensor_product.whole_word_dropout import SymbolicWholeWordDropout, WholeWordDropout

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

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
