"""Task 20: where people go and what they take, and why."""

from random import Random

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.words import GETS, move
from symshift.data.babi.generator.world import World

GOALS = {
    "hungry": ("kitchen", "apple"),
    "thirsty": ("kitchen", "milk"),
    "bored": ("garden", "football"),
    "tired": ("bedroom", "pajamas"),
}


@task(20, World(people=("Jason", "Antoine", "Sumit", "Yann")), people=1)
def motives(telling: Telling, world: World, rng: Random) -> None:
    """Each person feels something, goes where it drives them and takes what they need, if it is still there.

    Places and objects are those of `GOALS`, whatever the world has."""
    people = world.cast(rng).people
    feeling = {who: rng.choice(tuple(GOALS)) for who in people}
    line: dict[str, int] = {}
    gone: set[str] = set()
    taken: set[str] = set()
    while waiting := [who for who in people if who not in gone or feeling[who] not in taken]:
        who = rng.choice(waiting)
        name, why = who.lower(), feeling[who]
        place, thing = GOALS[why]
        if who not in line:
            line[who] = telling.say(f"{who} is {why}.")
            telling.ask(f"Where will {name} go?", place, line[who])
        elif who not in gone:
            gone.add(who)
            telling.say(f"{who} {move(rng, place)}.")
            telling.ask(f"Why did {name} go to the {place}?", why, line[who])
        else:
            taken.add(why)
            telling.say(f"{who} {rng.choice(GETS)} the {thing} there.")
            telling.ask(f"Why did {name} get the {thing}?", why, line[who])
