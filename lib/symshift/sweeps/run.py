"""Many runs by one command: `python -m symshift.sweeps.run params/sweeps/NAME.yaml [--dry-run]`.

It says first what there is to train and what it may cost. Runs that the store has are not trained again, so the same
command goes on after any end, however sudden. A cell that fails is named at the end, and the others go on.
"""

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from symshift.command_line import Parser
from symshift.errors import InputError
from symshift.paths import remove
from symshift.runs.store import Store
from symshift.sweeps.estimate import Speeds
from symshift.sweeps.executors import Processes, cluster, outcomes
from symshift.sweeps.group import Group, train_group
from symshift.sweeps.spec import read
from symshift.training.checkpoint import checkpoint_file
from symshift.training.device import resolve_device

EXAMPLE = "params/sweeps/table1-1k.yaml --dry-run"
TABLE_KEY = ["model", "examples", "source"]  # each has a line in the tables of a sweep


class Sweep:
    """The cells of a sweep on their way into a store.

    Attributes:
        groups: The cells by config, in the order of training.
        cells: One row for each cell: the index of its group, model, examples, source (of stories of one's own and of
            splits the name), task, seed, the id of its run (none where its stories cannot be read), and whether it was
            `stored` before.
        reasons: Why a group failed, by its index.
        notes: What a person should know of their stories, a line each.
    """

    def __init__(self, groups: Sequence[Group], store: Store):
        """Look up in the store which cells of the groups are there already."""
        self.groups = groups
        self.store = store
        self.reasons: dict[int, str] = {}
        self.notes: list[str] = []
        cells = pd.DataFrame([row for index, group in enumerate(groups) for row in self._rows(index, group)])
        cells = cells[cells.run.isna() | ~cells.run.duplicated()]  # `auto` is one of the other sources
        self.cells = cells.assign(stored=self._finished(cells))

    def _rows(self, index: int, group: Group) -> list[dict[str, Any]]:
        """One row for each seed of a group; where its stories cannot be read, the reason is kept."""
        config, key, source = group.config, None, group.source
        try:
            (data, notes), key = group.read_stories()
            self.notes += [note for note in notes if note not in self.notes]
            config = data.describe(config)
            source = data.name or config.source  # not `auto`
        except InputError as error:
            self.reasons[index] = str(error)
        examples = config.examples if key or not group.stories else 0  # of a file that cannot be read
        common = {"group": index, "task": config.task, "model": config.model, "examples": examples, "source": source}
        return [common | {"seed": seed, "run": key and config.id(seed, key)} for seed in group.seeds]

    def plan(self, speeds: Speeds) -> str:
        """Describe what there is, what the store has, and the hours that the rest takes at most."""
        seeds = self._missing.group.value_counts()
        tasks = self.cells.groupby("group").task.first()  # not the config's: stories of one's own say theirs
        configs = {index: replace(self.groups[index].config, task=tasks[index]) for index in seeds.index}
        seconds = {index: speeds.seconds(configs[index], count) for index, count in seeds.items()}
        missing_groups = self._missing.drop_duplicates("group").set_index(TABLE_KEY).group
        hours = missing_groups.map(seconds) / 3600  # NaN where no speed is known
        table = self.cells.groupby(TABLE_KEY, sort=False).agg(
            tasks=("task", "nunique"), groups=("group", "nunique"), cells=("seed", "size"), stored=("stored", "sum")
        )
        sums = hours.groupby(TABLE_KEY).agg(lambda hours: hours.sum(skipna=False))
        table = table.assign(hours=sums.reindex(table.index, fill_value=0.0))
        table = table.rename(columns={"stored": "in the store", "hours": "hours at most"})
        lines = [
            f"{len(self.cells)} cells in {self.cells.group.nunique()} groups (a group's seeds train as one stack), "
            f"{self.cells.stored.sum()} in the store, {len(self._missing)} to train",
            table.reset_index().to_string(index=False, float_format="{:.1f}".format, na_rep="-"),
        ]
        if hours.notna().any():
            lines.append(f"hours of one worker ({speeds.kind}), if no model stops early")
        if hours.isna().any():
            lines.append("-: no estimate: run make bench")
        return "\n".join([*self.notes, *lines, *self._failures()])

    def run(self, executor: Executor | None, device: str) -> None:
        """Train what the store lacks, group by group; a group that fails leaves its reason."""
        started = time.monotonic()
        missing = self._missing.group.unique().tolist()
        outputs = str(self.store.outputs.resolve())
        calls = [(self.groups[index], outputs, device) for index in missing]
        for ended, (call, error) in enumerate(outcomes(executor, train_group, calls), 1):
            minutes = (time.monotonic() - started) / 60
            outcome = self._outcome(missing[call], error)
            print(f"{ended} of {len(calls)} groups after {minutes:.1f} min: {outcome}", flush=True)
        self._remove_checkpoints()

    def _remove_checkpoints(self) -> None:
        """Remove what a kill within a write of a checkpoint, or just after a group's last record, may have left."""
        for _, cells in self.cells.groupby("group"):
            if self._finished(cells).all():
                remove(checkpoint_file(self.store.outputs, cells.run))

    def summary(self) -> str:
        """Describe how many cells were trained, were there before, or failed, and why."""
        finished, stored = self._finished(self.cells), self.cells.stored
        cell_outcomes = {"done": finished & ~stored, "skipped": stored, "failed": ~finished}
        table = self.cells.assign(**cell_outcomes).groupby(TABLE_KEY, sort=False)[[*cell_outcomes]].sum()
        return "\n".join([table.reset_index().to_string(index=False), *self._failures()])

    @property
    def failed(self) -> bool:
        """Whether a cell is not in the store."""
        return not self._finished(self.cells).all()

    @property
    def _missing(self) -> pd.DataFrame:
        """The cells to train."""
        return self.cells[~self.cells.stored & self.cells.run.notna()]

    def _finished(self, cells: pd.DataFrame) -> pd.Series:
        return cells.run.map(lambda run: self.store.has(run), na_action="ignore").eq(True)

    def _outcome(self, index: int, error: BaseException | None) -> str:
        """Describe in a line what became of a group; where it failed, keep the reason."""
        runs = self.cells[self.cells.group == index].run
        finished = [run for run in runs if self.store.has(run)]
        if error is not None:
            self.reasons[index] = _one_line(error)
        elif len(finished) < len(runs):
            self.reasons[index] = f"its worker wrote to another folder than {self.store.outputs}, or read other stories"
        if index in self.reasons:
            return f"{self.groups[index]} failed: {self.reasons[index]}"
        errors = ", ".join(f"{self.store.record(run)['error']['test']:.1f}" for run in finished)
        return f"{self.groups[index]}: test error {errors} %"

    def _failures(self) -> list[str]:
        """One line for each reason, with all groups that failed for it."""
        groups: dict[str, list[str]] = {}
        for index, reason in self.reasons.items():
            groups.setdefault(reason, []).append(str(self.groups[index]))
        return [f"failed: {'; '.join(names)}: {reason}" for reason, names in groups.items()]


