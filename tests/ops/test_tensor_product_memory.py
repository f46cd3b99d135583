"""The fast solve is the recurrent loop, in values and gradients."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.ops.backend import use_backend
from symshift.ops.tensor_product_memory import (
    DenseTensor,
    FactorizedMemory,
    cheapest_memory,
    extend_memory,
    solve_story,
    tensor_product_reads,
    writes_from_keys,
)
from symshift.ops.tensor_product_memory.solve_numba import LANES
from tests.naive import tensor_product_memory as loop
from tests.naive.tensor_product import layer_norm

MAX_NUMBERS = 300_000  # in all F that the loop keeps for its gradient


@st.composite
def memories(draw):
    """Entity and relation vectors of a few stories, three reads, and a mask of sentences; in float64.

    Vectors have norms up to 1: beyond, the memory of a long story grows without end, and rounding with it."""
    batch, sentences = draw(st.integers(1, 2)), draw(st.integers(1, 90))  # up to three chunks
    left = MAX_NUMBERS // (batch * sentences)
    entity = draw(st.integers(1, min(128, math.isqrt(left))))
    relation = draw(st.integers(1, min(128, left // entity**2)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    sentence_mask = torch.rand(batch, sentences, generator=generator) >= draw(st.sampled_from((0.0, 0.3)))

    def vectors(*shape):
        x = torch.randn(*shape, generator=generator, dtype=torch.float64)
        norms = torch.rand(*shape[:-1], 1, generator=generator, dtype=torch.float64)
        return (torch.nn.functional.normalize(x, dim=-1) * norms).requires_grad_()

    story = vectors(batch, sentences, 2, entity), vectors(batch, sentences, 3, relation)
    query = vectors(batch, 3, entity), vectors(batch, 3, relation)
    return *story, *query, sentence_mask


def at_once(*keys):
    writes = writes_from_keys(*keys)
    return solve_story(writes, chunk=writes.targets.shape[1] // 3)


def by_default(*keys):
    return solve_story(writes_from_keys(*keys))


def in_chunks(form, sentences):
    def solve(*keys):
        writes = writes_from_keys(*keys)
        memory = form.empty(writes)
        for part in writes.split(sentences):
            memory = extend_memory(memory, part)
        return memory

    return solve


FORMS = {
    "full": at_once,
    "as-a-gpu-does": by_default,
    "chunks-of-7-triples": in_chunks(FactorizedMemory, 7),
    "chunks-of-7-tensor": in_chunks(DenseTensor, 7),
    "streamed-triples": in_chunks(FactorizedMemory, 1),
    "streamed-tensor": in_chunks(DenseTensor, 1),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=12, deadline=None)
@given(memories())
def test_memory_equals_recurrent_loop(form, memory):
    """Every form of the solve gives the reads and gradients of the loop over F."""
    entities, relations, asked_entity, asked_relation, real = memory
    fast = form(entities, relations, real).read(asked_entity, asked_relation)
    tensors = [loop.memory_of_story(*story) for story in zip(entities, relations, real, strict=True)]
    slow = torch.einsum("berv,bqe,bqr->bqv", torch.stack(tensors), asked_entity, asked_relation)
    torch.testing.assert_close(fast, slow, rtol=1e-10, atol=1e-10)

    inputs = (entities, relations, asked_entity, asked_relation)
    weight = torch.randn(slow.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    fast_gradients = torch.autograd.grad(fast, inputs, weight)
    slow_gradients = torch.autograd.grad(slow, inputs, weight, allow_unused=True, materialize_grads=True)
    torch.testing.assert_close(fast_gradients, slow_gradients, rtol=1e-10, atol=1e-10)


def reads_in_a_loop(entities, relations, sentence_mask, query_entity, query_relations, dim_mask, gains, biases):
    """One story, one read after the other; dims that are not real are left out."""
    memory, entity, reads = loop.memory_of_story(entities, relations, sentence_mask), query_entity, []
    for relation, gain, bias in zip(query_relations, gains, biases, strict=True):
        retrieved = loop.read(memory, entity, relation)
        normalized = layer_norm(retrieved[dim_mask > 0], gain, bias)
        entity = torch.zeros_like(retrieved).masked_scatter(dim_mask > 0, normalized)
        reads.append(entity)
    return torch.stack(reads)


@pytest.mark.parametrize("backend", ["naive", "torch", "numba"])
@settings(max_examples=20, deadline=None)
@given(memories(), st.integers(0, 2**32), st.booleans())
def test_chained_reads_equal_recurrent_loop(backend, memory, seed, symbolic):
    """Every backend gives the reads and gradients of the loop, with symbolic dims that are not real too."""
    entities, relations, query_entities, query_relations, sentence_mask = memory
    generator = torch.Generator().manual_seed(seed)
    dim_mask = (torch.rand(query_entities[:, 0].shape, generator=generator) < (0.7 if symbolic else 1)).double()
    dim_mask[:, 0] = 1
    gains, biases = (x.requires_grad_() for x in torch.randn(2, 3, generator=generator, dtype=torch.float64))

    def arguments():
        """Entities have real dims alone."""
        story = entities * dim_mask[:, None, None], relations, sentence_mask
        return *story, query_entities[:, 0] * dim_mask, query_relations, dim_mask

    with use_backend(backend):
        fast = tensor_product_reads(*arguments(), gains, biases)
    slow = torch.stack([reads_in_a_loop(*story, gains, biases) for story in zip(*arguments(), strict=True)])

    def assert_close(fast, slow):
        torch.testing.assert_close(fast, slow, rtol=1e-7, atol=1e-7 * max(1, slow.abs().max().item()))

    assert_close(fast, slow)
    inputs = (entities, relations, query_entities, query_relations, gains, biases)
    weight = torch.randn(slow.shape, generator=generator, dtype=torch.float64)
    fast_gradients = torch.autograd.grad(fast, inputs, weight)
    slow_gradients = torch.autograd.grad(slow, inputs, weight, allow_unused=True, materialize_grads=True)
    for grad_fast, grad_slow in zip(fast_gradients, slow_gradients, strict=True):
        assert_close(grad_fast, grad_slow)


def stories_of(*batch):
    """Keys of stories with 11 sentences, and of a question with three reads."""
    generator = torch.Generator().manual_seed(0)
    story = [torch.randn(*batch, 11, *shape, generator=generator).mul(0.3) for shape in ((2, 7), (3, 4))]
    query = [torch.randn(*batch, *shape, generator=generator) for shape in ((7,), (3, 4))]
    return [x.requires_grad_() for x in (*story, *query)]


def gains_and_biases(*models):
    return torch.randn(2, *models, 3, generator=torch.Generator().manual_seed(1)).requires_grad_()


def compiled_reads(entities, relations, query_entity, query_relations, gains, biases):
    sentence_mask, dim_mask = torch.ones_like(entities[..., 0, 0], dtype=torch.bool), torch.ones_like(query_entity)
    with use_backend("numba"):
        return tensor_product_reads(
            entities, relations, sentence_mask, query_entity, query_relations, dim_mask, gains, biases
        )


def test_compiled_story_is_the_same_in_any_batch():
    """A story has the same bits alone and among others, in values and gradients."""
    stories, norms = stories_of(2 * LANES + 5), gains_and_biases()
    alone = [[x[number : number + 1] for x in stories] for number in range(len(stories[0]))]
    together, each = compiled_reads(*stories, *norms), [compiled_reads(*story, *norms) for story in alone]
    assert torch.equal(together, torch.cat(each))
    grad_together = torch.autograd.grad(together.square().sum(), stories)
    grad_each = [torch.autograd.grad(one.square().sum(), story) for one, story in zip(each, alone, strict=True)]
    assert all(map(torch.equal, grad_together, map(torch.cat, zip(*grad_each, strict=True))))


@pytest.mark.parametrize("model_dim", [0, 1], ids=["contiguous", "interleaved"])
@pytest.mark.parametrize("stories", [5, LANES + 5])
def test_compiled_ensemble_is_each_model(stories, model_dim):
    """A model has the same bits alone and under vmap, in values and all gradients."""
    keys = [x.movedim(0, model_dim).contiguous().movedim(model_dim, 0) for x in stories_of(3, stories)]
    ensemble = [*keys, *gains_and_biases(3)]
    together = torch.func.vmap(compiled_reads)(*ensemble)
    assert torch.equal(together, torch.stack([compiled_reads(*model) for model in zip(*ensemble, strict=True)]))
    gradients = torch.autograd.grad(together.square().sum(), ensemble)
    for model, expected in zip(zip(*ensemble, strict=True), zip(*gradients, strict=True), strict=True):
        own = torch.autograd.grad(compiled_reads(*model).square().sum(), model)
        assert all(map(torch.equal, expected, own))


@pytest.mark.parametrize(
    ("sentences", "entity", "relation", "form"),
    [(200, 15, 10, DenseTensor), (200, 110, 110, FactorizedMemory)],
    ids=["narrow", "wide"],
)
def test_cheapest_memory_is_the_smaller_form(sentences, entity, relation, form):
    assert cheapest_memory(sentences, entity, relation) is form
