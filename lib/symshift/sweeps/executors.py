"""Where the groups of a sweep train: in this process, each in a process of its own, or on a Dask cluster.

The last two are `concurrent.futures` executors. A process that dies is tried again, as Dask does it: training goes on
from its last checkpoint. One that dies each time fails alone."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

from symshift.errors import InputError

DEATHS = 3
SECONDS_TO_ANSWER = 30


def outcomes(
    executor: Executor | None, call: Callable[..., Any], many: Sequence[tuple]
) -> Iterator[tuple[int, BaseException | None]]:
    """Call with each of the arguments, in this process where there is no executor; yields the place of each call in
    `many` when it has ended, with its error, if any."""
    if executor is None:
        for place, arguments in enumerate(many):
            yield place, _error_of(call, arguments)
        return
    places = {executor.submit(call, *arguments): place for place, arguments in enumerate(many)}
    try:
        for future in as_completed(places):
            yield places[future], future.exception()
    finally:
        for future in places:
            future.cancel()


def _error_of(call: Callable[..., Any], arguments: tuple) -> Exception | None:
    try:
        call(*arguments)
    except Exception as error:
        return error
    return None


class Processes(ThreadPoolExecutor):
    """Each call in a new process, so many at a time."""

    def submit(self, call: Callable[..., Any], /, *arguments: Any) -> Future:
        return super().submit(_in_a_process, call, *arguments)


def _in_a_process(call: Callable[..., Any], *arguments: Any) -> Any:
    for _ in range(DEATHS):
        with (
            contextlib.suppress(BrokenProcessPool),
            ProcessPoolExecutor(1, get_context("spawn"), initializer=_end_with_parent) as pool,
        ):
            return pool.submit(call, *arguments).result()
    raise ChildProcessError(f"its process died {DEATHS} times")


def _end_with_parent() -> None:
    """Whoever kills a sweep kills its processes too."""

    def wait() -> None:
        parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at this address."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("a scheduler needs Dask: pip install -c constraints.txt -e '.[cluster]'") from None
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError):
        raise InputError(f"scheduler {address!r} does not answer; `dask scheduler` starts one and says where") from None
    with client:
        try:
            client.wait_for_workers(1, SECONDS_TO_ANSWER)
        except TimeoutError:
            raise InputError(f"scheduler {address!r} has no worker; `dask worker {address}` starts one") from None
        with client.get_executor() as executor:
            yield executor
