"""Task 18 asks which things are bigger (`Is the box bigger than the chocolate?`, `Does the chest fit in the box?`).

Five sentences compare two things each, then up to five questions are asked; five more sentences follow where fewer
than five were found. A question links the ends of a chain of two sentences over a thing that both compare; half of the
answers are yes.
"""

from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.story_builder import QUESTIONS_PER_STORY, StoryBuilder, task
from symshift.data.babi.generator.world import World

THINGS = ("chocolate", "box of chocolates", "box", "container", "suitcase", "chest")
SENTENCES_PER_GROUP = 5
TRIES = 40


class Comparison(NamedTuple):
    """A sentence that says which of two things is bigger."""

    line: int
    big: str
    small: str


@task(18, World(objects=THINGS), objects=3)
def size_reasoning(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Compare things and ask about chains, in groups until one group has five questions.

    The world's first two objects are the smallest, in this order; the others are of random sizes.
    """
    smallest = world.objects[:2]
    larger = world.objects[2:]
    by_size = [*smallest, *rng.sample(larger, min(4, len(larger)))]
    questions = 0
    while questions < QUESTIONS_PER_STORY:
        for _ in range(SENTENCES_PER_GROUP):
            small, big = sorted(rng.sample(by_size, 2), key=by_size.index)
            forms = f"The {big} is bigger than the {small}.", f"The {small} fits inside the {big}."
            line = builder.say(rng.choice(forms))
            builder.events.append(Comparison(line, big, small))
        questions = sum(_ask_about_chain(builder, rng) for _ in range(QUESTIONS_PER_STORY))


def _ask_about_chain(builder: StoryBuilder, rng: Random) -> bool:
    """Ask about the ends of a recent comparison and the first other one on one of its things, if they form a chain.

    Return False after forty tries without a chain.
    """
    for _ in range(TRIES):
        recent: Comparison = builder.recent_events()[0]
        yes = rng.random() < 0.5
        middle = recent.small if yes else recent.big
        on_middle = (other for other in builder.events if other is not recent and middle in (other.big, other.small))
        other: Comparison = next(on_middle, recent)
        if middle == (other.big if yes else other.small):
            one, two = (recent.big, other.small) if yes else (recent.small, other.big)
            question = rng.choice((f"Is the {one} bigger than the {two}?", f"Does the {two} fit in the {one}?"))
            builder.ask(question, "yes" if yes else "no", recent.line, other.line)
            return True
    return False
