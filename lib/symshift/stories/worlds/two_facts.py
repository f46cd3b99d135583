"""Task 2: where an object is, by who took or left it and where they went."""

from random import Random

from symshift.stories.worlds.telling import Telling, task
from symshift.stories.worlds.world import DROPS, GETS, MOVES, World


@task(2, World())
def two_facts(telling: Telling, world: World, rng: Random) -> None:
    """Moves, gets and drops in pairs; a question as soon as an object's place is known."""
    place = {actor: rng.choice(world.places) for actor in world.people}
    moved: dict[str, int] = {}
    lying = {thing: rng.choice(world.places) for thing in world.objects}
    holder: dict[str, str] = {}
    known: dict[str, tuple[int, int]] = {}
    event: dict[str, int] = {}
    while len(telling.questions) < 5:
        for _ in range(2):
            actor = rng.choice(world.people)
            held = [thing for thing in holder if holder[thing] == actor]
            near = [thing for thing in lying if lying[thing] == place[actor]]
            kind = rng.choices(("move", "get", "drop"), (65, 20 * bool(near), 15 * bool(held)))[0]
            if kind == "move":
                place[actor] = rng.choice([other for other in world.places if other != place[actor]])
                moved[actor] = telling.say(f"{actor} {rng.choice(MOVES)} the {place[actor]}.")
                known |= {thing: (event[thing], moved[actor]) for thing in held}
            elif kind == "get":
                thing = rng.choice(near)
                del lying[thing]
                holder[thing] = actor
                known.pop(thing, None)
                event[thing] = telling.say(f"{actor} {rng.choice(GETS)} the {thing} there.")
            else:
                thing = rng.choice(held)
                del holder[thing]
                lying[thing] = place[actor]
                event[thing] = telling.say(f"{actor} {rng.choice(DROPS)} the {thing}.")
                if actor in moved:
                    known[thing] = event[thing], moved[actor]
        recent = [thing for thing in known if max(known[thing]) > len(telling.sentences) - 6]
        if recent:
            asked = rng.choice(recent)
            where = place[holder[asked]] if asked in holder else lying[asked]
            telling.ask(f"Where is the {asked}?", where, *known[asked])
