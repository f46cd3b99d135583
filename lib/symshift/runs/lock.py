"""One training of a run, and one export to a store at a time: locks that the system releases when their owners die.

A lock is a file `locks/ID` or `locks/published` of the store, which is removed with its release. Whoever comes second
says who is first, and waits. Then the run is finished, or goes on from where its first owner was killed; an export adds
its runs to those of the first.
"""

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.5


@contextmanager
def run_locks(outputs: Path, run_ids: Iterable[str]) -> Iterator[None]:
    """Hold the locks of these runs, and wait for those of another training.

    A store on a system without locks is used without them: its files are replaced atomically, so that two trainings
    of one run cost time but spoil nothing.
    """
    with ExitStack() as stack:
        for run in sorted(set(run_ids)):  # in one order, so that no two trainings wait for each other
            stack.enter_context(_lock(outputs / "locks" / run, f"run {run}", "trains it"))
        yield


def published_lock(outputs: Path) -> AbstractContextManager[None]:
    """Hold the lock of the published runs, and wait for another export; do without it where there are no locks."""
    return _lock(outputs / "locks" / "published", str(outputs / "published"), "exports to it")


def remove_dead_locks(outputs: Path, run_ids: Iterable[str]) -> None:
    """Remove locks of finished runs whose owners were killed before they could."""
    for path in (outputs / "locks" / run for run in run_ids):
        with contextlib.suppress(OSError):  # there is none, or its owner lives
            descriptor = os.open(path, os.O_RDWR)
            try:
                _lock_file(descriptor)
                if _is_same(descriptor, path):  # else its owner has removed it, and the path is another's lock by now
                    path.unlink()
            finally:
                os.close(descriptor)


@contextmanager
def _lock(path: Path, what: str, action: str) -> Iterator[None]:
    """Hold one lock; do without it on a system that has none.

    Args:
        path: The lock's file.
        what: What is locked, as a line says that is printed while another owner has it.
        action: What that owner does, as *trains it*.
    """
    descriptor = None
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _acquire(path, what, action)
    try:
        yield
    finally:
        if descriptor is not None:
            with contextlib.suppress(OSError):  # before it is released, so that nobody holds a removed file
                path.unlink()
            os.close(descriptor)


def _acquire(path: Path, what: str, action: str) -> int:
    """Open the lock's file and wait until it is ours.

    Raises:
        OSError: The system has no locks, or the file cannot be opened.
    """
    waiting = False
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock_file(descriptor)
        except BlockingIOError:
            if not waiting:
                waiting = True
                print(f"{what}: {_owner(path)} {action} already; waiting until it ends", flush=True)
            os.close(descriptor)
            time.sleep(SECONDS_BETWEEN_LOOKS)
            continue
        except OSError:
            os.close(descriptor)
            raise
        if _is_same(descriptor, path):
            with contextlib.suppress(OSError):  # a full disk
                os.truncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
            return descriptor
        os.close(descriptor)  # its last owner removed it meanwhile


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _owner(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(errors="replace")[:200] or "another process"
    return "another process"


if sys.platform == "win32":
    import msvcrt

    def _lock_file(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError from None

else:
    import fcntl

    def _lock_file(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
