"""What a sweep may cost: the updates it may take at most, at the speed this kind of machine has shown. Most models stop
earlier, so it is an upper bound, but for models that diverge and start again.

The speed of a model on a task is the median of its finished runs in the store on such a device; where there are none,
of its runs on any task; where there are none either, what `make bench` measured, on a CPU and on stories of ten
sentences."""

from pathlib import Path

import pandas as pd
import torch

from symshift.config import Config
from symshift.paths import ROOT
from symshift.results.store import Store
from symshift.training.protocol import ATTEMPTS
from symshift.training.provenance import provenance

BENCH = ROOT / "outputs" / "bench.csv"


class Speeds:
    """Updates a second of a model, counted over its stack, on one kind of device."""

    def __init__(self, store: Store, device: torch.device, bench: Path | None = None):
        self.kind = provenance(device)["device"]
        records = [store.record(run) for run in store.runs().id]
        rows = [
            (record["config"]["model"], record["config"]["task"], record["updates_per_second"])
            for record in records
            if record["provenance"]["device"] == self.kind
        ]
        self.runs = pd.DataFrame(rows, columns=["model", "task", "speed"])
        bench = bench or BENCH
        self.bench = pd.read_csv(bench) if bench.exists() and device.type == "cpu" else None

    def seconds(self, config: Config, models: int) -> float | None:
        """How long so many models of this config train at most, as one stack on one device; None: it is not known."""
        speed = self._of_runs(config) or self._of_bench(config)
        updates = config.protocol.updates + (ATTEMPTS - 1) * config.protocol.restart_at
        return models * updates / speed if speed else None

    def _of_runs(self, config: Config) -> float | None:
        mine = self.runs[self.runs.model == config.model]
        same = mine[mine.task == config.task]
        return None if mine.empty else float((mine if same.empty else same).speed.median())

    def _of_bench(self, config: Config) -> float | None:
        if self.bench is None:
            return None
        mine = self.bench[self.bench.case.str.split().str[0] == config.model]  # a case is named `stpr-sm T10`
        return None if mine.empty else 1000 / float(mine.stacked10_ms.iloc[0])
