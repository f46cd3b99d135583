"""Layers that several networks share: weighted bags of words, parallel perceptrons, layer norm with scalars."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.ops.functional import position_weighted_sum, project, project_heads, scalar_layer_norm
from symshift.ops.rng import NoRng, StepRng


class ParallelPerceptrons(nn.Module):
    """Several two-layer perceptrons with tanh on one input, computed together (Eq. 10-11 of the symbol-shift paper).

    Args:
        groups: Pairs (heads, outer): that many perceptrons of that many outputs each.
        inner: Dims of the input.
        hidden: Units of the hidden layer of each perceptron.
        generator: Of the initial weights (Glorot, uniform).
    """

    def __init__(self, groups: list[tuple[int, int]], inner: int, hidden: int, generator: torch.Generator):
        super().__init__()

        def glorot(heads: int, fan_in: int, fan_out: int) -> nn.Parameter:
            return uniform_parameter((6 / (fan_in + fan_out)) ** 0.5, generator, heads, fan_in, fan_out)

        heads = sum(count for count, _ in groups)
        self.first, self.first_bias = glorot(heads, inner, hidden), nn.Parameter(torch.zeros(heads, hidden))
        self.second = nn.ParameterList(glorot(count, hidden, outer) for count, outer in groups)
        self.second_bias = nn.ParameterList(nn.Parameter(torch.zeros(count, outer)) for count, outer in groups)

    def forward(
        self, x: Float[Tensor, "*position dim"], rng: StepRng | NoRng, rate: float, site: int
    ) -> list[Float[Tensor, "*position heads outer"]]:
        """Return the outputs of each group; `rate` and `site` are of the dropout of hidden units."""
        heads, inner, hidden = self.first.shape
        first = project(x, self.first.transpose(0, 1).reshape(inner, heads * hidden)) + self.first_bias.flatten()
        hidden_units = rng.dropout(first.tanh(), rate, site).unflatten(-1, (heads, hidden))
        parts = hidden_units.split([len(weight) for weight in self.second], -2)
        return [
            torch.tanh(project_heads(part, weight) + bias)
            for part, weight, bias in zip(parts, self.second, self.second_bias, strict=True)
        ]


class PositionWeightedBag(nn.Module):
    """The sum of a sentence's word vectors, each times its position's vector: s = sum_j A_x(j) * p_j."""

    def __init__(self, words: int, dim: int):
        super().__init__()
        self.position = nn.Parameter(torch.full((words, dim), 1 / words))

    def forward(self, vectors: Float[Tensor, "*position word dim"]) -> Float[Tensor, "*position dim"]:
        """Return one vector for each sentence; vectors of blank words are zero."""
        return position_weighted_sum(vectors, self.position)


class LayerNorm(nn.LayerNorm):
    """Layer norm with a gain and a bias for each dim, which rounds alike in an ensemble and alone.

    Torch's own has a kernel for the gradients of gain and bias, but not under vmap, where they are sums. Here they
    always are.
    """

    def forward(self, x: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
        """Normalize each vector."""
        return nn.functional.layer_norm(x, self.normalized_shape, eps=self.eps) * self.weight + self.bias


class ScalarNorm(nn.Module):
    """Layer norm with one scalar gain and bias, over the dims of each vector that are real (`dim_mask`)."""

    def __init__(self):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(())), nn.Parameter(torch.zeros(()))

    def forward(
        self, x: Float[Tensor, "batch *time dim"], dim_mask: Float[Tensor, "batch *#time dim"]
    ) -> Float[Tensor, "batch *time dim"]:
        """Normalize each vector; masked dims stay zero."""
        return scalar_layer_norm(x, dim_mask, self.gain, self.bias)


def clip_norm(keys: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
    """Scale keys down to norm 1 where they are longer; a memory with such keys cannot grow without end."""
    return keys * keys.square().sum(-1, keepdim=True).clamp(min=1).rsqrt()


def uniform_parameter(bound: float, generator: torch.Generator, *shape: int) -> nn.Parameter:
    """Return a parameter with uniform values from -bound to bound."""
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=generator))


def normal_parameter(std: float, generator: torch.Generator, *shape: int) -> nn.Parameter:
    """Return a parameter with normal values around zero."""
    values = torch.empty(shape)
    if not values.is_meta:  # which has shapes alone; to draw there torch imports its compiler, which takes a second
        values.normal_(generator=generator).mul_(std)
    return nn.Parameter(values)
