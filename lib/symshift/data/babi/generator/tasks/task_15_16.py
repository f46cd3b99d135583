"""Tasks 15 and 16 tell what species people are, what each species fears, and which colours people have.

15. `What is emily afraid of?` Four sentences say of which species people are, four what each species fears; sentences
    are drawn until one can be told, a person's species only once its fear is known. Four questions about anyone follow;
    the sentence on the person and the one on the species support the answer.
16. `What color is Greg?` Each person's species is told, and the colour of all but one; a colour is told only once the
    person's species is known. The question is about the one left: the colour of the person of that species who was
    introduced last. Stories with exactly two others of the species are drawn again.
"""

from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.words import choose_other
from symshift.data.babi.generator.world import World

PLURALS = {"wolf": "wolves", "mouse": "mice", "sheep": "sheep", "cat": "cats"}
SPECIES = ("swan", "lion", "frog", "rhino")
COLOURS = ("gray", "white", "yellow", "green")


class Statement(NamedTuple):
    """A sentence and what it says: a person's species, or what a species fears."""

    line: int
    animal: str


@task(15, World(people=("Gertrude", "Winona", "Jessica", "Emily")), people=1)
def basic_deduction(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Tell fears and species in random order, and ask four times what a person fears."""
    people = world.cast(rng).people
    animals = tuple(PLURALS)
    species: dict[str, Statement] = {}
    fears: dict[str, Statement] = {}
    while len(species) < len(people) or len(fears) < len(animals):
        animal = rng.choice(animals)
        person = rng.choice(people)
        if rng.random() < 0.5:
            if animal not in fears:
                enemy = choose_other(rng, animals, animal)
                line = builder.say(f"{PLURALS[animal].capitalize()} are afraid of {PLURALS[enemy]}.")
                fears[animal] = Statement(line, enemy)
        elif animal in fears and person not in species:
            species[person] = Statement(builder.say(f"{person} is a {animal}."), animal)
    for person in rng.choices(people, k=4):
        fear = fears[species[person].animal]
        builder.ask(f"What is {person.lower()} afraid of?", fear.animal, species[person].line, fear.line)


class Introductions(NamedTuple):
    """Sentences of a story of task 16, the species of everybody and the colour of all but one."""

    sentences: list[str]
    species: dict[str, str]
    colours: dict[str, str]


@task(16, World(people=("Lily", "Bernhard", "Greg", "Julius", "Brian")), people=2)
def basic_induction(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Introduce five people and ask for the colour that was not told."""
    people = world.cast(rng, people=5).people
    others: list[str] = []
    while len(others) in (0, 2):
        sentences, species, colours = _introduce(people, rng)
        (person,) = set(people) - set(colours)
        others = [other for other in species if species[other] == species[person] and other != person]
    line_of = {sentence: builder.say(sentence) for sentence in sentences}
    last = others[-1]
    supporting = (
        line_of[f"{person} is a {species[person]}."],
        line_of[f"{last} is a {species[last]}."],
        line_of[f"{last} is {colours[last]}."],
    )
    builder.ask(f"What color is {person}?", colours[last], *supporting)


def _introduce(people: tuple[str, ...], rng: Random) -> Introductions:
    """Draw species and colours until all but one colour is told.

    People of a species have one colour, until another person of the species is introduced.
    """
    sentences: list[str] = []
    species: dict[str, str] = {}
    colours: dict[str, str] = {}
    colour_of_species: dict[str, str] = {}
    while len(colours) < len(people) - 1 or len(species) < len(people):
        person = rng.choice(people)
        if rng.random() < 0.5:
            if person not in species:
                species[person] = rng.choice(SPECIES)
                colour_of_species.pop(species[person], None)
                sentences.append(f"{person} is a {species[person]}.")
        elif person in species and person not in colours:
            colours[person] = colour_of_species.setdefault(species[person], rng.choice(COLOURS))
            sentences.append(f"{person} is {colours[person]}.")
    return Introductions(sentences, species, colours)
