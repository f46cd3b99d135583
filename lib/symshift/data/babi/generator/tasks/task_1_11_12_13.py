"""Tasks 1, 11, 12, 13: where somebody is, who was named alone, by a pronoun, or together with another."""

from random import Random

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.words import AFTER, move, other
from symshift.data.babi.generator.world import World, pronoun

Whereabouts = dict[str, tuple[str, tuple[int, ...]]]


@task(1, World(), people=1, places=2)
def single_fact(telling: Telling, world: World, rng: Random) -> None:
    """Two moves, then a question, five times."""
    cast, known = world.cast(rng), Whereabouts()
    for _ in range(5):
        for _ in range(2):
            _go(telling, known, [rng.choice(cast.people)], cast.places)
        _ask(telling, known)


@task(11, World(), people=1, places=2)
def coreference(telling: Telling, world: World, rng: Random) -> None:
    """One person moves and moves again, then a question, five times."""
    cast, known = world.cast(rng), Whereabouts()
    for _ in range(5):
        who = rng.choice(cast.people)
        _go(telling, known, [who], cast.places)
        _go_on(telling, known, [who], pronoun(who), cast.places)
        _ask(telling, known)


@task(12, World(), people=2, places=3)
def conjunction(telling: Telling, world: World, rng: Random) -> None:
    """Two people move together, and again two, then a question, five times."""
    cast, known = world.cast(rng), Whereabouts()
    for _ in range(5):
        for _ in range(2):
            _go_together(telling, known, cast)
        _ask(telling, known)


@task(13, World(), people=2, places=3)
def compound_coreference(telling: Telling, world: World, rng: Random) -> None:
    """Two people move together and move again, then a question, five times."""
    cast, known = world.cast(rng), Whereabouts()
    for _ in range(5):
        people = _go_together(telling, known, cast)
        _go_on(telling, known, people, "they", cast.places)
        _ask(telling, known)


def _go(telling: Telling, known: Whereabouts, people: list[str], places: tuple[str, ...]) -> None:
    """Tell that people go where none of them is."""
    taken = (known[who][0] for who in people if who in known)
    place = other(telling.rng, places, *taken)
    line = telling.say(f"{' and '.join(people)} {move(telling.rng, place)}.")
    known |= {who: (place, (line,)) for who in people}
    telling.facts += people


def _go_on(telling: Telling, known: Whereabouts, people: list[str], they: str, places: tuple[str, ...]) -> None:
    """Tell that the people of the line before go elsewhere."""
    before, lines = known[people[0]]
    place = other(telling.rng, places, before)
    line = telling.say(f"{telling.rng.choice(AFTER)} {they} {move(telling.rng, place)}.")
    known |= {who: (place, (*lines, line)) for who in people}
    telling.facts += people


def _go_together(telling: Telling, known: Whereabouts, cast: World) -> list[str]:
    """Draw two people and a place until neither of them is there, and tell that they go."""
    while True:
        people = telling.rng.sample(cast.people, 2)
        place = telling.rng.choice(cast.places)
        if all(known.get(who, ("",))[0] != place for who in people):
            _go(telling, known, people, (place,))
            return people


def _ask(telling: Telling, known: Whereabouts) -> None:
    """Ask where one of the people is whom the last facts tell of."""
    who = telling.recent()[0]
    place, lines = known[who]
    telling.ask(f"Where is {who}?", place, *lines)
