"""A layout of things that lie next to one another, and the random order in which v1.2 describes it.

One thing is drawn and then one of its neighbours, until each pair of neighbours has come up once: so a thing with many
neighbours is less often the first of its pair.
"""

from random import Random

SIDES = ("north", "east", "south", "west")
Pair = tuple[str, str]


class Layout:
    """Pairs of neighbours: `side[x, y]` is the side of y on which x lies."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.side: dict[Pair, str] = {}

    def put(self, thing: str, side: str, of: str) -> None:
        """Put a thing on a side of another."""
        self.side[thing, of] = side
        self.side[of, thing] = opposite(side)

    def shuffled_pairs(self, rng: Random) -> list[Pair]:
        """Return each pair of neighbours once, the thing drawn first in front."""
        neighbours: dict[str, list[str]] = {}
        for thing, other in self.side:
            neighbours.setdefault(thing, []).append(other)
        pairs: list[Pair] = []
        while 2 * len(pairs) < len(self.side):
            thing = rng.choice(list(neighbours))
            pair = thing, rng.choice(neighbours[thing])
            if pair not in pairs and pair[::-1] not in pairs:
                pairs.append(pair)
        return pairs


def opposite(side: str) -> str:
    """Return the opposite side."""
    return SIDES[(SIDES.index(side) + 2) % 4]
