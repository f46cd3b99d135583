"""Figures and tables of speed show what was measured."""

import pandas as pd
import pytest
import torch

from symshift.results.performance import figures as performance
from symshift.training.profiling import Limits, Size, scan
from tests.helpers.small import config

SIZES = [Size(2, 5, 1), Size(4, 5, 1)]
MODELS = [config("mn"), config("tpr")]


@pytest.fixture(scope="module")
def scanned():
    return scan(MODELS, SIZES, 0.01, torch.device("cpu"))


def test_the_bench_is_read_with_its_ratios(tmp_path):
    file = tmp_path / "bench.csv"
    lines = {"case": ["tpr T10", "mn T10"], "loop_ms": [50.0, None], "alone_ms": [9.0, 6.0], "stacked10_ms": [5.0, 2.0]}
    pd.DataFrame(lines).to_csv(file)
    table = performance.bench(file)
    assert table.times.tolist()[0] == 10
    assert table.times.isna().tolist() == [False, True]
    ax = performance.forms(table).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mn T10", "tpr T10"]


@pytest.mark.parametrize("by", ["sentences", "symbols", "stack"])
def test_costs_have_a_line_each_model(scanned, by):
    ax = performance.costs(scanned, by, "Cost").axes[0]
    labels = [line.get_label() for line in ax.lines]
    assert labels == ["mn", "tpr", f"in {'inverse ' if by == 'stack' else ''}proportion"]
    assert ax.get_xlabel()
    assert "milliseconds" in ax.get_ylabel()


def test_a_distance_is_the_share_of_the_nearest_limit(scanned):
    table = performance.distances(scanned, MODELS, SIZES[1], Limits(1e9, 1e9))
    measured = scanned[scanned.sentences == 4].set_index("model").ms
    assert table.measured.to_dict() == measured.to_dict()
    assert (table.memory > table.arithmetic).all()
    assert table.share.tolist() == pytest.approx((100 * table.memory / table.measured).tolist())
    assert [mark.get_label() for mark in performance.limits(table).axes[0].collections[1:]] == [*performance.PARTS]
