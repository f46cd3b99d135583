"""What is measured is what training does, and work is counted as it is done."""

import pytest
import torch

from symshift.config import configure
from symshift.errors import InputError
from symshift.ops.backend import use_backend
from symshift.training.profiling import Limits, Size, Work, limits, random_stories, scan, work
from tests.helpers.small import config

CPU = torch.device("cpu")


def test_story_has_the_size():
    vocabulary, batch = random_stories(Size(sentences=7, symbols=5, stack=2))
    assert batch.story.shape[:3:2] == (2, 7)
    assert batch.symbols.shape[-1] == 5
    assert batch.story.unique().tolist() == [1, 2, 3, 4, 5]
    assert len(vocabulary.words) == 5


def test_scan_has_one_row_per_model_and_size():
    sizes = [Size(sentences, 6, stack) for sentences, stack in ((2, 1), (3, 2))]
    found = scan([config("mn"), config("entnet")], sizes, 0.01, CPU)
    assert found.model.tolist() == ["mn", "mn", "entnet", "entnet"]
    assert found.sentences.tolist() == [2, 3, 2, 3]
    assert found["stack"].tolist() == [1, 2, 1, 2]
    assert (found.ms > 0).all()


@pytest.mark.parametrize("model", ["entnet", "prehoc"])
def test_work_counts_products_of_entity_networks(model):
    """Three a sentence of all slots with U: forward, and backward to slots and to U. And three with attention's A."""
    sizes = (config := configure({"model": model})).network_config
    short, long = (work(config, Size(sentences, 9)) for sentences in (4, 8))
    least = 4 * 3 * 2 * 32 * sizes.slots * sizes.dim * (sizes.dim + getattr(sizes, "width", 0))
    assert least < long.operations - short.operations < 1.2 * least
    assert long.bytes > 1.5 * short.bytes


def test_work_counts_the_attention_of_symbols_as_torch_does():
    """The compiled form's products are counted by hand; what torch does beside them is small on many symbols."""
    config, size = configure({"model": "stransformer-nodrop"}), Size(20, 40, 1)
    compiled = work(config, size).operations
    with use_backend("torch"):
        assert 0.6 < compiled / work(config, size).operations < 1


def test_work_counts_triangular_solves():
    rows = [3 * sentences for sentences in (10, 20)]
    short, long = (work(configure({"model": "tpr"}), Size(sentences, 9)).operations for sentences in (10, 20))
    assert long - short > 32 * 15 * (rows[1] ** 2 - rows[0] ** 2)  # one solve forward alone


def test_limits_milliseconds():
    assert Limits(2e9, 1e9).milliseconds(Work(4e6, 3e6)) == (2, 3)


def test_limits_of_this_machine():
    found = limits(0.01, CPU)
    assert found.operations > 1e8
    assert found.bytes > 1e7


@pytest.mark.parametrize("name", ["sentences", "symbols", "stack"])
def test_size_refuses_zero(name):
    with pytest.raises(InputError, match=f"^{name} is 0; at least 1 is needed to measure anything$"):
        Size(**{name: 0})
