"""A network of one's own: the sum of all word vectors answers, without any order."""

from dataclasses import dataclass

import torch
from torch import nn

from symshift.constraints import Count
from symshift.models.base import Network, Output
from symshift.models.registry import register
from symshift.ops.functional import embed, project


@dataclass(frozen=True)
class MeanOfWordsConfig:
    dim: Count


@register("mean-of-words")
class MeanOfWords(Network):
    Config = MeanOfWordsConfig

    def __init__(self, config, vocabulary, generator):
        super().__init__()
        words = len(vocabulary.words)
        self.words = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))
        self.output = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))

    def forward(self, batch, rng):
        hidden = embed(self.words, batch.story).sum((1, 2)) + embed(self.words, batch.question).sum(1)
        return Output(project(hidden, self.output.mT), None, None, {})
