"""Faults of machines: kills at random moments and at each step of each write, two trainings of one run, full disks."""

import errno
import os
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from typing import Any

from tests.torture.children import DONE, ONE_LINE, fork
from tests.torture.trainings import ALWAYS, CASES, NEVER, Tally, finish, new_outputs, train, undisturbed

CHANCE = random.Random(0)


def random_kills(tally: Tally, number: int) -> None:
    """Kill a training up to three times, each time at a random moment, and let it end."""
    case = [*CASES][number % len(CASES)]
    undisturbed(case)
    faults = 0
    with new_outputs() as outputs:
        for _ in range(CHANCE.randint(1, 3)):
            started, limit = time.monotonic(), CHANCE.uniform(0, _seconds(case))
            child = fork(lambda: train(case, outputs))
            while time.monotonic() - started < limit:
                time.sleep(0.002)
            faults += child.kill()
            child.wait()
        finish(tally, case, outputs, faults)


def kills_in_writes(tally: Tally, number: int) -> None:
    """Kill a training before or after one step of a write: a sync, a rename, a removal, in turn.

    Every second time no checkpoint is written, so that a kill after one record leaves the others to train alone.
    """
    case = [*CASES][number % len(CASES)]
    undisturbed(case)
    step, after, every = 1 + number % 40, number % 2 == 0, (ALWAYS, NEVER)[number // 2 % 2]

    def die_at_step() -> None:
        _patch_steps(lambda count: os.kill(os.getpid(), signal.SIGKILL) if count == step else None, after)
        train(case, outputs, every)

    with new_outputs() as outputs:
        code, _ = fork(die_at_step).wait()
        finish(tally, case, outputs, int(code == -signal.SIGKILL))


def races(tally: Tally, number: int) -> None:
    """Start two trainings of the same runs at once; every second time kill the first one on the way."""
    case = [*CASES][number % len(CASES)]
    undisturbed(case)
    with new_outputs() as outputs:
        first, second = (fork(lambda: train(case, outputs)) for _ in range(2))
        if number % 2:
            time.sleep(CHANCE.uniform(0, _seconds(case)))
            first.kill()
        ends = [first.wait(), second.wait()]
        if any(code not in (DONE, -signal.SIGKILL) for code, _ in ends):
            tally.wrong += 1
            tally.note(f"race of {case}: {ends}")
        finish(tally, case, outputs, 1)


def full_disks(tally: Tally, number: int) -> None:
    """Let files of a training grow to some size only, or let syncs fail for want of room; then make room."""
    case = [*CASES][number % len(CASES)]
    undisturbed(case)
    limit, first, count = CHANCE.randint(0, 12_000), CHANCE.randint(1, 30), CHANCE.randint(1, 30)

    def no_room(step: int) -> None:
        if first <= step < first + count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def train_without_room() -> None:
        (outputs / "elsewhere").mkdir()
        tempfile.tempdir = str(outputs / "elsewhere")
        if number % 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        else:
            _patch("fsync", no_room)
        train(case, outputs / "store")

    with new_outputs() as outputs:
        code, text = fork(train_without_room).wait()
        if code not in (DONE, ONE_LINE):
            tally.wrong += 1
            tally.note(f"full disk, {case}: exit {code}, {text}")
        finish(tally, case, outputs / "store", 1)


def _patch_steps(act: Callable[[int], None], after: bool) -> None:
    counter = [0]
    for name in ("fsync", "replace", "unlink"):
        _patch(name, act, after, counter)


def _patch(name: str, act: Callable[[int], None], after: bool = False, counter: list[int] | None = None) -> None:
    """Let `act` see the number of each call of a function of os, before or after it; in a child alone."""
    original, count = getattr(os, name), counter if counter is not None else [0]

    def call(*arguments: Any, **options: Any) -> Any:
        count[0] += 1
        number = count[0]
        if not after:
            act(number)
        result = original(*arguments, **options)
        if after:
            act(number)
        return result

    setattr(os, name, call)


_measured: dict[str, float] = {}


def _seconds(case: str) -> float:
    """Measure how long an undisturbed training takes in a child, once."""
    if case not in _measured:
        with new_outputs() as outputs:
            started = time.monotonic()
            fork(lambda: train(case, outputs)).wait()
            _measured[case] = time.monotonic() - started
    return _measured[case]


FAULTS: dict[str, tuple[Callable[[Tally, int], None], float]] = {  # with the share of the time
    "SIGKILL at random moments": (random_kills, 0.4),
    "SIGKILL at a step of a write": (kills_in_writes, 0.3),
    "two trainings of the same runs": (races, 0.15),
    "full disk": (full_disks, 0.15),
}
