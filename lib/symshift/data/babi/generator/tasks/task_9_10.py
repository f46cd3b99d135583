"""Tasks 9 and 10: whether somebody is somewhere, told by moves, by statements, by denials, and by half knowledge.

In every sentence somebody has gone somewhere new. A denial names the place left; `either` names the new place and one
drawn at random, which may be the same.
"""

from random import Random

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.words import move, other
from symshift.data.babi.generator.world import World


@task(9, World(), people=1, places=2)
def negation(telling: Telling, world: World, rng: Random) -> None:
    """What was denied is asked as it was denied; what was stated, as often rightly as wrongly."""
    _tell(telling, world.cast(rng), rng, ("move", "move", "is", "not"))


@task(
    10,
    World(
        people=("Bill", "Fred", "Julie", "Mary"), places=("bedroom", "kitchen", "office", "school", "park", "cinema")
    ),
    people=1,
    places=2,
)
def indefinite(telling: Telling, world: World, rng: Random) -> None:
    """Of two places either may be; the place asked about is the true one or any other, as often."""
    _tell(telling, world.cast(rng), rng, ("move", "move", "is", "either"))


def _tell(telling: Telling, cast: World, rng: Random, ways: tuple[str, ...]) -> None:
    place = {who: rng.choice(cast.places) for who in cast.people}
    known: dict[str, tuple[int, str, tuple[str, ...]]] = {}
    for _ in range(5):
        for _ in range(2):
            who, way = rng.choice(cast.people), rng.choice(ways)
            left, place[who] = place[who], other(rng, cast.places, place[who])
            sentence, named = _say(rng, cast, way, left, place[who])
            known[who] = telling.say(f"{who} {sentence}."), way, named
            telling.facts.append(who)
        who = telling.recent()[0]
        line, way, named = known[who]
        asked = place[who] if rng.random() < 0.5 else other(rng, cast.places, place[who])
        if way == "not":
            asked = named[0]
        told = asked in named
        answer = ("no" if way == "not" else "maybe" if way == "either" else "yes") if told else "no"
        telling.ask(f"Is {who} in the {asked}?", answer, line)


def _say(rng: Random, cast: World, way: str, left: str, place: str) -> tuple[str, tuple[str, ...]]:
    """The rest of a sentence, and the places that it names."""
    if way == "not":
        return f"is {rng.choice(('not', 'no longer'))} in the {left}", (left,)
    if way == "either":
        named = [place, rng.choice(cast.places)]
        rng.shuffle(named)
        return f"is either in the {named[0]} or the {named[1]}", tuple(named)
    return (f"is in the {place}" if way == "is" else move(rng, place)), (place,)
