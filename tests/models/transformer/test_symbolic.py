"""Settings of the symbolic Transformer: matches that hide earlier ones, and parts that an ablation takes out."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import symshift
from symshift.models.symbolic import SignedPointers, WindowPointers
from symshift.models.transformer.symbolic import PARTS
from symshift.ops.rng import NO_RNG
from tests.helpers.small import VOCABULARY, kind, network, tales
from tests.models.test_twins import check_twin
from tests.naive import TWINS

PRESET = "stransformer-tuned"


@pytest.mark.parametrize("part", PARTS)
@settings(max_examples=4, deadline=None)
@given(texts=tales(maximum=2), seed=st.integers(0, 1000))
def test_network_without_a_part_agrees_with_its_twin(part, texts, seed):
    net = network(PRESET, seed, without=part)
    check_twin(net, TWINS[kind(PRESET)](net, kind(PRESET), VOCABULARY), texts, NO_RNG)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_out_has_no_parameters(part):
    whole, rest = (dict(network(PRESET, without=without).named_parameters()) for without in ("nothing", part))
    assert set(whole) - set(rest) == {name for name in whole if name.startswith(PARTS[part])}
    assert set(rest) < set(whole)


@pytest.mark.parametrize("part", PARTS)
def test_a_network_without_a_part_keeps_the_contract(part):
    """But for bits in an ensemble, which MKL promises on Intel's processors alone."""
    table = symshift.check(PRESET, without=part).set_index("property")
    assert table.holds.drop("same bits alone and in an ensemble").all(), table[~table.holds]


@settings(max_examples=6, deadline=None)
@given(texts=tales(maximum=2), seed=st.integers(0, 1000), recency=st.floats(-1, 1))
def test_network_that_hides_earlier_matches_agrees_with_its_twin(recency, texts, seed):
    net = network(PRESET, seed, recency="learned")
    with torch.no_grad():
        net.recency += recency * torch.linspace(0.5, 1, len(net.recency))
    check_twin(net, TWINS[kind(PRESET)](net, kind(PRESET), VOCABULARY), texts, NO_RNG)


def test_a_network_that_hides_earlier_matches_keeps_the_contract():
    """But for bits in an ensemble, which MKL promises on Intel's processors alone."""
    table = symshift.check(PRESET, recency="learned").set_index("property")
    assert table.holds.drop("same bits alone and in an ensemble").all(), table[~table.holds]


@pytest.mark.parametrize("pointers", [SignedPointers, WindowPointers])
def test_pointers_of_vectors_are_those_of_their_scores(pointers):
    """Whether a network scores the words it reads or the rows of its table first."""
    generator = torch.Generator().manual_seed(0)
    own = pointers(3, 4, 5, (0.4, 0.6, -0.3), *[0.5] * (pointers is WindowPointers), generator)
    table, ids = torch.randn(6, 4, generator=generator), torch.randint(1, 7, (2, 5), generator=generator)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    found = own.pointers(table[ids - 1], mask)
    torch.testing.assert_close(found, own.pointers_of_scores(own.word_scores(table)[ids - 1], mask))
    torch.testing.assert_close(found.sum(1), torch.ones(2, 2, 3))
