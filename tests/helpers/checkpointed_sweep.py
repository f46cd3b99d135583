"""A sweep that writes a checkpoint at every validation, as a command or preloaded by Dask; a call that dies."""

import os
import signal
import sys
from pathlib import Path

from symshift.sweeps import run as sweep
from symshift.training import loop

loop.SECONDS_BETWEEN_CHECKPOINTS = 0


def die(times: int, folder: Path) -> None:
    """End this process the first so many times; `folder` remembers how often it did."""
    deaths = len(list(folder.iterdir()))
    if deaths < times:
        (folder / str(deaths)).touch()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(sweep.main())
