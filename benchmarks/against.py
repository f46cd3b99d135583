"""`make bench AGAINST=REVISION`: whether an update costs more than at another revision.

Two processes, one a revision, take the same updates by turns, a tenth of a second each, on the same core. So what else
the machine does slows both down alike. But a process has its own luck, where its numbers lie in memory, and keeps it
until it ends: two of one revision may differ by a tenth. So each comparison is made with several pairs of processes.
Ten seeds of each preset are trained as one ensemble, on task 1 as its batches come. Prints for each preset the ratio of
now to then, a mean over the pairs of processes, and two standard errors of it.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRESETS = ("tpr", "stpr-sm", "gstpr-sm", "mn", "smn", "entnet", "prehoc", "posthoc")
SEEDS, WARM = 10, 12  # models, updates before any is timed
PAIRS, TURNS, TURN = 6, 12, 0.12  # of processes, of each process, seconds of one


def work(presets: list[str]) -> None:
    """Answer each line `preset updates` of the standard input with the seconds that these updates took."""
    import torch

    from symshift import configure
    from symshift.data.encoding import Vocabulary, encode
    from symshift.training.data import Data
    from symshift.training.ensemble import Ensemble

    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    seeds, done = torch.arange(SEEDS), dict.fromkeys(presets, 0)
    ensembles, batches = {}, {}
    for preset in presets:
        config = configure({"model": preset, "task": 1})
        data = Data.load(config)
        config = data.describe(config)
        vocabulary = Vocabulary.of(data.train, config.sentences)
        splits = data.split(encode((*data.train, *data.valid), vocabulary, config.sentences), seeds.tolist())
        batches[preset] = [splits.batch(seeds, update, config.training.batch) for update in range(WARM)]
        ensembles[preset] = Ensemble.of(config, vocabulary, seeds.tolist(), "cpu")
    print(flush=True)
    for line in sys.stdin:
        preset, updates = line.split()
        began = time.perf_counter()
        for update in range(done[preset], done[preset] + int(updates)):
            ensembles[preset].step(batches[preset][update % WARM], seeds, update)
        print(time.perf_counter() - began, flush=True)
        done[preset] += int(updates)


class Worker:
    """A process that trains with the library of a checkout."""

    def __init__(self, checkout: Path, kernels: Path, presets: list[str]):
        own = {"PYTHONPATH": str(checkout / "lib"), "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(kernels)}
        command = [sys.executable, __file__, "worker", *presets]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | own, **pipes)
        if not self.process.stdout.readline():
            sys.exit(f"{checkout}: its library has other names than this benchmark asks for; take a later revision")

    def seconds(self, preset: str, updates: int) -> float:
        """Return how long these updates took."""
        self.process.stdin.write(f"{preset} {updates}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def log_ratio(then: Worker, now: Worker, preset: str) -> float:
    """Return the logarithm of the time of an update now to then, the median over turns."""
    first = [worker.seconds(preset, WARM) for worker in (then, now)]
    updates = max(1, round(TURN * 2 * WARM / sum(first)))
    ratios = []
    for turn in range(TURNS):
        order = (then, now) if turn % 2 else (now, then)
        taken = {worker: worker.seconds(preset, updates) for worker in order}
        ratios.append(math.log(taken[now] / taken[then]))
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], prog="make bench")
    parser.add_argument("revision", help="a commit, tag or branch of this repository")
    parser.add_argument("presets", nargs="*", default=PRESETS, help=f"default: {' '.join(PRESETS)}")
    arguments = parser.parse_args()
    presets = list(arguments.presets)
    ratios: dict[str, list[float]] = {preset: [] for preset in presets}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        git = ["git", "-C", str(ROOT), "worktree"]
        checkout = [*git, "add", "--detach", str(folder / "then"), arguments.revision]
        made = subprocess.run(checkout, capture_output=True, text=True, check=False)
        if made.returncode:
            sys.exit(f"revision {arguments.revision!r}: {made.stderr.strip().splitlines()[-1]}")
        stack.callback(subprocess.run, [*git, "remove", "--force", str(folder / "then")], check=True)
        for pair in range(PAIRS):
            print(f"pair {pair + 1} of {PAIRS}", file=sys.stderr, flush=True)
            with ExitStack() as running:
                sides = {"then": folder / "then", "now": ROOT}
                workers = {}
                for side in sorted(sides, reverse=pair % 2 == 0):
                    workers[side] = Worker(sides[side], folder / f"kernels-{side}", presets)
                    running.callback(workers[side].process.wait)
                    running.callback(workers[side].process.kill)
                for preset in presets:
                    ratios[preset].append(log_ratio(workers["then"], workers["now"], preset))
    for preset, values in ratios.items():
        error = 2 * statistics.stdev(values) / len(values) ** 0.5
        print(f"{preset:10s} now / then {math.exp(statistics.mean(values)):.3f} +- {error:.3f}")


if __name__ == "__main__":
    work(sys.argv[2:]) if sys.argv[1:2] == ["worker"] else main()
