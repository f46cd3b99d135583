"""Tasks 2, 3, 6: where an object is, where it was before, and where people are while objects change hands."""

from random import Random

from symshift.data.babi.generator.acting import Acting, Event
from symshift.data.babi.generator.telling import Telling, in_pairs, task
from symshift.data.babi.generator.words import other
from symshift.data.babi.generator.world import World

KINDS = ("move", "get", "drop")


@task(2, World(), people=1, places=2, objects=1)
def two_facts(telling: Telling, world: World, rng: Random) -> None:
    """Where an object is: somebody dropped it where they had come to, or took it and has moved since."""
    acting = Acting(telling, world.cast(rng), KINDS, there=1.0)

    def ask(event: Event) -> bool:
        if event.kind == "move":
            return False
        last = acting.touched[event.what][-1]
        came = _brought(acting, last)
        if not came:
            return False
        telling.ask(f"Where is the {last.what}?", came.what, last.line, came.line)
        return True

    in_pairs(telling, acting.act, ask)


@task(3, World(), people=1, places=2, objects=1)
def three_facts(telling: Telling, world: World, rng: Random) -> None:
    """Where an object was before it was carried somewhere: two moves of the one who took it, later ones rather."""
    acting = Acting(telling, world.cast(rng), KINDS, there=0.2)

    def ask(event: Event) -> bool:
        if event.kind == "move":
            return False
        last = acting.touched[event.what][-1]
        moves = _carried(acting, last)
        places = [move.what for move in moves]
        legend_handles = [entry for entry in range(1, len(moves)) if places[entry] not in places[entry + 1 :]]
        if not legend_handles:
            return False
        (entry,) = rng.choices(legend_handles, [entry + 2 for entry in legend_handles])
        supporting = last.line, moves[entry].line, moves[entry - 1].line
        telling.ask(f"Where was the {last.what} before the {places[entry]}?", places[entry - 1], *supporting)
        return True

    in_pairs(telling, acting.act, ask)


@task(6, World(), people=1, places=2, objects=1)
def yes_no(telling: Telling, world: World, rng: Random) -> None:
    """Whether somebody is where they last went: as often yes as no."""
    cast = world.cast(rng)
    acting = Acting(telling, cast, KINDS, there=1.0)

    def ask(event: Event) -> bool:
        if event.kind != "move":
            return False
        last = acting.moves[event.who][-1]
        yes = rng.random() < 0.5
        place = last.what if yes else other(rng, cast.places, last.what)
        telling.ask(f"Is {last.who} in the {place}?", "yes" if yes else "no", last.line)
        return True

    in_pairs(telling, acting.act, ask)


def _brought(acting: Acting, last: Event) -> Event | None:
    """The move that brought an object to where it is; of a held one, a move since it was taken."""
    moves = acting.moves[last.who]
    if last.kind == "drop":
        return last.came
    return moves[-1] if moves and moves[-1] is not last.came else None


def _carried(acting: Acting, last: Event) -> list[Event]:
    """The moves of the person who took an object, up to now or to where it was dropped."""
    taken = last if last.kind == "get" else acting.touched[last.what][-2]
    moves = [move for move in acting.moves[last.who] if move.line > taken.line]
    return moves if last.kind == "get" else [move for move in moves if move.line < last.line]
