"""A sweep that keeps a checkpoint at every validation: run as the sweep's own command, or preloaded by a Dask worker.
And calls that die."""

import os
import signal
import sys
from pathlib import Path

from symshift.sweeps import run as sweep
from symshift.training import loop as training

training.SECONDS_BETWEEN_CHECKPOINTS = 0


def die(times: int, folder: Path) -> None:
    """End this process the first so many times; `folder` remembers how often it did."""
    deaths = len(list(folder.iterdir()))
    if deaths < times:
        (folder / str(deaths)).touch()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(sweep.main())
