"""The words for what happens in the tasks on people and objects, each as likely as the others."""

from random import Random

MOVES = ("went to", "went back to", "journeyed to", "travelled to", "moved to")
GETS = ("took", "got", "grabbed", "picked up")
DROPS = ("dropped", "left", "discarded", "put down")
GIVES = ("passed", "gave", "handed")
AFTER = ("Afterwards", "After that", "Following that", "Then")


def move(rng: Random, place: str) -> str:
    """To go somewhere, as `went to the kitchen`."""
    return f"{rng.choice(MOVES)} the {place}"


def other(rng: Random, names: tuple[str, ...], *taken: str | None) -> str:
    """One of the names that is not taken."""
    return rng.choice([name for name in names if name not in taken])
