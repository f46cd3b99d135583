"""Task 18: what fits inside what."""

from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.world import World

THINGS = ("chocolate", "box of chocolates", "box", "container", "suitcase", "chest")
GROUP = 5
TRIES = 40


class Size(NamedTuple):
    """What a sentence tells."""

    line: int
    big: str
    small: str


@task(18, World(objects=THINGS), objects=3)
def sizes(telling: Telling, world: World, rng: Random) -> None:
    """Five sentences, then questions, and five more sentences where fewer than five questions were found.

    The first two things of the world are the smallest, in this order; the others are of any size."""
    smallest, larger = world.objects[:2], world.objects[2:]
    order = [*smallest, *rng.sample(larger, min(4, len(larger)))]
    asked = 0
    while asked < GROUP:
        for _ in range(GROUP):
            small, big = sorted(rng.sample(order, 2), key=order.index)
            told = f"The {big} is bigger than the {small}.", f"The {small} fits inside the {big}."
            telling.facts.append(Size(telling.say(rng.choice(told)), big, small))
        asked = sum(_ask(telling, rng) for _ in range(GROUP))


def _ask(telling: Telling, rng: Random) -> bool:
    """Ask about the ends of a recent sentence and the first other sentence on one of its things, where the two make a
    chain; give up after some tries."""
    for _ in range(TRIES):
        fact, yes = telling.recent()[0], rng.random() < 0.5
        middle = fact.small if yes else fact.big
        on_it = (size for size in telling.facts if size is not fact and middle in (size.big, size.small))
        other = next(on_it, fact)
        if middle == (other.big if yes else other.small):
            one, two = (fact.big, other.small) if yes else (fact.small, other.big)
            question = rng.choice((f"Is the {one} bigger than the {two}?", f"Does the {two} fit in the {one}?"))
            telling.ask(question, "yes" if yes else "no", fact.line, other.line)
            return True
    return False
