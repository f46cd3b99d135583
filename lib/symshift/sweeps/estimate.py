"""What a sweep may cost: the updates it may take at most, at the speed this kind of machine has shown. Most models stop
earlier, so it is an upper bound, but for models that diverge and start again.

The speed of a model on a task is the median of its finished runs in the store on such a device; where there are none,
on a CPU, what `make bench` measured on that task; where that is not known either, the slowest that is known of the
model on such a device, on any task or any length of story."""

from pathlib import Path

import pandas as pd
import torch

from symshift.config import RunConfig
from symshift.paths import ROOT
from symshift.runs.provenance import provenance
from symshift.runs.store import Store
from symshift.training.stopping import MAX_ATTEMPTS

BENCH = ROOT / "outputs" / "bench.csv"


class Speeds:
    """Updates a second of a model, counted over its stack, on one kind of device."""

    def __init__(self, store: Store, device: torch.device, bench: Path | None = None):
        self.kind = provenance(device)["device"]
        records = [store.record(run) for run in store.runs().id]
        rows = [
            (record["config"]["model"], f"task {record['config']['task']}", record["updates_per_second"])
            for record in records
            if record["provenance"]["device"] == self.kind
        ]
        known = pd.DataFrame(rows, columns=["model", "on", "speed"]).groupby(["model", "on"], as_index=False).median()
        bench = bench or BENCH
        if bench.exists() and device.type == "cpu":
            lines = pd.read_csv(bench)
            cases = lines.case.str.split(n=1, expand=True).set_axis(["model", "on"], axis=1)  # `tpr T10`, `tpr task 3`
            known = pd.concat([known, cases.assign(speed=1000 / lines.stacked10_ms)])
        self.known = known.drop_duplicates(["model", "on"])

    def seconds(self, config: RunConfig, models: int) -> float | None:
        """How long so many models of this config train at most, as one stack on one device; None: it is not known."""
        mine = self.known[self.known.model == config.model].set_index("on").speed
        if mine.empty:
            return None
        training = config.training
        attempt = -(-training.restart_at // training.evaluate_every) * training.evaluate_every
        updates = training.updates + (MAX_ATTEMPTS - 1) * attempt
        return models * updates / mine.get(f"task {config.task}", mine.min())
