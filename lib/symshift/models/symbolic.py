"""Semantic and symbolic halves of a representation (symbol-shift paper, section 4).

A word x is A_x (+) alpha_x e_phi(x) (Eq. 2): a learned vector beside the one-hot vector of its order of appearance in
the context, times a learned weight between 0 and 1. Blank words and symbols are zero everywhere. A word never seen in
training has the zero vector, as in the paper, and alpha as it was before training, of which the paper says nothing.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from symshift.models.layers import normal_parameter
from symshift.ops.functional import NEG_INF, embed, position_rows, project


def count_symbols(
    weights: Float[Tensor, "*position word"], symbols: Int[Tensor, "*position word"], total: int
) -> Float[Tensor, "*position symbol"]:
    """Return sum_j weights_j e_phi(j), the symbolic half of a sentence (Eq. 9).

    Args:
        weights: Of each word, zero for blank ones.
        symbols: The number of each word's context symbol, phi.
        total: How many symbols the context has.

    Returns:
        One number for each symbol of the context.
    """
    return weights.new_zeros((*weights.shape[:-1], total)).scatter_add(-1, symbols, weights)


class SymbolWeight(nn.Module):
    """alpha, how much each word acts as a symbol (Eq. 2): the sigmoid of one free parameter per word, at first 0.5."""

    def __init__(self, vocabulary: int):
        super().__init__()
        self.free = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, ids: Int[Tensor, "*position"]) -> Float[Tensor, "*position"]:
        """Return alpha of each word: 0 for padding, 0.5 for words never seen."""
        return embed(self.free.sigmoid(), ids, unseen=0.5)


class SymbolicLayers(nn.Module):
    """Two symbolic layers with tanh for several heads at once: h -> tanh((lambda I + gamma 1 1^T) h), Eq. 6.

    The sum is over the symbols that are real. lambda starts at 0.5 +- 0.3 (from 1 the memory diverges), gamma at
    0.01 N(0, 1) (from 0.1 some seeds never leave a memory that starts too large).
    """

    def __init__(self, heads: int, generator: torch.Generator):
        super().__init__()
        self.own = nn.Parameter(torch.empty(2, heads).uniform_(0.2, 0.8, generator=generator))  # lambda
        self.shared = normal_parameter(0.01, generator, 2, heads)  # gamma

    def forward(
        self, h: Float[Tensor, "batch *position symbol"], symbol_mask: Bool[Tensor, "batch symbol"]
    ) -> Float[Tensor, "batch *position head symbol"]:
        """Return the symbolic half of each head."""
        batch, symbols = symbol_mask.shape
        mask = symbol_mask.view(batch, *[1] * (h.ndim - 1), symbols).to(h.dtype)
        h = h.unsqueeze(-2)
        for own, shared in zip(self.own, self.shared, strict=True):
            h = torch.tanh(own[:, None] * h + (shared * h.sum(-1)).unsqueeze(-1)) * mask
        return h


class SignedPointers(nn.Module):
    """One signed mixture of the sentence's bag of words and two pointers per head; ours, beyond the paper.

    z_k = sum_j alpha_x(j) (a_k / 2 + b_k softmax_j(u_k . A_x(j) + p_k[j]) + c_k softmax_j(u'_k . A_x(j) + p'_k[j]))
    e_phi(x(j)). Pointers see shared parameters and positions only, so symbol-shift equivariance stays. u and p are four
    times the stored parameters, so that Adam sharpens a pointer four times as fast.
    """

    SHARPNESS = 4.0

    def __init__(self, heads: int, dim: int, words: int, start: tuple[float, float, float], generator: torch.Generator):
        super().__init__()
        mixture = torch.empty(3, heads).uniform_(-0.5, 0.5, generator=generator)
        self.mixture = nn.Parameter(mixture.add_(torch.tensor(start)[:, None]))  # a, b, c
        self.content = normal_parameter(0.5 / self.SHARPNESS, generator, dim, 2, heads)  # u, u'
        self.position = normal_parameter(0.5 / self.SHARPNESS, generator, words, 2, heads)  # p, p'

    def pointers(
        self,
        vectors: Float[Tensor, "*position word dim"],
        word_mask: Bool[Tensor, "*position word"],
    ) -> Float[Tensor, "*position word 2 head"]:
        """Return the two distributions of each head over the sentence's words; all zero for a blank sentence."""
        return self.pointers_of_scores(self.word_scores(vectors), word_mask)

    def pointers_of_scores(
        self,
        scores: Float[Tensor, "*position word both_heads"],
        word_mask: Bool[Tensor, "*position word"],
    ) -> Float[Tensor, "*position word 2 head"]:
        """Return the pointers from scores of the words alone, those of `word_scores`."""
        scores = scores.unflatten(-1, self.content.shape[1:]) + position_rows(self.position, word_mask.shape[-1])
        mask = word_mask[..., None, None]
        return torch.where(mask, self.SHARPNESS * scores, NEG_INF).softmax(-3) * mask

    def word_scores(self, vectors: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position both_heads"]:
        """Return u . A_x and u' . A_x of each word vector: of all words read, or of a table's, if these are fewer."""
        return project(vectors, self.content.flatten(1))

    def forward(
        self,
        pointers: Float[Tensor, "*position word 2 head"],
        alpha: Float[Tensor, "*position word"],
        symbols: Int[Tensor, "*position word"],
        total: int,
    ) -> Float[Tensor, "*position head symbol"]:
        """Return the symbolic half of each head from pointers, alpha and the words' symbols."""
        bag, toward, away = self.mixture
        weights = bag / 2 + toward * pointers[..., 0, :] + away * pointers[..., 1, :]
        weights = (weights * alpha.unsqueeze(-1)).mT
        return count_symbols(weights, symbols.unsqueeze(-2).expand(weights.shape), total)


class WindowPointers(SignedPointers):
    """Signed pointers that also see the words beside a word, and how far it is from the end; ours.

    The score of word j of J is u_k . A_x(j) + v_k . A_x(j-1) + w_k . A_x(j+1) + p_k[j] + q_k[J-j]. So one head can find
    what stands before `is` or last in a sentence, however many words come before it.

    Args:
        heads: Their number.
        dim: Of word vectors.
        words: Words in the longest sentence.
        start: Where bag, positive and negative pointer start, give or take 0.5.
        neighbours: How large v and w are at the start, beside 0.5 of u, p and q.
        generator: Draws the initial values.
    """

    def __init__(
        self,
        heads: int,
        dim: int,
        words: int,
        start: tuple[float, float, float],
        neighbours: float,
        generator: torch.Generator,
    ):
        super().__init__(heads, dim, words, start, generator)
        # v, w: before and after; positive and negative
        self.neighbours = normal_parameter(neighbours / self.SHARPNESS, generator, dim, 2, 2, heads)
        self.from_end = normal_parameter(0.5 / self.SHARPNESS, generator, words, 2, heads)  # q

    def pointers_of_scores(
        self,
        scores: Float[Tensor, "*position word all_scores"],
        word_mask: Bool[Tensor, "*position word"],
    ) -> Float[Tensor, "*position word 2 head"]:
        """Return the pointers from the scores of each word for itself, for the next word, and for the one before."""
        own, before, after = scores.chunk(3, -1)
        edge = torch.zeros_like(own[..., :1, :])
        before, after = torch.cat((edge, before[..., :-1, :]), -2), torch.cat((after[..., 1:, :], edge), -2)
        position = torch.arange(word_mask.shape[-1], device=word_mask.device)
        words_after = (word_mask.sum(-1, keepdim=True) - 1 - position).clamp(0, len(self.from_end) - 1)
        from_end = nn.functional.embedding(words_after, self.from_end.flatten(1))
        return super().pointers_of_scores(own + before + after + from_end, word_mask)

    def word_scores(self, vectors: Float[Tensor, "*position dim"]) -> Float[Tensor, "*position all_scores"]:
        """Return u . A_x, v . A_x and w . A_x of each word vector, for both pointers of each head."""
        return project(vectors, torch.cat((self.content.flatten(1), self.neighbours.flatten(1)), -1))
