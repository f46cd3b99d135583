"""Counter-based noise: the right rates, independent wherever it should be, and time noise as its rule says."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from symshift.models.memory_network.positions import position_encoding, sentence_ages
from symshift.ops.backend import BACKENDS, use_backend
from symshift.ops.hashing import hash_element, pair_position, site_salt
from symshift.ops.rng import NO_RNG, StepRng, fold_in, hash_bits, random_integers

MANY = 40_000
LEAST = 1e-6  # probability of a sample at which a test says no


def rng(seed=0, update=0):
    return StepRng(fold_in([seed], update)[0], torch.tensor(0.0))


def mask(seed=0, update=0, site=1, rate=0.5):
    """Which of MANY elements dropout keeps."""
    return rng(seed, update).dropout(torch.ones(MANY), rate, site) > 0


def close(found, expected, chance=0.5, count=MANY):
    """Within five standard deviations of a share of `count` draws."""
    return abs(found - expected) < 5 * math.sqrt(chance * (1 - chance) / count)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.9])
def test_dropout_drops_its_share_and_scales_the_rest(rate):
    dropped = rng().dropout(torch.ones(200, MANY // 200), rate, site=4)
    assert close((dropped == 0).double().mean(), rate, rate)
    torch.testing.assert_close(dropped[dropped > 0].unique(), torch.tensor([1 / (1 - rate)]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_dropout_is_the_same_in_all_forms(rate, dtype):
    """Values and gradients are equal to the bit, also where x is not contiguous."""

    def value_and_gradient(backend):
        x = torch.linspace(-1, 1, 2 * 3 * 700, dtype=dtype).view(2, 3, 700).mT.requires_grad_()
        with use_backend(backend):
            value = rng(3, 4).dropout(x, rate, site=5)
        return value, *torch.autograd.grad((value * value.detach().cos()).sum(), x)

    expected, *others = map(value_and_gradient, BACKENDS)
    for other in others:
        assert all(map(torch.equal, other, expected))


def hash_by_integers(first, second, position):
    """lowbias32 with a second key between its rounds, in Python's integers."""
    x = (position + first) % 2**32
    x = ((x ^ x >> 16) * 0x7FEB352D % 2**32) ^ second
    x = (x ^ x >> 15) * 0x846CA68B % 2**32
    x ^= x >> 16
    return x - 2**32 if x >= 2**31 else x


def test_hash_is_the_same_for_tensors_kernels_and_integers():
    """All three ways to write the hash give the same bits."""
    key, site = fold_in([3], 5)[0], 7
    positions = [0, 1, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1]
    first, second = (int(half) % 2**32 for half in (key[0] ^ site_salt(site), key[1]))
    expected = [hash_by_integers(first, second, position) for position in positions]
    assert hash_bits(key, site, torch.tensor(positions)).tolist() == expected
    with np.errstate(over="ignore"):
        found = [int(hash_element(np.uint32(first), np.uint32(second), position)) for position in positions]
    assert found == expected


def test_dropout_of_rate_zero_or_in_evaluation_is_identity():
    x, words = torch.randn(3, 4), torch.ones(3, dtype=torch.long)
    for still in (rng().dropout(x, 0.0, 1), NO_RNG.dropout(x, 0.5, 1), NO_RNG.word_type_dropout(x, words, 0.5, 1)):
        assert torch.equal(still, x)


