"""Things that lie next to one another, and how v1.2 draws the order in which their neighbourhoods are told.

One of the things is drawn and one of its neighbours, until each neighbourhood is told once: so a thing with many
neighbours is less often the one drawn first.
"""

from random import Random

SIDES = ("north", "east", "south", "west")


class Plan:
    """Neighbourhoods: `side[x, y]` is where x lies, seen from y."""

    def __init__(self) -> None:
        self.side: dict[tuple[str, str], str] = {}

    def put(self, thing: str, side: str, of: str) -> None:
        """Put a thing to a side of another."""
        self.side[thing, of] = side
        self.side[of, thing] = opposite(side)

    def told(self, rng: Random) -> list[tuple[str, str]]:
        """Each pair of neighbours once, the one drawn first in front."""
        near: dict[str, list[str]] = {}
        for thing, other in self.side:
            near.setdefault(thing, []).append(other)
        pairs: list[tuple[str, str]] = []
        while 2 * len(pairs) < len(self.side):
            thing = rng.choice(list(near))
            pair = thing, rng.choice(near[thing])
            if pair not in pairs and pair[::-1] not in pairs:
                pairs.append(pair)
        return pairs


def opposite(side: str) -> str:
    """The side across."""
    return SIDES[(SIDES.index(side) + 2) % 4]
