"""How far training is: a bar where someone watches, a line every so often where output is kept or many train."""

import multiprocessing
import sys
import time

from tqdm import tqdm

SECONDS = 10.0  # between lines


class Progress:
    """Counts updates up to `total`. `now` is what to say beside the count."""

    def __init__(self, label: str, total: int, done: int):
        self.label, self.total, self.done = label, total, done
        watched = sys.stderr.isatty() and multiprocessing.parent_process() is None
        self.bar = tqdm(total=total, initial=done, desc=label, unit="update") if watched else None
        self.spoken = time.monotonic()

    def show(self, done: int, now: str) -> None:
        if self.bar is not None:
            self.bar.set_postfix_str(now, refresh=False)
            self.bar.update(done - self.done)
        elif time.monotonic() - self.spoken > SECONDS:
            print(f"{self.label}: {done:,} of at most {self.total:,} updates, {now}", flush=True)
            self.spoken = time.monotonic()
        self.done = done

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
