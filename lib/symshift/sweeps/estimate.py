"""What a sweep may cost: the updates it may take at most, at the speed that this kind of machine has shown.

Most models stop earlier, so it is an upper bound, but for models that diverge and start again.

The speed of a model on a task is the median of its finished runs in the store on such a device, but for trials of a few
updates; where there are none,
on a CPU, what `make bench` measured on that task; where that is not known either, the slowest that is known of the
model on such a device, on any task or any length of story.
"""

import math
import sys
from pathlib import Path

import pandas as pd
import torch

from symshift.config import RunConfig
from symshift.paths import ROOT
from symshift.runs.provenance import provenance
from symshift.runs.store import Store
from symshift.training.stopping import MAX_ATTEMPTS

LEAST_UPDATES = 100  # of a run whose speed counts; of fewer the start takes most of the time
BENCH = ROOT / "outputs" / "bench.csv"


class Speeds:
    """Updates per second of each preset, summed over an ensemble, on one kind of device (`kind`)."""

    def __init__(self, store: Store, device: torch.device, bench: Path | None = None):
        """Collect the speeds from a store, and on a CPU from what `make bench` wrote."""
        self.kind = provenance(device)["device"]
        records = [store.record(run) for run in store.runs().id]
        rows = [
            (record["config"]["model"], f"task {record['config']['task']}", record["updates_per_second"])
            for record in records
            if record["provenance"].get("device") == self.kind and record.get("updates", LEAST_UPDATES) >= LEAST_UPDATES
        ]
        speeds = pd.DataFrame(rows, columns=["model", "case", "speed"])
        speeds = speeds.groupby(["model", "case"], as_index=False).median()
        bench = bench or BENCH
        if bench.exists() and device.type == "cpu":
            speeds = pd.concat([speeds, _bench_speeds(bench)])
        self.speeds = speeds.drop_duplicates(["model", "case"])

    def seconds(self, config: RunConfig, models: int) -> float | None:
        """Return how long an ensemble trains at most, or None where no speed of its preset is known."""
        speeds = self.speeds[self.speeds.model == config.model].set_index("case").speed
        if speeds.empty:
            return None
        training = config.training
        attempt = math.ceil(training.restart_at / training.evaluate_every) * training.evaluate_every
        restarts = MAX_ATTEMPTS - 1 if training.restart_at <= training.updates else 0
        updates = training.updates + restarts * min(attempt, training.updates)
        return models * updates / speeds.get(f"task {config.task}", speeds.min())


def _bench_speeds(bench: Path) -> pd.DataFrame:
    """Read what `make bench` wrote; from a damaged file nothing is estimated, and one line says so."""
    try:
        lines = pd.read_csv(bench)
        cases = lines["case"].str.split(n=1, expand=True).set_axis(["model", "case"], axis=1)  # tpr T10, tpr task 3
        return cases.assign(speed=1000 / lines["stacked10_ms"].astype(float))
    except Exception:  # pandas promises no type of error
        print(f"no estimate from {bench}, which is not as `make bench` wrote it; run that again", file=sys.stderr)
        return pd.DataFrame(columns=["model", "case", "speed"])
