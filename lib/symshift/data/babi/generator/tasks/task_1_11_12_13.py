"""Tasks 1, 11, 12, 13 ask where a person is, after people moved who were named alone, by a pronoun or in pairs.

| task | two sentences before each of five questions |
| --- | --- |
| 1 | one person moves, then the same or another person moves |
| 11 | one person moves, and `he` or `she` moves on |
| 12 | two people move together, then any two again |
| 13 | two people move together, and `they` move on |

People always move to a place where they are not. The question is about a person of the last five events; the move of
that person supports the answer, and where a pronoun stands in it, also the sentence that names them.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.story_builder import QUESTIONS_PER_STORY, StoryBuilder, task
from symshift.data.babi.generator.words import AFTER, choose_other, move_phrase
from symshift.data.babi.generator.world import World, pronoun


class Location(NamedTuple):
    """Where a person is, and the sentences that say so."""

    place: str
    lines: tuple[int, ...]


Locations = dict[str, Location]


@task(1, World(), people=1, places=2)
def single_supporting_fact(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Two moves and a question, five times."""
    cast = world.cast(rng)
    locations: Locations = {}
    for _ in range(QUESTIONS_PER_STORY):
        for _ in range(2):
            _move(builder, locations, [rng.choice(cast.people)], cast.places)
        _ask_where(builder, locations)


@task(11, World(), people=1, places=2)
def basic_coreference(builder: StoryBuilder, world: World, rng: Random) -> None:
    """A person moves and moves on, and a question, five times."""
    cast = world.cast(rng)
    locations: Locations = {}
    for _ in range(QUESTIONS_PER_STORY):
        person = rng.choice(cast.people)
        _move(builder, locations, [person], cast.places)
        _move_on(builder, locations, [person], pronoun(person), cast.places)
        _ask_where(builder, locations)


@task(12, World(), people=2, places=3)
def conjunction(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Two moves of two people each, and a question, five times."""
    cast = world.cast(rng)
    locations: Locations = {}
    for _ in range(QUESTIONS_PER_STORY):
        for _ in range(2):
            _move_pair(builder, locations, cast)
        _ask_where(builder, locations)


@task(13, World(), people=2, places=3)
def compound_coreference(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Two people move and move on, and a question, five times."""
    cast = world.cast(rng)
    locations: Locations = {}
    for _ in range(QUESTIONS_PER_STORY):
        people = _move_pair(builder, locations, cast)
        _move_on(builder, locations, people, "they", cast.places)
        _ask_where(builder, locations)


def _move(builder: StoryBuilder, locations: Locations, people: list[str], places: Sequence[str]) -> None:
    """Say that people move to a place where none of them is."""
    current = (locations[person].place for person in people if person in locations)
    place = choose_other(builder.rng, places, *current)
    line = builder.say(f"{' and '.join(people)} {move_phrase(builder.rng, place)}.")
    locations.update({person: Location(place, (line,)) for person in people})
    builder.events += people


def _move_on(
    builder: StoryBuilder, locations: Locations, people: list[str], subject: str, places: Sequence[str]
) -> None:
    """Say that the people of the sentence before, now a pronoun, move to another place."""
    before = locations[people[0]]
    place = choose_other(builder.rng, places, before.place)
    line = builder.say(f"{builder.rng.choice(AFTER)} {subject} {move_phrase(builder.rng, place)}.")
    locations.update({person: Location(place, (*before.lines, line)) for person in people})
    builder.events += people


def _move_pair(builder: StoryBuilder, locations: Locations, cast: World) -> list[str]:
    """Draw two people and a place until neither of them is there, and say that they move; return the two."""
    while True:
        people = builder.rng.sample(cast.people, 2)
        place = builder.rng.choice(cast.places)
        if all(person not in locations or locations[person].place != place for person in people):
            _move(builder, locations, people, (place,))
            return people


def _ask_where(builder: StoryBuilder, locations: Locations) -> None:
    """Ask where a person of the last events is."""
    person = builder.recent_events()[0]
    builder.ask(f"Where is {person}?", locations[person].place, *locations[person].lines)
