"""Many runs by one command: `python -m symshift.sweeps.run params/sweeps/NAME.yaml [--dry-run]`.

Says first what there is to train and what it may cost. Runs that the store has are not trained again, so the same
command goes on after any end, however sudden. A cell that fails is told at the end, and the others go on."""

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

import pandas as pd

from symshift.data import load
from symshift.errors import InputError
from symshift.paths import remove
from symshift.runs.store import Store
from symshift.sweeps.estimate import Speeds
from symshift.sweeps.executors import Processes, cluster, outcomes
from symshift.sweeps.spec import Group, read
from symshift.training.checkpoint import checkpoint_file
from symshift.training.data import Data
from symshift.training.device import resolve_device
from symshift.training.loop import train

EXAMPLE = "params/sweeps/table1-1k.yaml --dry-run"
PART = ["model", "examples", "source"]  # a line of a sweep's tables


class Sweep:
    """The cells of a grid on their way into a store.

    `cells` has a row each: the place of its group, model, examples, source, task, seed, the id of its run (none where
    its stories cannot be read), and whether the store `had` it before. `reasons` says why the group at a place failed.
    """

    def __init__(self, groups: Sequence[Group], store: Store):
        self.groups, self.store, rows = groups, store, []
        self.reasons: dict[int, str] = {}
        for place, group in enumerate(groups):
            config, key = group.config, None
            try:
                data, key = _stories(config.task, config.examples, config.source)
                config = data.describe(config)
            except InputError as error:
                self.reasons[place] = str(error)
            same = {"group": place, "task": config.task} | {name: getattr(config, name) for name in PART}
            rows += [same | {"seed": seed, "run": key and config.id(seed, key)} for seed in group.seeds]
        cells = pd.DataFrame(rows)
        cells = cells[cells.run.isna() | ~cells.run.duplicated()]  # `auto` is one of the other sources
        self.cells = cells.assign(had=self._finished(cells))

    def plan(self, speeds: Speeds) -> str:
        """What there is, what the store has, and the hours that the rest takes at most."""
        seeds = self._left.group.value_counts()
        seconds = {place: speeds.seconds(self.groups[place].config, count) for place, count in seeds.items()}
        hours = self._left.drop_duplicates("group").set_index(PART).group.map(seconds).div(3600)
        table = self.cells.groupby(PART, sort=False).agg(
            tasks=("task", "nunique"), groups=("group", "nunique"), cells=("seed", "size"), had=("had", "sum")
        )
        known = hours.groupby(PART).agg(lambda hours: hours.sum(skipna=False))
        table = table.assign(hours=known.reindex(table.index, fill_value=0.0))
        table = table.rename(columns={"had": "in the store", "hours": "hours at most"})
        lines = [
            f"{len(self.cells)} cells in {self.cells.group.nunique()} groups (a group's seeds train as one stack), "
            f"{self.cells.had.sum()} in the store, {len(self._left)} to train",
            table.reset_index().to_string(index=False, float_format="{:.1f}".format, na_rep="-"),
        ]
        if hours.notna().any():
            lines.append(f"hours of one worker ({speeds.kind}), if no model stops early")
        if hours.isna().any():
            lines.append("-: no estimate: run make bench")
        return "\n".join([*lines, *self._failures()])

    def run(self, executor: Executor | None, device: str) -> None:
        """Train what the store lacks, group by group; a group that fails leaves its reason."""
        places, started = self._left.group.unique().tolist(), time.monotonic()
        outputs = str(self.store.outputs.resolve())
        calls = [(self.groups[place].config, list(self.groups[place].seeds), outputs, device) for place in places]
        for ended, (number, error) in enumerate(outcomes(executor, train, calls), 1):
            minutes = (time.monotonic() - started) / 60
            print(
                f"{ended} of {len(calls)} groups after {minutes:.1f} min: {self._end(places[number], error)}",
                flush=True,
            )

        self._clear()

    def _clear(self) -> None:
        """Remove what a kill within a write of a checkpoint, or just after a group's last record, may have left."""
        for _, cells in self.cells.groupby("group"):
            if self._finished(cells).all():
                remove(checkpoint_file(self.store.outputs, cells.run))

    def summary(self) -> str:
        """How many cells were trained, were there before, or failed, and why."""
        finished = self._finished(self.cells)
        ends = {"done": finished & ~self.cells.had, "skipped": self.cells.had, "failed": ~finished}
        table = self.cells.assign(**ends).groupby(PART, sort=False)[[*ends]].sum()
        return "\n".join([table.reset_index().to_string(index=False), *self._failures()])

    @property
    def failed(self) -> bool:
        """Whether a cell is not in the store."""
        return not self._finished(self.cells).all()

    @property
    def _left(self) -> pd.DataFrame:
        """The cells to train."""
        return self.cells[~self.cells.had & self.cells.run.notna()]

    def _finished(self, cells: pd.DataFrame) -> pd.Series:
        return cells.run.map(lambda run: self.store.has(run), na_action="ignore").eq(True)

    def _end(self, place: int, error: BaseException | None) -> str:
        """What became of a group, in a line."""
        runs = self.cells[self.cells.group == place].run
        finished = [run for run in runs if self.store.has(run)]
        if error is not None:
            self.reasons[place] = _line(error)
        elif len(finished) < len(runs):
            self.reasons[place] = f"its worker wrote to another folder than {self.store.outputs}, or read other stories"
        if place in self.reasons:
            return f"{self.groups[place]} failed: {self.reasons[place]}"
        errors = ", ".join(f"{self.store.record(run)['error']['test']:.1f}" for run in finished)
        return f"{self.groups[place]}: test error {errors} %"

    def _failures(self) -> list[str]:
        groups: dict[str, list[str]] = {}
        for place, reason in self.reasons.items():
            groups.setdefault(reason, []).append(str(self.groups[place]))
        return [f"failed: {'; '.join(same)}: {reason}" for reason, same in groups.items()]


