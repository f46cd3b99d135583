"""Task 14: where somebody was before, told out of order.

What is new since the last question is told in cyclically shuffled order (Sattolo's shuffle, which leaves no sentence in
its place), as v1.2 has it: a pair is always turned round.
"""

from random import Random

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.words import move, other
from symshift.data.babi.generator.world import World

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")


@task(
    14,
    World(
        people=("Bill", "Fred", "Julie", "Mary"), places=("bedroom", "kitchen", "office", "school", "park", "cinema")
    ),
    people=3,
    places=2,
)
def times(telling: Telling, world: World, rng: Random) -> None:
    """Pairs of moves, each at its person's next time of the day, told shuffled before each of five questions."""
    cast = world.cast(rng)
    days: dict[str, list[str]] = {who: [] for who in cast.people}
    line: dict[tuple[str, int], int] = {}
    new: list[tuple[str, int]] = []
    while len(telling.questions) < 5:
        for _ in range(2):
            who = rng.choice([who for who in cast.people if len(days[who]) < len(TIMES)])
            days[who].append(other(rng, cast.places, *days[who][-1:]))
            new.append((who, len(days[who]) - 1))
        telling.facts += new[-2:]
        if asked := _askable(telling, days):
            for who, time in _cyclic(rng, new):
                line[who, time] = telling.say(_sentence(rng, who, time, days[who][time]))
            new = []
            who, entry = asked
            supporting = line[who, entry], line[who, entry - 1]
            telling.ask(f"Where was {who} before the {days[who][entry]}?", days[who][entry - 1], *supporting)


def _askable(telling: Telling, days: dict[str, list[str]]) -> tuple[str, int] | None:
    """A person of the last facts and the time when they last came to the place told there, if one before is known."""
    for who, time in telling.recent():
        entry = max(number for number, place in enumerate(days[who]) if place == days[who][time])
        if entry:
            return who, entry
    return None


def _sentence(rng: Random, who: str, time: int, place: str) -> str:
    words = f"{who} {move(rng, place)}"
    return f"{TIMES[time].capitalize()} {words}." if rng.random() < 0.5 else f"{words} {TIMES[time]}."


def _cyclic(rng: Random, told: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sattolo's shuffle: one of the orders that are a single cycle."""
    shuffled = list(told)
    for last in range(len(shuffled) - 1, 0, -1):
        swapped = rng.randrange(last)
        shuffled[last], shuffled[swapped] = shuffled[swapped], shuffled[last]
    return shuffled
