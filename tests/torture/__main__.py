"""`python -m tests.torture SECONDS`: every fault and every reader in turn, and a table at the end."""

import sys
import time
import warnings

from symshift.errors import InputWarning
from tests.torture.children import DONE, fork
from tests.torture.faults import FAULTS
from tests.torture.fuzz import Counts, fuzz
from tests.torture.readers import readers
from tests.torture.trainings import CASES, Tally, trials, undisturbed

BATCH = 500  # inputs of a child
PATIENCE = 1200  # seconds that the last trials may take
FAULT_COLUMNS = ("tried", "survived", "lost", "wrong", "left")
READER_COLUMNS = ("inputs", "accepted", "tracebacks", "wrong", "hangs", "large")


def main(seconds: float) -> int:
    """Spend so many seconds; return 1 if anything was not as it must be."""
    warnings.simplefilter("ignore", InputWarning)
    started = time.monotonic()
    for case in CASES:
        undisturbed(case)
    readers()
    left = seconds - (time.monotonic() - started)
    fuzzing = fork(lambda: {name: vars(counts) for name, counts in _fuzz_all(left).items()})  # on another core
    tallies = {name: _timed(trial, share * left) for name, (trial, share) in FAULTS.items()}
    code, result = fuzzing.wait(longest=PATIENCE)
    if code != DONE:
        print(f"the damage of files ended with {code}: {result}")
        return 1
    counts = {name: Counts(**values) for name, values in result.items()}
    _print(tallies, FAULT_COLUMNS, "fault")
    _print(counts, READER_COLUMNS, "reader")
    for name, outcome in {**tallies, **counts}.items():
        for note in outcome.notes:
            print(f"\n{name}: {note}")
    bad = sum(outcome.bad for outcome in (*tallies.values(), *counts.values()))
    print(f"\n{time.monotonic() - started:.0f} s, {bad} not as they must be")
    return int(bad > 0)


def _timed(trial, seconds: float) -> Tally:
    end = time.monotonic() + seconds
    return trials(trial, lambda: time.monotonic() > end)


def _fuzz_all(seconds: float) -> dict[str, Counts]:
    """Give every reader a batch in turn, until the time is up."""
    end, number = time.monotonic() + seconds, 0
    counts = {name: Counts() for name in readers()}
    while number == 0 or time.monotonic() < end:
        for name, reader in readers().items():
            if number == 0 or time.monotonic() < end:
                counts[name].add(fuzz(name, reader, BATCH, number))
        number += 1
    return counts


def _print(outcomes: dict, columns: tuple[str, ...], what: str) -> None:
    rows = [[name, *(getattr(outcome, column) for column in columns)] for name, outcome in outcomes.items()]
    rows.append(["all", *(sum(row[index] for row in rows) for index in range(1, len(columns) + 1))])
    print("\n" + "| " + " | ".join([what, *columns]) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for row in rows:
        print("| " + " | ".join(f"{value:,}" if isinstance(value, int) else value for value in row) + " |")


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 600))
