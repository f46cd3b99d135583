"""What becomes of calls whose executor ends before them."""

from concurrent.futures import Executor, Future

import pytest

from symshift.errors import InputError
from symshift.sweeps.executors import cluster, outcomes


class EndedExecutor(Executor):
    """Cancels what waits, as a Dask client does whose scheduler was killed."""

    def submit(self, function, /, *arguments, **options):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_outcomes_of_an_executor_that_ends_is_one_line():
    with pytest.raises(
        InputError, match=r"^the scheduler has ended; start one, and the same command goes on from here$"
    ):
        list(outcomes(EndedExecutor(), print, [(1,), (2,)]))


def test_cluster_over_tls_wants_certificates():
    with pytest.raises(InputError, match="wants certificates; name them in Dask's configuration"), cluster("tls://a:1"):
        pass