@cache
def _stories(task: int, examples: int, source: str) -> tuple[Data, str]:
    """What decides a run's id, without the tests on unseen names."""
    data = Data(*(load(task, examples, split, source) for split in ("train", "test")))
    return data, data.key


def _line(error: BaseException) -> str:
    if isinstance(error, InputError):
        return str(error)
    traceback.print_exception(error)
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def main(arguments: Sequence[str] | None = None, prog: str = "python -m symshift.sweeps.run") -> int:
    """Run the command.

    Returns:
        0: every cell is in the store, or could be. 1: some failed. 2: nothing could begin. 130: stopped by hand.
    """
    parser = argparse.ArgumentParser(prog, description="Train what a file lists.", epilog=f"example: {prog} {EXAMPLE}")
    parser.add_argument("file", type=Path, help="a sweep, such as params/sweeps/table1-1k.yaml")
    parser.add_argument("--dry-run", action="store_true", help="say what there is to do, and end")
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, help="train so many groups at once, each in a process of its own")
    where.add_argument("--scheduler", help="address of a Dask scheduler, as tcp://HOST:8786; workers share the store")
    try:
        return _sweep(parser.parse_args(arguments))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _sweep(given: argparse.Namespace) -> int:
    device = resolve_device("auto" if given.scheduler else given.device)
    sweep = Sweep(read(given.file), Store(given.outputs))
    print(f"{given.file.name}: {sweep.plan(Speeds(sweep.store, device))}", flush=True)
    if given.dry_run:
        return int(bool(sweep.reasons))
    with _executor(given) as executor:
        sweep.run(executor, given.device)
    print(sweep.summary())
    return int(sweep.failed)


def _executor(given: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    if given.scheduler:
        return cluster(given.scheduler)
    if given.workers is None:
        return nullcontext()
    if given.workers < 1:
        raise InputError(f"workers is {given.workers}; at least 1 process is needed")
    return Processes(given.workers)


if __name__ == "__main__":
    sys.exit(main())
