"""Where the groups of a sweep train: in this process, each in a process of its own, or on a Dask cluster.

The last two are `concurrent.futures` executors. A process that dies is tried again, as Dask does it: training goes on
from its last checkpoint. One that dies each time fails alone.
"""

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, ParamSpec, TypeVar

from symshift.errors import InputError
from symshift.sweeps.group import train_group

MAX_DEATHS = 3  # of the process of one call
SCHEDULER_ENDED = "the scheduler has ended; start one, and the same command goes on from here"
SECONDS_TO_ANSWER = 30  # for a scheduler and its first worker

P = ParamSpec("P")
T = TypeVar("T")


def outcomes(
    executor: Executor | None, function: Callable[..., Any], calls: Sequence[tuple]
) -> Iterator[tuple[int, BaseException | None]]:
    """Call a function with each tuple of arguments, and yield each call's index and error (or None) as it ends.

    Without an executor the calls run one after the other in this process.

    Raises:
        InputError: The scheduler has ended.
    """
    if executor is None:
        for index, arguments in enumerate(calls):
            yield index, _error_of(function, arguments)
        return
    indices = {executor.submit(function, *arguments): index for index, arguments in enumerate(calls)}
    try:
        for future in as_completed(indices):
            yield indices[future], future.exception()
    except CancelledError:
        raise InputError(SCHEDULER_ENDED) from None
    finally:
        for future in indices:
            future.cancel()


def _error_of(function: Callable[..., Any], arguments: tuple) -> Exception | None:
    try:
        function(*arguments)
    except Exception as error:
        return error
    return None


class Processes(ThreadPoolExecutor):
    """An executor that runs each call in a new process, which is started again when it dies.

    A thread waits for each process, so that one that dies breaks no other: a `ProcessPoolExecutor` of several processes
    fails as a whole. On Linux a server imports training once and each process is a fork of it, which starts in
    milliseconds, where an import takes seconds. Elsewhere libraries that torch loads do not survive a fork.
    """

    def __init__(self, count: int) -> None:
        """Run at most `count` processes at once."""
        super().__init__(count)
        self.context = get_context("forkserver" if sys.platform == "linux" else "spawn")
        self.context.set_forkserver_preload([train_group.__module__])

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> Future[T]:
        """Schedule a call in a process of its own."""
        return super().submit(lambda: self._call_in_process(function, *arguments, **options))

    def _call_in_process(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        for _ in range(MAX_DEATHS):
            with (
                contextlib.suppress(BrokenProcessPool),
                ProcessPoolExecutor(
                    1, self.context, initializer=_initialize_process, initargs=(dict(os.environ),)
                ) as pool,
            ):
                return pool.submit(function, *arguments, **options).result()
        raise ChildProcessError(f"its process died {MAX_DEATHS} times")


def _initialize_process(environment: dict[str, str]) -> None:
    """Take over the parent's environment, and end this process when the parent ends.

    A fork has the environment of its server's start. Whoever kills a sweep kills its processes too.
    """
    os.environ.clear()
    os.environ.update(environment)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Open an executor on the workers of the Dask scheduler at this address.

    Raises:
        InputError: Dask is not installed, the scheduler does not answer, wants certificates, or has no worker.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError("a scheduler needs Dask: pip install -c constraints.txt -e '.[cluster]'") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # `outcomes` says that a scheduler has ended
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError):
        raise InputError(f"scheduler {address!r} does not answer; `dask scheduler` starts one and says where") from None
    except TypeError:  # of an address tls://
        where = "Dask's configuration, as in DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
        raise InputError(f"scheduler {address!r} wants certificates; name them in {where}") from None
    with client:
        try:
            client.wait_for_workers(1, SECONDS_TO_ANSWER)
        except TimeoutError:
            raise InputError(f"scheduler {address!r} has no worker; `dask worker {address}` starts one") from None
        with client.get_executor() as executor:
            yield executor
