"""Symbolic attention in torch operations, as one plain attention over tokens of both halves, on any device.

<M_h, D_ij> is the product of M_h^T N_i and N_j as long vectors, and the mean of D_ij is N_i times the mean of N_j,
transposed: no matrix is made for a pair of tokens.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad, softplus

from symshift.ops.functional import NEG_INF
from symshift.ops.hash_dropout import DropoutSpec
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.symbolic_attention.state import EPSILON, MATCH_LOGIT, AttentionInputs, AttentionOutputs


def symbolic_attention(
    inputs: AttentionInputs, rng: StepRng | NoRng, dropout: DropoutSpec, causal: bool
) -> AttentionOutputs:
    """Return what each query attends to; the arguments are those of the public function in `function`."""
    queries, semantic, symbolic, gate, match, carry, bias, recency, ages, mask = inputs
    _, count, heads, dim = queries.shape
    before = symbolic[:, :count]
    symbolic = symbolic * (symbolic.square().sum((-2, -1), keepdim=True) + EPSILON).rsqrt()
    asking, longest = symbolic[:, :count], bias.shape[-1] // 2
    tokens = torch.cat((semantic, symbolic.flatten(2)), -1)
    matched = (match @ asking).unflatten(2, (heads, -1)).flatten(3)
    features = torch.cat((queries, matched), -1)
    difference = (ages.unsqueeze(1) - ages[:, :count, None]).clamp(-longest, longest) + longest
    logits = (features.flatten(1, 2) @ tokens.mT).unflatten(1, (count, heads))
    logits = logits + torch.nn.functional.embedding(difference, bias.mT).mT
    attended_to = mask[:, None, None]
    if causal:
        token = torch.arange(mask.shape[-1], device=mask.device)
        query = token[:count, None, None]
        attended_to = attended_to & ((token <= query) | (query == 0))
    logits = torch.where(attended_to, logits, NEG_INF)
    if len(recency):
        logits = logits - recency.unsqueeze(-1) * later_matches(logits)
    weights = logits.softmax(-1)
    attended = (rng.dropout(weights, *dropout).flatten(1, 2) @ tokens).unflatten(1, (count, heads))
    attended_semantic, attended_symbols = attended.split((dim, tokens.shape[-1] - dim), -1)
    means = attended_symbols.unflatten(-1, symbolic.shape[2:]).flatten(2, 3)
    after = before + gate[..., None, None] * (carry @ means)
    results = attended_semantic, asking @ means.mT, after, weights.detach()
    return AttentionOutputs(*(torch.where(mask[:, :count, None, None], x, 0) for x in results))


def later_matches(logits: Float[Tensor, "batch query head token"]) -> Float[Tensor, "batch query head token"]:
    """Return how well later tokens match, added up."""
    return pad(softplus(logits - MATCH_LOGIT).flip(-1).cumsum(-1).flip(-1)[..., 1:], (0, 1))