def _one_line(error: BaseException) -> str:
    if isinstance(error, InputError):
        return str(error)
    traceback.print_exception(error)
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"


def main(arguments: Sequence[str] | None = None, prog: str = "python -m symshift.sweeps.run") -> int:
    """Run the command.

    Returns:
        0: every cell is in the store, or could be. 1: some failed. 2: nothing could begin. 130: stopped by hand.
    """
    parser = Parser(prog, description="Train what a file lists.", epilog=f"example: {prog} {EXAMPLE}")
    parser.add_argument("file", type=Path, help="a sweep, such as params/sweeps/table1-1k.yaml")
    parser.add_argument("--dry-run", action="store_true", help="say what there is to do, and end")
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, help="train so many groups at once, each in a process of its own")
    where.add_argument("--scheduler", help="address of a Dask scheduler, as tcp://HOST:8786; workers share the store")
    try:
        return _run(parser.parse_args(arguments))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    device = resolve_device("auto" if options.scheduler else options.device)
    sweep = Sweep(read(options.file), Store(options.outputs))
    print(f"{options.file.name}: {sweep.plan(Speeds(sweep.store, device))}", flush=True)
    if options.dry_run:
        return int(bool(sweep.reasons))
    with _executor(options) as executor:
        try:
            sweep.run(executor, options.device)
        except InputError as error:  # the scheduler has ended
            print(error, file=sys.stderr)
    print(sweep.summary())
    return int(sweep.failed)


def _executor(options: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    if options.scheduler:
        return cluster(options.scheduler)
    if options.workers is None:
        return nullcontext()
    if options.workers < 1:
        raise InputError(f"workers is {options.workers}; at least 1 process is needed")
    return Processes(options.workers)


if __name__ == "__main__":
    sys.exit(main())
