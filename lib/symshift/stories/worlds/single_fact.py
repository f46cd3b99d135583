"""Task 1: where somebody is, by the last sentence on them."""

from random import Random

from symshift.stories.worlds.telling import Telling, task
from symshift.stories.worlds.world import MOVES, World


@task(1, World())
def single_fact(telling: Telling, world: World, rng: Random) -> None:
    """Two moves, then a question, five times."""
    place: dict[str, str] = {}
    line: dict[str, int] = {}
    for _ in range(5):
        for _ in range(2):
            actor = rng.choice(world.people)
            place[actor] = rng.choice([other for other in world.places if other != place.get(actor)])
            line[actor] = telling.say(f"{actor} {rng.choice(MOVES)} the {place[actor]}.")
        asked = rng.choice([actor for actor in line if line[actor] > len(telling.sentences) - 6])
        telling.ask(f"Where is {asked}?", place[asked], line[asked])
