"""`make bench AGAINST=REVISION`: whether an update costs more than at another revision.

Two processes, one a revision, take the same updates by turns, a tenth of a second each, on the same core. So what else
the machine does slows both down alike. But a process has its own luck, where its numbers lie in memory, and keeps it
until it ends: two of one revision may differ by a tenth. So each comparison is made with several pairs of processes.
Ten seeds of each preset are trained as one ensemble, on random stories of ten sentences. Prints for each preset the
ratio of now to then, a mean over the pairs of processes, and two standard errors of it.
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
WARM = 12  # updates before any is timed
PAIRS, TURNS, TURN = 6, 12, 0.12  # of processes, of each process, seconds of one


def work(presets: list[str]) -> None:
    """Answer each line `preset updates` of the standard input with the seconds that these updates took."""
    import torch

    from symshift import configure
    from symshift.cpu import single_threaded_cpu
    from symshift.training.profiling import Size, update

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    size, cpu = Size(sentences=10, symbols=19, stack=10), torch.device("cpu")
    steps = {preset: update(configure({"model": preset}), size, cpu) for preset in presets}
    print(flush=True)
    with single_threaded_cpu():
        for line in sys.stdin:
            preset, updates = line.split()
            began = time.perf_counter()
            for _ in range(int(updates)):
                steps[preset]()
            print(time.perf_counter() - began, flush=True)


class Worker:
    """A process that trains with the library of a checkout."""

    def __init__(self, checkout: Path, kernels: Path, presets: list[str]):
        own = {"PYTHONPATH": str(checkout / "lib"), "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(kernels)}
        command = [sys.executable, __file__, "worker", *presets]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | own, **pipes)
        if not self.process.stdout.readline():
            error = self.process.stderr.read().strip().splitlines()[-1:]
            sys.exit(f"this benchmark does not run with the library of that revision: {''.join(error)}")

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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], prog="make bench", allow_abbrev=False)
    parser.add_argument("revision", help="a commit, tag or branch of this repository")
    parser.add_argument("presets", nargs="*", default=PRESETS, help=f"default: {' '.join(PRESETS)}")
    arguments = parser.parse_args()
    presets = list(arguments.presets)
    ratios: dict[str, list[float]] = {preset: [] for preset in presets}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        git = ["git", "-C", str(ROOT), "worktree"]
        sides = {"then": folder / "then", "now": ROOT}
        add = [*git, "add", "--detach", str(sides["then"]), arguments.revision]
        made = subprocess.run(add, capture_output=True, text=True, check=False)
        if made.returncode:
            sys.exit(f"revision {arguments.revision!r}: {made.stderr.strip().splitlines()[-1]}")
        stack.callback(subprocess.run, [*git, "remove", "--force", str(sides["then"])], check=True)
        for pair in range(PAIRS):
            print(f"pair {pair + 1} of {PAIRS}", file=sys.stderr, flush=True)
            with ExitStack() as running:
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
