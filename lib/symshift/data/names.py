"""Invented names, for task 1 with a growing number of people (symbol-shift paper, figure 1)."""

from functools import cache
from itertools import product
from random import Random

from symshift.data.babi.generator import World
from symshift.data.renaming import ALL_NAMES
from symshift.errors import InputError

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"


def people(count: int) -> World:
    """Return a world with so many invented people; a smaller world's people are the first of a larger one's.

    Raises:
        InputError: The count is below 1, or above the number of names.
    """
    if type(count) is not int or not 1 <= count <= len(_names()):
        raise InputError(f"count {count!r}: a number of people from 1 to {len(_names())} would be right")
    return World(people=_names()[:count])


@cache
def _names() -> tuple[str, ...]:
    """All names of three syllables, in one random order."""
    syllables = ["".join(pair) for pair in product(CONSONANTS, VOWELS)]
    names = [name for name in map("".join, product(syllables, repeat=3)) if name not in ALL_NAMES]
    Random("names").shuffle(names)
    return tuple(name.capitalize() for name in names)
