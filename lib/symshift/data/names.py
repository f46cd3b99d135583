"""Invented names, for task 1 with a growing number of people (symbol-shift paper, figure 1)."""

from functools import cache
from itertools import product
from random import Random

from symshift.data.babi.generator import World
from symshift.data.renaming import UNSEEN
from symshift.errors import InputError

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def people(count: int) -> World:
    """The world of task 1 with so many people; fewer people are among more."""
    if not 1 <= count <= len(_names()):
        raise InputError(f"count {count}: a number of people from 1 to {len(_names())} would be right")
    return World(people=_names()[:count])


@cache
def _names() -> tuple[str, ...]:
    """All names of three syllables, shuffled once and for all."""
    syllables = ["".join(pair) for pair in product(CONSONANTS, VOWELS)]
    known = {word for words in UNSEEN.values() for pair in words.items() for word in pair}
    names = [name for name in map("".join, product(syllables, repeat=3)) if name not in known]
    Random("names").shuffle(names)
    return tuple(name.capitalize() for name in names)
