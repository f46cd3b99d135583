"""Task 17: shapes left and right of, above and below one another."""

from random import Random

from symshift.data.babi.generator.plan import SIDES, Plan, opposite
from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.world import World

WORDS = {"north": "above", "east": "to the right of", "south": "below", "west": "to the left of"}
SHAPES = ("triangle", "pink rectangle", "blue square", "red square", "yellow square", "red sphere")


@task(17, World(objects=SHAPES), objects=3)
def positions(telling: Telling, world: World, rng: Random) -> None:
    """Two shapes beside a third, and eight questions on how these two lie, as often yes as no."""
    one, middle, two = rng.sample(world.objects, 3)
    plan, (side, other_side) = Plan(), rng.sample(SIDES, 2)
    plan.put(one, side, middle)
    plan.put(two, other_side, middle)
    line = {}
    for of, shape in plan.told(rng):
        end = shape if of == middle else of
        line[end] = telling.say(f"The {shape} is {WORDS[plan.side[shape, of]]} the {of}.")
    for _ in range(8):
        asked, of = rng.sample((one, two), 2)
        true = {plan.side[asked, middle], opposite(plan.side[of, middle])}
        yes = rng.random() < 0.5
        relation = rng.choice([side for side in SIDES if (side in true) == yes])
        question = f"Is the {asked} {WORDS[relation]} the {of}?"
        telling.ask(question, "yes" if yes else "no", line[asked], line[of])