OTHERS = {
    "site": {"site": 2},
    "next-site": {"site": 1001},
    "seed": {"seed": 1},
    "restarted-seed": {"seed": 1_000_000},
    "update": {"update": 1},
    "seed-and-update": {"seed": 1, "update": -1},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_dropout_masks_are_independent(other):
    assert close((mask() == mask(**other)).double().mean(), 0.5)


@pytest.mark.parametrize("lag", [1, 2, 7, 16, 20, 64, 1024])
def test_dropout_of_neighbours_is_independent(lag):
    one = mask()
    assert close((one[:-lag] == one[lag:]).double().mean(), 0.5, count=MANY - lag)


def test_hash_bits_are_fair():
    drawn = hash_bits(fold_in([3], 5)[0], 7, torch.arange(MANY))
    for bit in range(32):
        assert close((drawn >> bit & 1).double().mean(), 0.5), bit


def test_fold_in_gives_every_seed_and_update_its_key():
    pairs = torch.cat([fold_in(range(300), update) for update in range(300)])
    assert len(pairs.unique(dim=0)) == len(pairs)


def test_word_type_dropout_is_the_same_in_a_whole_example():
    words = torch.arange(MANY // 8).view(-1, 50) % 25 + 1
    story = rng().word_type_dropout(torch.ones(*words.shape, 3), words, 0.3, site=1)
    asked = rng().word_type_dropout(torch.ones(len(words), 25, 3), words[:, :25], 0.3, site=1)
    assert set(story.unique().tolist()) == {0.0, 1.0}
    assert torch.equal(story[:, :25], story[:, 25:])
    assert torch.equal(story[:, :25], asked)
    kept = asked[..., 0]
    assert close(1 - kept.mean().item(), 0.3, 0.3, kept.numel())
    assert close((kept[1:] == kept[:-1]).double().mean(), 0.58, 0.58, kept[1:].numel())  # 0.3 ** 2 + 0.7 ** 2


def test_random_integers_are_uniform_below_each_bound():
    below = torch.tensor([7, 900])
    drawn = random_integers(fold_in([0, 1], 0), 1001, MANY, below)
    for row, bound in zip(drawn, below.tolist(), strict=True):
        counts = torch.bincount(row, minlength=bound)
        assert len(counts) == bound
        assert chisquare(counts).pvalue > LEAST


def test_uniform_fills_the_unit_interval():
    drawn = rng().uniform(3, MANY)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert chisquare(torch.histc(drawn, 50, 0, 1)).pvalue > LEAST


@pytest.mark.parametrize("length", [1, 3, 4])
def test_time_noise_puts_blanks_anywhere(length):
    """As the authors' code draws it: with n sentences and share s, 0 to ceil(s n) blanks, equally likely; then any
    choice of places for the sentences among sentences and blanks, equally likely."""
    share, most = 0.5, math.ceil(0.5 * length)
    chances = Counter()
    for blanks in range(most + 1):
        places = list(itertools.combinations(range(length + blanks), length))
        for place in places:
            chances[place[::-1]] += 1 / (most + 1) / len(places)

    real = torch.zeros(MANY // 4, 6, dtype=torch.bool)
    real[:, torch.tensor([0, 2, 3, 5])[:length]] = True
    found = Counter(map(tuple, sentence_ages(real, rng(), share, site=3)[real].view(-1, length).tolist()))
    assert found.keys() == chances.keys()
    expected = [chances[age] * len(real) for age in chances]
    assert chisquare([found[age] for age in chances], expected).pvalue > LEAST


@pytest.mark.parametrize(("share", "sentences"), [(0.3, 50), (0.15, 100)])  # whose product float32 rounds up
def test_time_noise_keeps_the_order_of_long_stories(share, sentences):
    """Every sentence is older than the ones after it, whatever the blanks among them."""
    ages = sentence_ages(torch.ones(800, sentences, dtype=torch.bool), rng(), share, site=3)
    assert (ages.diff() < 0).all()
    assert ages.max() < sentences + math.ceil(share * sentences)


def test_sentence_ages_count_later_sentences():
    real = torch.tensor([[True, False, True, True], [False, False, False, False], [True, False, False, False]])
    for age in (sentence_ages(real, NO_RNG, 0.5, site=3), sentence_ages(real, rng(), 0.0, site=3)):
        assert age[0][real[0]].tolist() == [2, 1, 0]
        assert age[2, 0] == 0


def test_position_encoding_is_sukhbaatars():
    words, dim = 5, 4
    table = [[(1 - j / words) - k / dim * (1 - 2 * j / words) for k in range(1, dim + 1)] for j in range(1, words + 1)]
    torch.testing.assert_close(position_encoding(words, dim), torch.tensor(table))


def test_word_type_dropout_of_large_vocabularies_is_independent():
    """Word w + 65,536 of an example does not share its fate with word w of the next."""
    words = torch.arange(1, 2001).repeat(20, 1)
    low, high = (rng().word_type_dropout(torch.ones(20, 2000, 1), words + shift, 0.5, site=1) for shift in (0, 65536))
    same = (low[1:] == high[:-1]).double().mean()
    assert close(same, 0.5, count=19 * 2000)


def test_word_type_dropout_of_large_batches_repeats_nothing():
    """Neither example e + 32,768 nor e + 65,536 shares its fate with example e."""
    examples = torch.arange(140_000)
    keep = rng().bernoulli(0.5, 1, pair_position(examples, torch.tensor(7)))
    for shift in (32_768, 65_536, 131_072):
        assert close((keep[shift:] == keep[:-shift]).double().mean(), 0.5, count=len(keep) - shift)
