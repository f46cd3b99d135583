"""Tasks 4 and 19 describe how rooms lie, by compass (`The kitchen is north of the garden.`).

4. Three rooms lie in a row, described in two sentences. The question is about one of them, as it stands (`What is north
   of the garden?`) or turned round (`What is the garden south of?`).
19. Six rooms lie next to one another, described in five sentences. `How do you go from the hall to the office?` is
    answered by the initials of the two steps (`s,e`); the two sentences on the path support it, in its order.
"""

from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.layout import SIDES, Layout, opposite
from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.world import World


class Statement(NamedTuple):
    """A sentence that says on which side of a room another room lies."""

    line: int
    room: str
    of: str


@task(4, World(), places=3)
def two_argument_relations(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Describe three rooms in a row and ask about one of the two sentences."""
    first, middle, last = rng.sample(world.places, 3)
    side = rng.choice(SIDES)
    layout = Layout()
    layout.put(first, side, middle)
    layout.put(middle, side, last)
    line, room, of = rng.choice(_describe(builder, layout, rng))
    side = layout.side[room, of]
    as_told = f"What is {side} of the {of}?"
    turned_round = f"What is the {of} {opposite(side)} of?"
    builder.ask(rng.choice((as_told, turned_round)), room, line)


@task(19, World(), places=3)
def path_finding(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Describe a path of two steps that does not turn back, and other rooms beside those on the path."""
    start, middle, end, *others = rng.sample(world.places, min(6, len(world.places)))
    first_step = rng.choice(SIDES)
    second_step = rng.choice([side for side in SIDES if side != opposite(first_step)])
    layout = Layout()
    layout.put(middle, first_step, start)
    layout.put(end, second_step, middle)
    taken = {
        (start, first_step),
        (middle, opposite(first_step)),
        (middle, second_step),
        (end, opposite(second_step)),
    }
    free = [(room, side) for room in (start, middle, end) for side in SIDES if (room, side) not in taken]
    for other, (room, side) in zip(others, rng.sample(free, len(others)), strict=True):
        layout.put(other, side, room)
    line_of = {frozenset((room, of)): line for line, room, of in _describe(builder, layout, rng)}
    supporting = line_of[frozenset((start, middle))], line_of[frozenset((middle, end))]
    question = f"How do you go from the {start} to the {end}?"
    builder.ask(question, f"{first_step[0]},{second_step[0]}", *supporting)


def _describe(builder: StoryBuilder, layout: Layout, rng: Random) -> list[Statement]:
    """Say of each pair of neighbours how they lie."""
    return [
        Statement(builder.say(f"The {room} is {layout.side[room, of]} of the {of}."), room, of)
        for room, of in layout.shuffled_pairs(rng)
    ]
