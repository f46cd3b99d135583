"""What a sweep may cost is a help: a damaged file of measurements ends no sweep."""

import pytest
import torch

from symshift.runs.store import Store
from symshift.sweeps.estimate import Speeds

BENCH = "case,single_ms,stacked10_ms\ntpr T10,1.5,4\n"


def test_speeds_are_read_from_bench(tmp_path):
    (tmp_path / "bench.csv").write_text(BENCH)
    speeds = Speeds(Store(tmp_path), torch.device("cpu"), tmp_path / "bench.csv").speeds
    assert speeds.values.tolist() == [["tpr", "T10", 250.0]]


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"a,b\n1,2\n", BENCH.replace("4", "four").encode(), b"case\n"])
def test_damaged_bench_is_one_line_and_no_estimate(content, tmp_path, capsys):
    (tmp_path / "bench.csv").write_bytes(content)
    assert Speeds(Store(tmp_path), torch.device("cpu"), tmp_path / "bench.csv").speeds.empty
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("no estimate from ")
