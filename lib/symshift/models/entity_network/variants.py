"""Variants of the general entity network: the released code's mask, and keys tied to words."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.data.encoding import Vocabulary
from symshift.data.words import tokenize
from symshift.errors import InputError
from symshift.models.entity_network.model import (
    INIT_STD,
    EntityNetwork,
    EntityNetworkConfig,
    TiedEntityNetworkConfig,
)
from symshift.models.layers import normal_parameter
from symshift.models.registry import register


@register("entnet-released", family="entnet")
class ReleasedEntityNetwork(EntityNetwork):
    """General form whose sentence mask starts at random, as in the authors' released code (by a slip)."""

    def __init__(self, config: EntityNetworkConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        shape = self.sentence_encoder.position.shape
        self.sentence_encoder.position = normal_parameter(INIT_STD, generator, *shape)


@register("entnet-tied", family="entnet")
class TiedEntityNetwork(EntityNetwork):
    """General form with a slot for each given word, whose vector is the key (section 5.2)."""

    Config = TiedEntityNetworkConfig
    entities: Int[Tensor, " slot"]  # their rows in the table of words

    def create_keys(self, vocabulary: Vocabulary, generator: torch.Generator) -> None:
        """Find the given words in the vocabulary.

        Raises:
            InputError: None of them is in it.
        """
        index = {word: i for i, word in enumerate(vocabulary.words)}
        entities = [index[word] for word in tokenize(self.config.entities) if word in index]
        if not entities:
            raise InputError(
                f"entities is {self.config.entities!r}, but none of these words is in the training stories"
            )
        self.register_buffer("entities", torch.tensor(entities), persistent=False)

    def keys(self) -> Float[Tensor, "slot dim"]:
        """Return the vectors of the given words."""
        return self.words[self.entities]
