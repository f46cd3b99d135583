"""Tasks 15 and 16: what kinds people are of, what kinds fear, and what colours they have.

Sentences are drawn at random until one can be told: a person is of a kind whose fear is known already (15), a colour is
that of a person whose kind is known (16).
"""

from random import Random

from symshift.data.babi.generator.telling import Telling, task
from symshift.data.babi.generator.words import other
from symshift.data.babi.generator.world import World

ANIMALS = {"wolf": "wolves", "mouse": "mice", "sheep": "sheep", "cat": "cats"}
SPECIES = ("swan", "lion", "frog", "rhino")
COLOURS = ("gray", "white", "yellow", "green")


@task(15, World(people=("Gertrude", "Winona", "Jessica", "Emily")), people=1)
def deduction(telling: Telling, world: World, rng: Random) -> None:
    """What people fear, as their kind does; four questions on anyone."""
    people = world.cast(rng).people
    kind: dict[str, tuple[int, str]] = {}
    fear: dict[str, tuple[int, str]] = {}
    while len(kind) < len(people) or len(fear) < len(ANIMALS):
        animal, who = rng.choice(tuple(ANIMALS)), rng.choice(people)
        if rng.random() < 0.5:
            if animal not in fear:
                feared = other(rng, tuple(ANIMALS), animal)
                plural = ANIMALS[animal].capitalize()
                fear[animal] = telling.say(f"{plural} are afraid of {ANIMALS[feared]}."), feared
        elif animal in fear and who not in kind:
            kind[who] = telling.say(f"{who} is a {animal}."), animal
    for who in rng.choices(people, k=4):
        line, animal = kind[who]
        told, feared = fear[animal]
        telling.ask(f"What is {who.lower()} afraid of?", feared, line, told)


@task(16, World(people=("Lily", "Bernhard", "Greg", "Julius", "Brian")), people=2)
def induction(telling: Telling, world: World, rng: Random) -> None:
    """The colour of the one person whose colour is not told: that of the same kind who was introduced last.

    There is never a choice between exactly two of the kind."""
    people = world.cast(rng, people=5).people
    mates: list[str] = []
    while len(mates) in (0, 2):
        told, kind, colour = _introduce(people, rng)
        (asked,) = set(people) - set(colour)
        mates = [who for who in kind if kind[who] == kind[asked] and who != asked]
    line = {sentence: telling.say(sentence) for sentence in told}
    last = mates[-1]
    supporting = f"{asked} is a {kind[asked]}.", f"{last} is a {kind[last]}.", f"{last} is {colour[last]}."
    telling.ask(f"What color is {asked}?", colour[last], *map(line.__getitem__, supporting))


def _introduce(people: tuple[str, ...], rng: Random) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Sentences that tell the kind of everybody and the colour of all but one, and what they tell.

    A colour told is that of the kind until another of the kind is introduced."""
    told: list[str] = []
    kind: dict[str, str] = {}
    colour: dict[str, str] = {}
    common: dict[str, str] = {}
    while len(colour) < len(people) - 1 or len(kind) < len(people):
        who = rng.choice(people)
        if rng.random() < 0.5:
            if who not in kind:
                kind[who] = rng.choice(SPECIES)
                common.pop(kind[who], None)
                told.append(f"{who} is a {kind[who]}.")
        elif who in kind and who not in colour:
            colour[who] = common.setdefault(kind[who], rng.choice(COLOURS))
            told.append(f"{who} is {colour[who]}.")
    return told, kind, colour
