"""The fast solve is the recurrent loop, in values and gradients."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.models.layers import ScalarNorm
from symshift.ops.tensor_product_memory import function as fast_weights_compiled
from symshift.ops.tensor_product_memory.solve_numba import LANES
from symshift.ops.tensor_product_memory.torch import (
    DenseTensor,
    FactorizedMemory,
    chained_reads,
    cheapest_memory,
    extend,
    memory_of_story,
    read_in_chain,
    rows,
)
from tests.naive import fast_weights as loop
from tests.naive.tensor_product import layer_norm

NUMBERS_IN_ALL_F = 6_000_000  # that the loop may keep for its gradient


@st.composite
def memories(draw):
    """Entity and relation vectors of a few stories, which sentences are real, and three reads; in float64. Vectors have
    norms up to 1: beyond, the memory of a long story grows without end, and rounding with it."""
    batch, sentences = draw(st.integers(1, 2)), draw(st.integers(1, 200))
    left = NUMBERS_IN_ALL_F // (batch * sentences)
    entity = draw(st.integers(1, min(128, math.isqrt(left))))
    relation = draw(st.integers(1, min(128, left // entity**2)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    real = torch.rand(batch, sentences, generator=generator) >= draw(st.sampled_from((0.0, 0.3)))

    def vectors(*shape):
        x = torch.randn(*shape, generator=generator, dtype=torch.float64)
        norms = torch.rand(*shape[:-1], 1, generator=generator, dtype=torch.float64)
        return (torch.nn.functional.normalize(x, dim=-1) * norms).requires_grad_()

    told = vectors(batch, sentences, 2, entity), vectors(batch, sentences, 3, relation)
    asked = vectors(batch, 3, entity), vectors(batch, 3, relation)
    return *told, *asked, real


def at_once(*told):
    story = rows(*told)
    return memory_of_story(story, chunk=story.targets.shape[1] // 3)


def by_default(*told):
    return memory_of_story(rows(*told))


def in_chunks(carrier, sentences):
    def remember_in_chunks(*told):
        story = rows(*told)
        memory = carrier.empty(story)
        for part in story.split(sentences):
            memory = extend(memory, part)
        return memory

    return remember_in_chunks


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
def test_equals_the_loop(form, memory):
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


def norms_of(gains, biases):
    norms = [ScalarNorm() for _ in gains]
    for norm, gain, bias in zip(norms, gains, biases, strict=True):
        norm.gain, norm.bias = torch.nn.Parameter(gain), torch.nn.Parameter(bias)
    return torch.nn.ModuleList(norms)


def in_operations(entities, relations, real, *asked):
    return read_in_chain(memory_of_story(rows(entities, relations, real)), *asked)


def in_a_loop(entities, relations, real, start, steps, dims, norms):
    """One story, one read after the other; a dim that is not real is not there."""
    memory, at, reads = loop.memory_of_story(entities, relations, real), start, []
    for step, norm in zip(steps, norms, strict=True):
        found = loop.read(memory, at, step)
        at = torch.zeros_like(found).masked_scatter(dims > 0, layer_norm(found[dims > 0], norm.gain, norm.bias))
        reads.append(at)
    return torch.stack(reads)


@pytest.mark.parametrize("chained", [chained_reads, in_operations], ids=["compiled", "as-a-gpu-does"])
@settings(max_examples=20, deadline=None)
@given(memories(), st.integers(0, 2**32), st.booleans())
def test_chained_reads_equal_the_loop(chained, memory, seed, symbolic):
    entities, relations, asked_entity, steps, real = memory
    generator = torch.Generator().manual_seed(seed)
    dims = (torch.rand(asked_entity[:, 0].shape, generator=generator) < (0.7 if symbolic else 1)).double()
    dims[:, 0] = 1
    norms = norms_of(*torch.randn(2, 3, generator=generator, dtype=torch.float64))

    def asked():
        """Entities have real dims alone."""
        return entities * dims[:, None, None], relations, real, asked_entity[:, 0] * dims, steps, dims

    fast = chained(*asked(), norms)
    slow = torch.stack([in_a_loop(*story, norms) for story in zip(*asked(), strict=True)])

    def assert_close(fast, slow):
        torch.testing.assert_close(fast, slow, rtol=1e-7, atol=1e-7 * max(1, slow.abs().max().item()))

    assert_close(fast, slow)
    inputs = (entities, relations, asked_entity, steps, *(x for norm in norms for x in norm.parameters()))
    weight = torch.randn(slow.shape, generator=generator, dtype=torch.float64)
    fast_gradients = torch.autograd.grad(fast, inputs, weight)
    slow_gradients = torch.autograd.grad(slow, inputs, weight, allow_unused=True, materialize_grads=True)
    for of_fast, of_slow in zip(fast_gradients, slow_gradients, strict=True):
        assert_close(of_fast, of_slow)


def told_and_asked(*stories):
    """What a few stories tell in 11 sentences, and a question of each with three steps."""
    generator = torch.Generator().manual_seed(0)
    told = [torch.randn(*stories, 11, *shape, generator=generator).mul(0.3) for shape in ((2, 7), (3, 4))]
    asked = [torch.randn(*stories, *shape, generator=generator) for shape in ((7,), (3, 4))]
    return [x.requires_grad_() for x in (*told, *asked)]


def scalars(*models):
    """Of three norms: gains and biases."""
    return torch.randn(2, *models, 3, generator=torch.Generator().manual_seed(1)).requires_grad_()


def found(entities, relations, start, steps, gains, biases):
    dims = torch.ones_like(start)
    return fast_weights_compiled.chained_reads(entities, relations, start, steps, dims, gains, biases)


def test_a_compiled_story_is_the_same_in_any_company():
    stories, norms = told_and_asked(2 * LANES + 5), scalars()
    alone = [[x[number : number + 1] for x in stories] for number in range(len(stories[0]))]
    together, each = found(*stories, *norms), [found(*story, *norms) for story in alone]
    assert torch.equal(together, torch.cat(each))
    of_together = torch.autograd.grad(together.square().sum(), stories)
    of_each = [torch.autograd.grad(one.square().sum(), story) for one, story in zip(each, alone, strict=True)]
    assert all(map(torch.equal, of_together, map(torch.cat, zip(*of_each, strict=True))))


@pytest.mark.parametrize("stack_at", [0, 1], ids=["apart", "interleaved"])
@pytest.mark.parametrize("stories", [5, LANES + 5])
def test_a_compiled_stack_is_each_model(stories, stack_at):
    told = [x.movedim(0, stack_at).contiguous().movedim(stack_at, 0) for x in told_and_asked(3, stories)]
    stack = [*told, *scalars(3)]
    stacked = torch.func.vmap(found)(*stack)
    assert torch.equal(stacked, torch.stack([found(*model) for model in zip(*stack, strict=True)]))
    of_stack = torch.autograd.grad(stacked.square().sum(), stack)
    for model, of_model in zip(zip(*stack, strict=True), zip(*of_stack, strict=True), strict=True):
        own = torch.autograd.grad(found(*model).square().sum(), model)
        assert all(map(torch.equal, of_model, own))


@pytest.mark.parametrize(
    ("sentences", "entity", "relation", "form"),
    [(200, 15, 10, DenseTensor), (200, 110, 110, FactorizedMemory)],
    ids=["narrow", "wide"],
)
def test_carries_the_cheaper_form(sentences, entity, relation, form):
    assert cheapest_memory(sentences, entity, relation) is form
