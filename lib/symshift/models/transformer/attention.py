"""What the Transformers of this folder share: the times of tokens, attention, relative ages, feed-forward layers.

A story of T sentences is T + 1 tokens: the question is token 0, then come the sentences in their order. Time counts
real sentences, so that blank ones change nothing wherever they stand.

Attention here matches whole token vectors: the query of a head, x_i W_Q W_K^T, is as long as a token, and so is what it
attends to, before W_V W_O. It is the attention of Vaswani et al. 2017 with its products in another order. With a dozen
tokens of a few dozen dims it has fewer and larger products, and a token may have parts that no projection acts on.
"""

import math
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.models.layers import uniform_parameter
from symshift.ops.functional import project
from symshift.ops.rng import NoRng, StepRng

SITES_A_LAYER = 10  # dropout sites between those of one layer and the next


def token_mask(sentence_mask: Bool[Tensor, "batch sentence"]) -> Bool[Tensor, "batch token"]:
    """Return which tokens are real: the question, and the sentences that are."""
    return torch.cat((torch.ones_like(sentence_mask[:, :1]), sentence_mask), 1)


def token_ages(sentence_mask: Bool[Tensor, "batch sentence"]) -> Int[Tensor, "batch token"]:
    """Count the real sentences from each token on: 0 for the question, 1 for the last sentence.

    The age of a blank sentence means nothing.
    """
    ages = sentence_mask.flip(-1).cumsum(-1).flip(-1)
    return torch.cat((torch.zeros_like(ages[:, :1]), ages), 1)


def layer_site(layer: int, site: int) -> int:
    """Return a dropout site of a layer; each layer has sites of its own."""
    return site + SITES_A_LAYER * layer


class RelativeAgeBias(nn.Module):
    """A learned number for each head and difference of two ages, added to attention logits; at first zero.

    It is the table alone, a column for each difference from -sentences to sentences; `ops.symbolic_attention` looks it
    up. Differences beyond the longest story seen in training share the last number.
    """

    def __init__(self, heads: int, sentences: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, 2 * sentences + 1))


class AttentionHeads(nn.Module):
    """The projections of several heads: W_Q, W_K, W_V and W_O, each dim by head_dim, Glorot uniform at first."""

    def __init__(self, dim: int, heads: int, generator: torch.Generator):
        super().__init__()
        shape = heads, dim, math.ceil(dim / heads)
        glorot = partial(uniform_parameter, (6 / (dim + dim)) ** 0.5, generator, *shape)
        self.query, self.key, self.value, self.output = glorot(), glorot(), glorot(), glorot()

    def queries(self, x: Float[Tensor, "batch token dim"]) -> Float[Tensor, "batch token head dim"]:
        """Return x W_Q W_K^T / sqrt(head_dim) of each head."""
        return project(x, self.query_matrix()).unflatten(-1, self.query.shape[:2])

    def combine(self, attended: Float[Tensor, "batch token head dim"]) -> Float[Tensor, "batch token dim"]:
        """Return the sum over heads of what each attends to times W_V W_O."""
        return project(attended.flatten(-2), self.output_matrix())

    def query_matrix(self) -> Float[Tensor, "dim heads_times_dim"]:
        """Return W_Q W_K^T / sqrt(head_dim), heads side by side; for layers that share it."""
        matrices = multiply_heads(self.query, self.key) / self.query.shape[-1] ** 0.5
        return matrices.transpose(0, 1).flatten(1)

    def output_matrix(self) -> Float[Tensor, "heads_times_dim dim"]:
        """Return W_V W_O, heads one below the other; for layers that share it."""
        return multiply_heads(self.value, self.output).flatten(0, 1)


def multiply_heads(
    left: Float[Tensor, "head dim inner"], right: Float[Tensor, "head dim inner"]
) -> Float[Tensor, "head dim dim"]:
    """Return left right^T of each head.

    In an ensemble torch copies right^T. Here a model alone does so too, for without a copy it rounds otherwise.
    """
    return left @ right.mT.contiguous()


def attend(
    queries: Float[Tensor, "batch query head feature"],
    tokens: Float[Tensor, "batch token feature"],
    bias: Float[Tensor, "batch query head token"],
    rng: StepRng | NoRng,
    rate: float,
    site: int,
) -> tuple[Float[Tensor, "batch query head feature"], Float[Tensor, "batch query head token"]]:
    """Attend to tokens.

    Args:
        queries: Of each head, matched with the tokens by their product.
        tokens: What is matched and, weighted, attended to.
        bias: Added to the logits; `NEG_INF` for blank tokens.
        rng: Randomness of the dropout.
        rate: Dropout of single attention weights.
        site: Its dropout site.

    Returns:
        What each head attends to, and its attention weights, before dropout.
    """
    logits = (queries.flatten(1, 2) @ tokens.mT).view(bias.shape) + bias
    weights = logits.softmax(-1)
    attended = rng.dropout(weights, rate, site).flatten(1, 2) @ tokens
    return attended.view(queries.shape), weights


class FeedForward(nn.Module):
    """Two layers with ReLU: W_2 max(0, W_1 x + b_1) + b_2 (Vaswani et al. 2017, Eq. 2), Glorot uniform at first."""

    def __init__(self, dim: int, width: int, generator: torch.Generator):
        super().__init__()
        bound = (6 / (dim + width)) ** 0.5
        self.first = uniform_parameter(bound, generator, dim, width)
        self.first_bias = nn.Parameter(torch.zeros(width))
        self.second = uniform_parameter(bound, generator, width, dim)
        self.second_bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Float[Tensor, "batch token dim"]) -> Float[Tensor, "batch token dim"]:
        """Return the output of the second layer."""
        return project((project(x, self.first) + self.first_bias).relu(), self.second) + self.second_bias
