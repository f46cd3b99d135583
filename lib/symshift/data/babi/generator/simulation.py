"""Simulate people who move, get, drop and give objects: what happens in tasks 2, 3, 5, 6, 7 and 8.

An action and a person are drawn together until the person can do it, as v1.2 must have been drawn: a person with more
possible actions acts more often, and a move is a little rarer than a get, since the place drawn must be another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from symshift.data.babi.generator.story_builder import StoryBuilder
from symshift.data.babi.generator.words import DROPS, GETS, GIVES, move_phrase
from symshift.data.babi.generator.world import World

THERE_AFTER_DROP = 0.2


@dataclass(frozen=True)
class Event:
    """One sentence: an actor's move to a place, or what they did to an object, and to whom they gave it.

    `line` is the sentence's index, `arrival` the move that had brought the actor to where it happened.
    """

    line: int
    kind: str
    actor: str
    what: str
    receiver: str = ""
    arrival: "Event | None" = None


class Simulation:
    """The hidden state of a story, which each action changes and describes in a sentence.

    Where people and objects are at the start is not told to the reader.

    Args:
        builder: The story that the sentences go to.
        cast: The people, places and objects of this story.
        kinds: The kinds of actions that can happen, equally likely: move, get, drop, give.
        there_after_get: The share of gets that end in `there`.
    """

    def __init__(self, builder: StoryBuilder, cast: World, kinds: Sequence[str], there_after_get: float) -> None:
        """Put people and objects at random places."""
        self.builder = builder
        self.rng = builder.rng
        self.cast = cast
        self.kinds = kinds
        self.there_after_get = there_after_get
        self.place_of = {person: self.rng.choice(cast.places) for person in cast.people}
        self.lies_at = {thing: self.rng.choice(cast.places) for thing in cast.objects}
        self.holder: dict[str, str] = {}
        self.moves: dict[str, list[Event]] = {person: [] for person in cast.people}
        self.handlings: dict[str, list[Event]] = {thing: [] for thing in cast.objects}
        self.actions = {"move": self._move, "get": self._get, "drop": self._drop, "give": self._give}

    def act(self) -> None:
        """Draw actions until one is possible, and describe it in a sentence."""
        while True:
            action = self.actions[self.rng.choice(self.kinds)]
            if action(self.rng.choice(self.cast.people)):
                return

    def _move(self, person: str) -> bool:
        place = self.rng.choice(self.cast.places)
        if place == self.place_of[person]:
            return False
        self.place_of[person] = place
        self.moves[person].append(self._record("move", person, place, move_phrase(self.rng, place)))
        return True

    def _get(self, person: str) -> bool:
        near = [thing for thing, place in self.lies_at.items() if place == self.place_of[person]]
        if not near:
            return False
        thing = self.rng.choice(near)
        del self.lies_at[thing]
        self.holder[thing] = person
        self._handle("get", person, thing, GETS, self.there_after_get)
        return True

    def _drop(self, person: str) -> bool:
        carried = [thing for thing in self.cast.objects if self.holder.get(thing) == person]
        if not carried:
            return False
        thing = self.rng.choice(carried)
        del self.holder[thing]
        self.lies_at[thing] = self.place_of[person]
        self._handle("drop", person, thing, DROPS, THERE_AFTER_DROP)
        return True

    def _give(self, _: str) -> bool:
        """Give the first object that can be given to the first person near its holder, whoever was drawn."""
        for thing in filter(self.holder.get, self.cast.objects):
            giver = self.holder[thing]
            for receiver in self.cast.people:
                if receiver != giver and self.place_of[receiver] == self.place_of[giver]:
                    self.holder[thing] = receiver
                    phrase = f"{self.rng.choice(GIVES)} the {thing} to {receiver}"
                    self.handlings[thing].append(self._record("give", giver, thing, phrase, receiver))
                    return True
        return False

    def _handle(self, kind: str, person: str, thing: str, verbs: Sequence[str], there_share: float) -> None:
        """Describe a get or a drop, which ends in `there` with some probability."""
        ending = " there" if self.rng.random() < there_share else ""
        phrase = f"{self.rng.choice(verbs)} the {thing}{ending}"
        self.handlings[thing].append(self._record(kind, person, thing, phrase))

    def _record(self, kind: str, person: str, what: str, phrase: str, receiver: str = "") -> Event:
        line = self.builder.say(f"{person} {phrase}.")
        arrival = self.moves[person][-1] if self.moves[person] else None
        event = Event(line, kind, person, what, receiver, arrival)
        self.builder.events.append(event)
        return event
