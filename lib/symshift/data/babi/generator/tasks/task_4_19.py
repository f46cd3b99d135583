"""Tasks 4 and 19: rooms to the north, east, south and west of one another."""

from random import Random

from symshift.data.babi.generator.plan import SIDES, Plan, opposite
from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.world import World


@task(4, World(), places=3)
def two_arguments(telling: Telling, world: World, rng: Random) -> None:
    """Three rooms in a row, and a question on one of the two sentences, straight or turned round."""
    first, middle, last = rng.sample(world.places, 3)
    plan, side = Plan(), rng.choice(SIDES)
    plan.put(first, side, middle)
    plan.put(middle, side, last)
    line, (room, of) = rng.choice(_tell(telling, plan, rng))
    side = plan.side[room, of]
    turned = f"What is the {of} {opposite(side)} of?"
    telling.ask(rng.choice((f"What is {side} of the {of}?", turned)), room, line)


@task(19, World(), places=3)
def path_finding(telling: Telling, world: World, rng: Random) -> None:
    """A way of two steps that does not turn back; the other rooms lie next to those on the way."""
    start, middle, end, *others = rng.sample(world.places, min(6, len(world.places)))
    first = rng.choice(SIDES)
    second = rng.choice([side for side in SIDES if side != opposite(first)])
    plan = Plan()
    plan.put(middle, first, start)
    plan.put(end, second, middle)
    used = {(start, first), (middle, opposite(first)), (middle, second), (end, opposite(second))}
    free = [(room, side) for room in (start, middle, end) for side in SIDES if (room, side) not in used]
    for other, (room, side) in zip(others, rng.sample(free, len(others)), strict=True):
        plan.put(other, side, room)
    line = {frozenset(pair): line for line, pair in _tell(telling, plan, rng)}
    supporting = line[frozenset((start, middle))], line[frozenset((middle, end))]
    telling.ask(f"How do you go from the {start} to the {end}?", f"{first[0]},{second[0]}", *supporting)


def _tell(telling: Telling, plan: Plan, rng: Random) -> list[tuple[int, tuple[str, str]]]:
    return [
        (telling.say(f"The {room} is {plan.side[room, of]} of the {of}."), (room, of)) for room, of in plan.told(rng)
    ]
