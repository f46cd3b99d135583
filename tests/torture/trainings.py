"""Small trainings that are disturbed, and what each must leave."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from symshift.data import load
from symshift.training import loop
from symshift.training.data import Data
from symshift.training.ensemble import REGISTERS
from tests.helpers.small import config
from tests.torture.children import DONE, fork

SEEDS = [0, 1]
FILES = {"run.json", "curve.csv", "weights.safetensors"}
NOT_COMPARED = ("seconds", "updates_per_second", "provenance", "stacked")
QUICK = {"updates": 36, "evaluate_every": 4, "patience": 20, "batch": 4, "restart_at": 0}
CASES = {
    "mn": ("mn", QUICK),
    "mn, restarts": ("mn", QUICK | {"restart_at": 8, "restart_above": 60.0}),
    "stpr-sm": ("stpr-sm", QUICK | {"batch": REGISTERS}),  # as in every preset, a multiple of it
}
ALWAYS, NEVER = 0.0, 1e9  # seconds between checkpoints


@dataclass
class Tally:
    """How often a fault was tried, and what came of it."""

    tried: int = 0
    survived: int = 0
    lost: int = 0
    wrong: int = 0
    left: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if len(self.notes) < 5:
            self.notes.append(text[-1500:])

    @property
    def bad(self) -> int:
        return self.lost + self.wrong + self.left + self.tried - self.survived


@cache
def stories() -> Data:
    return Data(load(1, 40, source="generated"), load(1, 10, "test", "generated")[:40])


def train(case: str, outputs: Path, every: float = ALWAYS) -> list[str]:
    preset, values = CASES[case]
    loop.SECONDS_BETWEEN_CHECKPOINTS = every
    return loop.train(config(preset, **values), SEEDS, str(outputs), "cpu", stories())


@cache
def undisturbed(case: str) -> dict[str, tuple]:
    """What a training leaves that nothing disturbs; it runs here, so that children find everything compiled."""
    with tempfile.TemporaryDirectory(prefix="symshift-torture-") as folder:
        train(case, Path(folder))
        return contents(Path(folder))


def contents(outputs: Path) -> dict[str, tuple]:
    """The files of each finished run as bytes; of its record all but times and machine."""
    runs = {}
    for path in sorted(outputs.glob("runs/*/run.json")):
        record = json.loads(path.read_text())
        compared = {name: value for name, value in record.items() if name not in NOT_COMPARED}
        files = [path.with_name(name).read_bytes() for name in ("curve.csv", "weights.safetensors")]
        runs[path.parent.name] = (json.dumps(compared, sort_keys=True), *files)
    return runs


def leftovers(outputs: Path) -> list[str]:
    """Files that an undisturbed training does not leave."""
    return [str(path.relative_to(outputs)) for path in outputs.rglob("*") if path.is_file() and path.name not in FILES]


def finish(tally: Tally, case: str, outputs: Path, faults: int) -> None:
    """Train to the end without a fault, and compare."""
    code, text = fork(lambda: train(case, outputs)).wait()
    expected, found = undisturbed(case), contents(outputs)
    lost = len(expected.keys() - found.keys())
    wrong = sum(found[run] != expected.get(run) for run in found)
    left = leftovers(outputs)
    tally.tried += faults
    tally.survived += faults if code == DONE else 0
    tally.lost, tally.wrong, tally.left = tally.lost + lost, tally.wrong + wrong, tally.left + len(left)
    if code != DONE or lost or wrong or left:
        tally.note(f"{case}: exit {code}, lost {lost}, wrong {wrong}, left {left}, {text if code != DONE else ''}")


@contextmanager
def new_outputs() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="symshift-torture-") as folder:
        yield Path(folder)


def trials(trial: Callable[[Tally, int], None], until: Callable[[], bool]) -> Tally:
    """Repeat a trial until it is time to stop, at least once."""
    tally, number = Tally(), 0
    while number == 0 or not until():
        trial(tally, number)
        number += 1
    return tally
