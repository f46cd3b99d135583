"""How far training is: a bar on a terminal, else a line from time to time, as under papermill or in a sweep."""

import multiprocessing
import sys
import time

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts updates up to `total`.

    Args:
        label: What is trained.
        total: Updates at most.
        done: Updates before this process began.
    """

    def __init__(self, label: str, total: int, done: int):
        self.label, self.total, self.done = label, total, done
        on_terminal = sys.stderr.isatty() and multiprocessing.parent_process() is None
        self.bar = tqdm(total=total, initial=done, desc=label, unit="update") if on_terminal else None
        self.last_line = time.monotonic()

    def show(self, done: int, status: str) -> None:
        """Show the count, and a status beside it."""
        if self.bar is not None:
            self.bar.set_postfix_str(status, refresh=False)
            self.bar.update(done - self.done)
        elif time.monotonic() - self.last_line > SECONDS_BETWEEN_LINES:
            print(f"{self.label}: {done:,} of at most {self.total:,} updates, {status}", flush=True)
            self.last_line = time.monotonic()
        self.done = done

    def close(self) -> None:
        """Leave the bar as it is and end its line."""
        if self.bar is not None:
            self.bar.close()
