"""People who move, take, leave and hand on objects: what happens in tasks 2, 3, 5, 6, 7 and 8.

Somebody and something to do are drawn together until they go together, as v1.2 must have been drawn: who has more that
can be done acts more often, and to move is a little rarer than to take, since the place drawn must be another.
"""

from dataclasses import dataclass

from symshift.data.babi.generator.telling import Telling
from symshift.data.babi.generator.words import DROPS, GETS, GIVES, move
from symshift.data.babi.generator.world import World


@dataclass(frozen=True)
class Event:
    """A sentence: who did what (a place or an object), to whom, and the move that had brought the person there."""

    line: int
    kind: str
    who: str
    what: str
    to: str = ""
    came: "Event | None" = None


class Acting:
    """The hidden state of a story, which each sentence changes. Where people and objects are at first is not told."""

    def __init__(self, telling: Telling, cast: World, kinds: tuple[str, ...], there: float) -> None:
        self.telling, self.rng, self.cast = telling, telling.rng, cast
        self.kinds, self.there = kinds, there
        self.place = {who: self.rng.choice(cast.places) for who in cast.people}
        self.lying = {thing: self.rng.choice(cast.places) for thing in cast.objects}
        self.holder: dict[str, str] = {}
        self.moves: dict[str, list[Event]] = {who: [] for who in cast.people}
        self.touched: dict[str, list[Event]] = {thing: [] for thing in cast.objects}

    def act(self) -> None:
        """Tell one sentence of something that can happen."""
        while not getattr(self, f"_{self.rng.choice(self.kinds)}")(self.rng.choice(self.cast.people)):
            pass

    def _move(self, who: str) -> bool:
        place = self.rng.choice(self.cast.places)
        if place == self.place[who]:
            return False
        self.place[who] = place
        self.moves[who].append(self._tell("move", who, place, move(self.rng, place)))
        return True

    def _get(self, who: str) -> bool:
        near = [thing for thing, place in self.lying.items() if place == self.place[who]]
        if not near:
            return False
        thing = self.rng.choice(near)
        del self.lying[thing]
        self.holder[thing] = who
        there = " there" if self.rng.random() < self.there else ""
        self.touched[thing].append(self._tell("get", who, thing, f"{self.rng.choice(GETS)} the {thing}{there}"))
        return True

    def _drop(self, who: str) -> bool:
        held = self._held(who)
        if not held:
            return False
        thing = self.rng.choice(held)
        del self.holder[thing]
        self.lying[thing] = self.place[who]
        there = " there" if self.rng.random() < 0.2 else ""
        self.touched[thing].append(self._tell("drop", who, thing, f"{self.rng.choice(DROPS)} the {thing}{there}"))
        return True

    def _give(self, _: str) -> bool:
        """Whoever was drawn, the first object that can be given is, to the first person near its holder."""
        for thing in filter(self.holder.get, self.cast.objects):
            who = self.holder[thing]
            for to in self.cast.people:
                if to != who and self.place[to] == self.place[who]:
                    self.holder[thing] = to
                    sentence = f"{self.rng.choice(GIVES)} the {thing} to {to}"
                    self.touched[thing].append(self._tell("give", who, thing, sentence, to))
                    return True
        return False

    def _held(self, who: str) -> list[str]:
        return [thing for thing in self.cast.objects if self.holder.get(thing) == who]

    def _tell(self, kind: str, who: str, what: str, sentence: str, to: str = "") -> Event:
        line = self.telling.say(f"{who} {sentence}.")
        event = Event(line, kind, who, what, to, self.moves[who][-1] if self.moves[who] else None)
        self.telling.facts.append(event)
        return event
