"""The Universal Transformer, sentence by sentence, and its form with halting.

Dehghani et al. 2019, "Universal Transformers": one layer is applied several times, and each time the vectors of its age
and of the step are added to a token first (P^t of section 2.1). All else is as in `model`.

With halting (section 2.2 and appendix C, after Graves 2016) a token has a halting probability p = sigmoid(w . x + b)
before each step. While the sum of these is at most a threshold, x moves by the share p towards what the layer makes of
it. At the step that takes the sum above, x moves by what is left to one, and from then on it stays. The ponder time of
a token is the number of its steps and what was left; its mean over tokens, times a weight, is added to the loss.

Deviations, on purpose: tokens have the vectors of their ages from the start, as in `model`, so that the first step adds
these a second time; vectors of ages and steps are learned, not sinusoids; the state that a step starts from is the one
that the shares have made, as the text has it (appendix C goes on from what the layer made).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.constraints import Share
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Output
from symshift.models.layers import normal_parameter
from symshift.models.registry import register
from symshift.models.transformer.model import (
    Block,
    Transformer,
    TransformerConfig,
    attention_bias,
    attention_trace,
)
from symshift.ops.rng import NoRng, StepRng

HALTING_BIAS = -1.0  # of the halting probability at the start


@register("ut", colour="#B48448", marker="H", after="transformer")
class UniversalTransformer(Transformer):
    """A Transformer whose layers share their weights."""

    def create_layers(self, generator: torch.Generator) -> None:
        """Create the one layer, and a vector for each time that it is applied."""
        self.block = Block(self.config, generator)
        self.steps = normal_parameter(self.config.embedding, generator, self.config.layers, self.config.dim)

    def layer(
        self,
        x: Float[Tensor, "batch token dim"],
        ages: Float[Tensor, "batch token dim"],
        bias: Float[Tensor, "batch 1 1 token"],
        rng: StepRng | NoRng,
        layer: int,
        num_queries: int,
    ) -> tuple[Float[Tensor, "batch query dim"], Float[Tensor, "batch query head token"]]:
        """Apply the layer once more."""
        return self.block(x + ages + self.steps[layer], bias, rng, layer, num_queries)


@dataclass(frozen=True)
class HaltingTransformerConfig(TransformerConfig):
    """What a preset sets of a Universal Transformer with halting, whose layers are the most that a token takes."""

    threshold: Share  # a token halts where the sum of its halting probabilities is above
    ponder_weight: float  # of the mean ponder time, in the loss


class Halting(NamedTuple):
    """How far each token is on its way to halting.

    Attributes:
        sum: Of its halting probabilities so far; 1 once it has halted.
        ponder: Its steps so far and, once it has halted, what was left to one.
        share: How far it moves at this step.
    """

    sum: Float[Tensor, "batch token"]
    ponder: Float[Tensor, "batch token"]
    share: Float[Tensor, "batch token"]

    def step(self, probability: Float[Tensor, "batch token"], threshold: float) -> "Halting":
        """Return the halting after a step with these halting probabilities."""
        running = self.sum < 1
        halts = running & (self.sum + probability > threshold)
        share = torch.where(halts, 1 - self.sum, probability) * running
        ponder = self.ponder + running + torch.where(halts, share, 0)
        return Halting(torch.where(halts, 1, self.sum + share), ponder, share)


@register("ut-halting", family="ut")
class HaltingTransformer(UniversalTransformer):
    """A Universal Transformer in which each token decides how often the layer is applied to it."""

    Config: ClassVar[type[Any]] = HaltingTransformerConfig

    def __init__(self, config: HaltingTransformerConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.halting = normal_parameter(config.dim**-0.5, generator, config.dim)
        self.halting_bias = nn.Parameter(torch.full((), HALTING_BIAS))

    def apply_layers(
        self,
        x: Float[Tensor, "batch token dim"],
        ages: Float[Tensor, "batch token dim"],
        mask: Bool[Tensor, "batch token"],
        rng: StepRng | NoRng,
    ) -> tuple[Float[Tensor, "batch query dim"], dict[str, Tensor]]:
        """Return the tokens once they have halted; the trace has the ponder time of each, 0 for blank ones."""
        bias, attention = attention_bias(mask, x), []
        halting = Halting(*[torch.zeros_like(x[..., 0])] * 3)
        for layer in range(self.config.layers):
            num_queries = 1 if layer == self.config.layers - 1 else x.shape[1]
            probability = ((x * self.halting).sum(-1) + self.halting_bias).sigmoid()
            halting = halting.step(probability, self.config.threshold)
            updated, weights = self.layer(x, ages, bias, rng, layer, num_queries)
            x = x[:, :num_queries] + halting.share[:, :num_queries, None] * (updated - x[:, :num_queries])
            attention.append(weights[:, 0])
        return x, attention_trace(attention) | {"ponder": halting.ponder * mask}

    def loss(self, output: Output, batch: Batch) -> Float[Tensor, " batch"]:
        """Return -log p(answer) and the weighted mean ponder time, in nats a question."""
        tokens = 1 + batch.sentence_mask.sum(-1)
        return super().loss(output, batch) + self.config.ponder_weight * output.trace["ponder"].sum(-1) / tokens
