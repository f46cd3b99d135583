"""Operators and random arguments for them, for the contract that all operators obey."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from symshift.ops.bag_of_words import bag_of_words
from symshift.ops.entity_recurrence import entity_recurrence, simple_entity_recurrence
from symshift.ops.functional import NEG_INF
from symshift.ops.hash_dropout import DropoutSpec, hash_dropout
from symshift.ops.rng import StepRng
from symshift.ops.slot_attention import slot_attention
from symshift.ops.symbolic_attention import AttentionInputs, symbolic_attention
from symshift.ops.tensor_product_memory import tensor_product_reads

Arguments = tuple[Tensor, ...]


class Case(NamedTuple):
    """An operator as a function of tensors that returns a tuple, and what makes its arguments.

    `arguments(batch, generator)` gives those of one model, in float64; floating ones are differentiated."""

    name: str
    function: Callable[..., tuple[Tensor, ...]]
    arguments: Callable[[int, torch.Generator], Arguments]


def entity_arguments(batch: int, generator: torch.Generator, sentences: int, slots: int, dims: int) -> Arguments:
    """Slots, sentences (one of them blank), projections, U and slopes."""
    randn = partial(torch.randn, generator=generator, dtype=torch.float64)
    gate_logits = randn(batch, sentences, slots)
    gate_logits[:1, -1] = NEG_INF
    sentence_vectors, sentence_proj = randn(batch, sentences, dims), randn(batch, sentences, dims)
    start, key_proj, weight_u, slope = randn(slots, dims), randn(slots, dims), randn(dims, dims), randn(dims)
    return start, sentence_vectors, gate_logits, sentence_proj, key_proj, weight_u, slope


def entity_slots(start: Tensor, *rest: Tensor) -> tuple[Tensor, ...]:
    """The general form; slots start with unit norm."""
    return tuple(entity_recurrence(normalize(start, dim=-1), *rest))


def simple_entity_slots(start: Tensor, sentences: Tensor, gate_logits: Tensor, *_: Tensor) -> tuple[Tensor, ...]:
    """The simple form; slots start with unit norm."""
    slots = simple_entity_recurrence(normalize(start, dim=-1), sentences, gate_logits)
    return slots.last, slots.each, slots.gates


def slot_arguments(
    batch: int, generator: torch.Generator, sentences: int, slots: int, dims: int, attended: int, width: int
) -> Arguments:
    """Slots, of which some are masked (all of one sentence), and the parameters of the attention."""
    randn = partial(torch.randn, generator=generator, dtype=torch.float64)
    slot_mask = torch.rand(batch, sentences, slots, generator=generator) < 0.7
    slot_mask[:1, 0] = False
    contents, key_query_proj = randn(batch, sentences, slots, dims), randn(batch, slots, width)
    return contents, key_query_proj, randn(attended, width), randn(width), slot_mask


def random_key(generator: torch.Generator) -> Tensor:
    """Two 32-bit keys."""
    return torch.randint(-(2**31), 2**31, (2,), generator=generator).to(torch.int32)


def word_arguments(batch: int, generator: torch.Generator, position: tuple[int, ...], words: int) -> Arguments:
    """A table of 8 words, ids with padding and words never seen, weights of 3 positions, and keys."""
    randn = partial(torch.randn, generator=generator, dtype=torch.float64)
    ids = torch.randint(11, (batch, *position, words), generator=generator)
    return randn(8, 6), ids, randn(3, 6), random_key(generator)


def bags(table: Tensor, ids: Tensor, position_weights: Tensor, key: Tensor, units: float, types: float) -> Arguments:
    """Bags of words with dropout at these rates."""
    rng = StepRng(key, torch.tensor(0.0))
    return (bag_of_words(table, ids, position_weights, rng, DropoutSpec(units, 3), DropoutSpec(types, 1)),)


def dropout_arguments(batch: int, generator: torch.Generator) -> Arguments:
    """Numbers and keys."""
    return torch.randn(batch, 5, 4, generator=generator, dtype=torch.float64), random_key(generator)


def dropped(x: Tensor, key: Tensor) -> Arguments:
    """Dropout of 0.3."""
    return (hash_dropout(x, key, DropoutSpec(0.3, 5)),)


def tensor_product_arguments(
    batch: int, generator: torch.Generator, sentences: int, entity: int, relation: int, reads: int = 3
) -> Arguments:
    """Keys of stories (a sentence of one is blank) and questions, and of each read a gain and a bias."""
    randn = partial(torch.randn, generator=generator, dtype=torch.float64)
    sentence_mask = torch.ones(batch, sentences, dtype=torch.bool)
    sentence_mask[:1, -1] = False
    story = 0.3 * randn(batch, sentences, 2, entity), 0.3 * randn(batch, sentences, 3, relation)
    query = randn(batch, entity), randn(batch, reads, relation)
    return *story, sentence_mask, *query, randn(reads), randn(reads)


def read_in_chain(entities: Tensor, relations: Tensor, sentence_mask: Tensor, *rest: Tensor) -> tuple[Tensor, ...]:
    """Reads of a memory whose last entity dim is no real one in the second half of the batch."""
    query_entity, query_relations, gains, biases = rest
    dim_mask = torch.ones_like(query_entity).detach()
    dim_mask[len(dim_mask) // 2 :, -1:] = 0
    story = entities * dim_mask[:, None, None], relations, sentence_mask
    return (tensor_product_reads(*story, query_entity * dim_mask, query_relations, dim_mask, gains, biases),)


def attention_arguments(
    batch: int, generator: torch.Generator, queries: int, recency: bool = False, tokens: int = 4
) -> Arguments:
    """Tokens of 3 dims and of 3 channels by 5 symbols for 2 heads; one token of a story is blank; keys."""
    randn = partial(torch.randn, generator=generator, dtype=torch.float64)
    heads, channels = 2, 3
    mask = torch.ones(batch, tokens, dtype=torch.bool)
    mask[:1, 2] = False
    ages = torch.arange(tokens).expand(batch, -1).clone()
    halves = randn(batch, queries, heads, 3), randn(batch, tokens, 3), randn(batch, tokens, channels, 5)
    gate = randn(batch, queries)
    weights = randn(heads * channels, channels), randn(channels, heads * channels)
    return *halves, gate, *weights, randn(heads, 5), randn(heads if recency else 0), ages, mask, random_key(generator)


def attend_symbols(*arguments: Tensor, rate: float, causal: bool = False) -> Arguments:
    """Symbolic attention with dropout of weights."""
    *inputs, key = arguments
    rng = StepRng(key, torch.tensor(0.0))
    return tuple(symbolic_attention(AttentionInputs(*inputs), rng, DropoutSpec(rate, 4), causal))


_entity = partial(entity_arguments, sentences=5, slots=3, dims=6)
_attention = partial(slot_arguments, sentences=4, slots=5, dims=6, width=3)

_memory = partial(tensor_product_arguments, sentences=10, entity=15, relation=10)

CASES = [
    Case("tensor_product_reads-T10-E15-R10", read_in_chain, _memory),
    Case(
        "tensor_product_reads-T1-E2-R1",
        read_in_chain,
        partial(tensor_product_arguments, sentences=1, entity=2, relation=1, reads=1),
    ),
    Case("entity_recurrence-T5-J3-D6", entity_slots, _entity),
    Case("entity_recurrence-T1-J1-D2", entity_slots, partial(entity_arguments, sentences=1, slots=1, dims=2)),
    Case("simple_entity_recurrence-T5-J3-D6", simple_entity_slots, _entity),
    Case("slot_attention-T4-J5-all-dims", slot_attention, partial(_attention, attended=6)),
    Case("bag_of_words-T3-W5", partial(bags, units=0.0, types=0.0), partial(word_arguments, position=(3,), words=5)),
    Case("bag_of_words-dropout", partial(bags, units=0.3, types=0.4), partial(word_arguments, position=(3,), words=5)),
    Case("bag_of_words-question", partial(bags, units=0.3, types=0.0), partial(word_arguments, position=(), words=2)),
    Case("symbolic_attention", partial(attend_symbols, rate=0.0), partial(attention_arguments, queries=4)),
    Case("symbolic_attention-dropout", partial(attend_symbols, rate=0.3), partial(attention_arguments, queries=4)),
    Case("symbolic_attention-question", partial(attend_symbols, rate=0.3), partial(attention_arguments, queries=1)),
    Case(
        "symbolic_attention-causal",
        partial(attend_symbols, rate=0.3, causal=True),
        partial(attention_arguments, queries=4),
    ),
    Case(
        "symbolic_attention-recency",
        partial(attend_symbols, rate=0.3, causal=True),
        partial(attention_arguments, queries=4, recency=True),
    ),
    Case(
        "symbolic_attention-recency-all",
        partial(attend_symbols, rate=0.0),
        partial(attention_arguments, queries=2, recency=True),
    ),
    Case("hash_dropout", dropped, dropout_arguments),
    Case("slot_attention-T4-J5-first-dims", slot_attention, partial(_attention, attended=4)),
]
