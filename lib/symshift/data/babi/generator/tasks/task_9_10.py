"""Tasks 9 and 10 ask whether a person is somewhere (`Is John in the office?`), of a story that denies or half knows.

Before each of five questions, two people go to a new place. A sentence tells it as a move or as `is in the office`;
in task 9 also by denying the place left (`is no longer in the garden`), and in task 10 also by naming two places,
the new one and a random one, which may be the same (`is either in the office or the park`).
The question is about a person of the last five events, and the last sentence on that person supports the answer:

- after a place, half of the questions name it (yes) and half name another (no);
- after a denial the place denied is asked about (no);
- after `either`, half name the new place and half another: one of the two named is `maybe`, any other `no`.
"""

from random import Random
from typing import NamedTuple

from symshift.data.babi.generator.story_builder import QUESTIONS_PER_STORY, StoryBuilder, task
from symshift.data.babi.generator.words import choose_other, move_phrase
from symshift.data.babi.generator.world import World

ANSWER_WHERE_NAMED = {"move": "yes", "is": "yes", "not": "no", "either": "maybe"}
WORLD_B = World(
    people=("Bill", "Fred", "Julie", "Mary"), places=("bedroom", "kitchen", "office", "school", "park", "cinema")
)


class Statement(NamedTuple):
    """The last sentence on a person: its form and the places that it names."""

    line: int
    form: str
    places: tuple[str, ...]


@task(9, World(), people=1, places=2)
def simple_negation(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Tell where people go by moves, statements and denials."""
    _build_story(builder, world.cast(rng), rng, ("move", "move", "is", "not"))


@task(10, WORLD_B, people=1, places=2)
def indefinite_knowledge(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Tell where people go by moves, statements and pairs of places."""
    _build_story(builder, world.cast(rng), rng, ("move", "move", "is", "either"))


def _build_story(builder: StoryBuilder, cast: World, rng: Random, forms: tuple[str, ...]) -> None:
    place_of = {person: rng.choice(cast.places) for person in cast.people}
    statements: dict[str, Statement] = {}
    for _ in range(QUESTIONS_PER_STORY):
        for _ in range(2):
            person = rng.choice(cast.people)
            form = rng.choice(forms)
            place_left = place_of[person]
            place_of[person] = choose_other(rng, cast.places, place_left)
            phrase, places = _phrase(rng, cast, form, place_left, place_of[person])
            statements[person] = Statement(builder.say(f"{person} {phrase}."), form, places)
            builder.events.append(person)
        person = builder.recent_events()[0]
        statement = statements[person]
        place = place_of[person]
        if rng.random() >= 0.5:
            place = choose_other(rng, cast.places, place)
        if statement.form == "not":
            place = statement.places[0]
        answer = ANSWER_WHERE_NAMED[statement.form] if place in statement.places else "no"
        builder.ask(f"Is {person} in the {place}?", answer, statement.line)


def _phrase(rng: Random, cast: World, form: str, place_left: str, place: str) -> tuple[str, tuple[str, ...]]:
    """Return what a sentence says of a person, and the places that it names."""
    if form == "move":
        return move_phrase(rng, place), (place,)
    if form == "is":
        return f"is in the {place}", (place,)
    if form == "not":
        return f"is {rng.choice(('not', 'no longer'))} in the {place_left}", (place_left,)
    two_places = [place, rng.choice(cast.places)]
    rng.shuffle(two_places)
    return f"is either in the {two_places[0]} or the {two_places[1]}", tuple(two_places)
