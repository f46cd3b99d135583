"""The layers of TPR-RNN: a sentence as a bag of placed words, perceptrons side by side, layer norm with scalars."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.ops.functional import position_weighted_sum
from symshift.ops.rng import NoRng, StepRng

NORM_EPSILON = 1e-7  # added to a variance


class ParallelPerceptrons(nn.Module):
    """Several two-layer perceptrons with tanh on one input, computed together (Eq. 10-11): for each pair (heads, outer)
    of `groups`, so many heads with so many outputs."""

    def __init__(self, groups: list[tuple[int, int]], inner: int, hidden: int, generator: torch.Generator):
        super().__init__()

        def glorot(heads: int, fan_in: int, fan_out: int) -> nn.Parameter:
            bound = (6 / (fan_in + fan_out)) ** 0.5
            return nn.Parameter(torch.empty(heads, fan_in, fan_out).uniform_(-bound, bound, generator=generator))

        heads = sum(count for count, _ in groups)
        self.first, self.first_bias = glorot(heads, inner, hidden), nn.Parameter(torch.zeros(heads, hidden))
        self.second = nn.ParameterList(glorot(count, hidden, outer) for count, outer in groups)
        self.second_bias = nn.ParameterList(nn.Parameter(torch.zeros(count, outer)) for count, outer in groups)

    def forward(
        self, x: Float[Tensor, "*position dim"], rng: StepRng | NoRng, rate: float, site: int
    ) -> list[Float[Tensor, "*position heads outer"]]:
        """The outputs of each group."""
        heads, inner, hidden = self.first.shape
        first = x @ self.first.transpose(0, 1).reshape(inner, heads * hidden) + self.first_bias.flatten()
        inside = rng.dropout(first.tanh(), rate, site).unflatten(-1, (heads, hidden))
        parts = inside.split([len(weight) for weight in self.second], -2)
        return [
            torch.tanh(torch.einsum("...kh,kho->...ko", part, weight) + bias)
            for part, weight, bias in zip(parts, self.second, self.second_bias, strict=True)
        ]


class PositionWeightedBag(nn.Module):
    """A sentence as the sum of its word vectors, each times its position's vector: s = sum_j A_x(j) * p_j."""

    def __init__(self, words: int, dim: int):
        super().__init__()
        self.position = nn.Parameter(torch.full((words, dim), 1 / words))

    def forward(self, vectors: Float[Tensor, "*position word dim"]) -> Float[Tensor, "*position dim"]:
        return position_weighted_sum(vectors, self.position)


class ScalarNorm(nn.Module):
    """Layer norm with one scalar gain and bias, over the real dims of each vector."""

    def __init__(self):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(())), nn.Parameter(torch.zeros(()))

    def forward(
        self, x: Float[Tensor, "batch *time dim"], real: Float[Tensor, "batch *#time dim"]
    ) -> Float[Tensor, "batch *time dim"]:
        count = real.sum(-1, keepdim=True)
        centred = (x - x.sum(-1, keepdim=True) / count) * real
        scale = (centred.square().sum(-1, keepdim=True) / count + NORM_EPSILON).rsqrt()
        return (centred * scale * self.gain + self.bias) * real


def clip_norm(keys: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position dim"]:
    """Keys of norm at most 1; the memory then cannot grow without end."""
    return keys * keys.square().sum(-1, keepdim=True).clamp(min=1).rsqrt()


def normal_parameter(std: float, generator: torch.Generator, *shape: int) -> nn.Parameter:
    """Return a parameter with normal values around zero."""
    return nn.Parameter(std * torch.randn(*shape, generator=generator))
