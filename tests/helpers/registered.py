"""Networks that tests register, and the registry as it was after them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from symshift import preset_files
from symshift.constraints import Count
from symshift.data.question import Question
from symshift.models import Network, registry
from symshift.models.base import Output
from symshift.ops.functional import embed


@contextlib.contextmanager
def registry_restored() -> Iterator[None]:
    """Forget the networks, families and presets that are added meanwhile."""
    mappings = (registry.NETWORKS, registry.FAMILIES, registry.FAMILY_OF, preset_files.ADDED)
    before = [(mapping, dict(mapping)) for mapping in mappings]
    registry.import_entry_points.cache_clear()
    try:
        yield
    finally:
        for mapping, entries in before:
            mapping.clear()
            mapping.update(entries)
        registry.import_entry_points.cache_clear()


@dataclass(frozen=True)
class BagConfig:
    """What a preset sets of a bag."""

    dim: Count


class Bag(Network):
    """All words of story and question in one bag; networks that are wrong in one way derive from it."""

    Config = BagConfig

    def __init__(self, config, vocabulary, generator):
        super().__init__()
        words = len(vocabulary.words)
        self.words = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))
        self.output = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))

    def hidden(self, batch, rng):
        return embed(self.words, batch.story).sum((1, 2)) + embed(self.words, batch.question).sum(1)

    def forward(self, batch, rng):
        return Output(self.hidden(batch, rng) @ self.output.mT, None, None, {})


STORIES = [
    Question(("a b c", "d e"), "b e", "a", (0,), 1, "generated"),
    Question(("c d", "a e b"), "d", "b", (1,), 1, "generated"),
]
