"""A sweep whose processes are killed, for real: every cell is trained once, and has the numbers it would have had."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psutil

from symshift.paths import ROOT
from tests.helpers.sweeps import command, contents, written

PATIENCE = 600  # seconds


def start(stack: ExitStack, *words: str, log: Path | None = None) -> subprocess.Popen:
    """`python -m` with these words, ended with the test at the latest."""
    said = stack.enter_context(log.open("w")) if log else None
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stderr=said)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def files(outputs: Path) -> set[tuple[Path, int]]:
    """The checkpoints and records, and when each was written."""
    found = [*outputs.glob("checkpoints/[!.]*"), *outputs.glob("runs/*/run.json")]
    return {(path, path.stat().st_mtime_ns) for path in found if path.exists()}


def checkpoints(outputs: Path) -> int:
    return len(list(outputs.glob("checkpoints/[!.]*")))


def wait_until(true: Callable[[], bool], *running: subprocess.Popen) -> None:
    """Look often, while these run."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        assert all(process.poll() is None for process in running)
        time.sleep(0.01)


def changes(outputs: Path, process: subprocess.Popen, count: int) -> None:
    """Wait until the store has changed so many times."""
    for _ in range(count):
        before = files(outputs)
        wait_until(lambda before=before: files(outputs) != before, process)


def workers(sweep: subprocess.Popen) -> list[psutil.Process]:
    """The processes that train: forks of a server, which is a process of the sweep."""
    (server,) = [child for child in psutil.Process(sweep.pid).children() if "forkserver" in " ".join(child.cmdline())]
    return server.children()


def test_twice_at_any_moment(tmp_path, undisturbed):
    words = ("tests.helpers.checkpointed_sweep", *command(written(tmp_path), tmp_path / "outputs"))
    with ExitStack() as stack:
        for _ in range(2):
            sweep = start(stack, *words)
            changes(tmp_path / "outputs", sweep, random.randint(1, 12))
            sweep.kill()
            assert sweep.wait() == -9
        assert start(stack, *words).wait(PATIENCE) == 0
    assert contents(tmp_path / "outputs") == undisturbed


def test_processes_of_its_own_one_by_one_and_with_it(tmp_path, undisturbed):
    """Each group has a process, which takes longer to start than to train: two groups are enough."""
    file = written(tmp_path, tasks=[1])
    words = ("tests.helpers.checkpointed_sweep", *command(file, tmp_path / "outputs"), "--workers", "2")
    with ExitStack() as stack:
        sweep = start(stack, *words)
        changes(tmp_path / "outputs", sweep, 3)
        workers(sweep)[0].kill()
        changes(tmp_path / "outputs", sweep, 3)
        children = psutil.Process(sweep.pid).children(recursive=True)
        sweep.kill()
        _, alive = psutil.wait_procs(children, PATIENCE)
        assert children
        assert not alive
        assert start(stack, *words).wait(PATIENCE) == 0
    expected = {run: left for run, left in undisturbed.items() if left[0]["config"]["task"] == 1}
    assert contents(tmp_path / "outputs") == expected


def test_a_worker_of_a_dask_cluster(tmp_path, undisturbed):
    outputs, address = tmp_path / "outputs", tmp_path / "address"
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(address))
    alone = ("--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path))
    alone = (*alone, "--preload", "tests.helpers.checkpointed_sweep")
    with ExitStack() as stack:
        scheduler = start(stack, "dask", "scheduler", *here, "--port", "0", log=tmp_path / "scheduler.log")
        wait_until(lambda: address.exists() and address.read_text().endswith("}"), scheduler)
        logs = [tmp_path / "one.log", tmp_path / "other.log"]
        workers = [start(stack, "dask", "worker", *here, *alone, log=log) for log in logs]
        wait_until(lambda: all("Registered to" in log.read_text() for log in logs), scheduler, *workers)
        client = ("--scheduler", json.loads(address.read_text())["address"])
        sweep = start(stack, "tests.helpers.checkpointed_sweep", *command(written(tmp_path), outputs), *client)
        wait_until(lambda: checkpoints(outputs) == 2, scheduler, sweep, *workers)
        workers[0].kill()
        assert sweep.wait(PATIENCE) == 0
        assert workers[0].wait() == -9
        assert workers[1].poll() is None
    assert contents(outputs) == undisturbed
