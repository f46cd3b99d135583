"""Phrases for what happens in the tasks on people and objects, each as likely as the others."""

from collections.abc import Sequence
from random import Random

MOVES = ("went to", "went back to", "journeyed to", "travelled to", "moved to")
GETS = ("took", "got", "grabbed", "picked up")
DROPS = ("dropped", "left", "discarded", "put down")
GIVES = ("passed", "gave", "handed")
AFTER = ("Afterwards", "After that", "Following that", "Then")


def move_phrase(rng: Random, place: str) -> str:
    """Return a random phrase for going to a place, as `went to the kitchen`."""
    return f"{rng.choice(MOVES)} the {place}"


def choose_other(rng: Random, names: Sequence[str], *excluded: str) -> str:
    """Choose one of the names that is not excluded."""
    return rng.choice([name for name in names if name not in excluded])
