"""Slow twins of whole networks: one story at a time, word by word, from the papers' equations.

Each module has a class `Twin`, built from a network, its name and the vocabulary. A twin takes the network's parameters
and nothing else of it. `read` answers a question; `unroll`, where the network has slots, gives the memory after each
sentence. `TWINS` has the twin of every network by its registered name."""

from symshift.models import NETWORKS
from symshift.models.temporal_attention import Temporal
from tests.naive import (
    cloze_network,
    delta_network,
    entity_network,
    lstm,
    memory_network,
    query_reduction,
    symbolic_transformer,
    temporal_attention,
    tensor_product,
    transformer,
)

TWINS = (
    dict.fromkeys(("mn", "smn", "mn-inputs", "smn-inputs"), memory_network.Twin)
    | dict.fromkeys(("tpr", *tensor_product.WITHOUT, "stpr", "gstpr"), tensor_product.Twin)
    | dict.fromkeys(("entnet", "entnet-released", "entnet-simple", "entnet-tied"), entity_network.Twin)
    | {name: temporal_attention.Twin for name, network in NETWORKS.items() if issubclass(network, Temporal)}
    | {"lstm": lstm.Twin, "entnet-cloze": cloze_network.Twin, "qrn": query_reduction.Twin}
    | {"deltanet": delta_network.Twin, "stransformer": symbolic_transformer.Twin}
    | dict.fromkeys(("transformer", "ut", "ut-halting", "lexinv"), transformer.Twin)
)
