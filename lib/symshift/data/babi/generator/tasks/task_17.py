"""Task 17 asks how two shapes lie (`Is the triangle above the blue square?`), each told beside a third one.

Two sentences place the two shapes on different sides of the third. Eight yes-no questions follow, half of them yes;
both sentences support each answer, that on the first shape in front.
"""

from random import Random

from symshift.data.babi.generator.layout import SIDES, Layout, opposite
from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.world import World

RELATIONS = {"north": "above", "east": "to the right of", "south": "below", "west": "to the left of"}
SHAPES = ("triangle", "pink rectangle", "blue square", "red square", "yellow square", "red sphere")


@task(17, World(objects=SHAPES), objects=3)
def positional_reasoning(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Place two shapes beside a third, and ask eight times how these two lie."""
    one, middle, two = rng.sample(world.objects, 3)
    side_of_one, side_of_two = rng.sample(SIDES, 2)
    layout = Layout()
    layout.put(one, side_of_one, middle)
    layout.put(two, side_of_two, middle)
    line_of: dict[str, int] = {}
    for of, shape in layout.shuffled_pairs(rng):
        outer_shape = shape if of == middle else of
        relation = RELATIONS[layout.side[shape, of]]
        line_of[outer_shape] = builder.say(f"The {shape} is {relation} the {of}.")
    for _ in range(8):
        first, second = rng.sample((one, two), 2)
        true_sides = {layout.side[first, middle], opposite(layout.side[second, middle])}
        yes = rng.random() < 0.5
        side = rng.choice([side for side in SIDES if (side in true_sides) == yes])
        question = f"Is the {first} {RELATIONS[side]} the {second}?"
        builder.ask(question, "yes" if yes else "no", line_of[first], line_of[second])
