"""Tasks 2, 3, 6 ask where an object is, where it was before, and whether a person is somewhere.

People move, get objects and drop them (`Simulation`); after each pair of sentences one of the last five events is asked
about, if it allows a question, until there are five questions.

2. `Where is the milk?` needs the last get or drop of the object, and the move that brought its holder where it is.
3. `Where was the milk before the office?` needs that event and two moves of the holder, into the place and the one
   before. Of several places to ask about, later ones are likelier.
6. `Is John in the office?` needs the last move of a person; half of the answers are yes. Gets and drops distract.
"""

from random import Random

from symshift.data.babi.generator.simulation import Event, Simulation
from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.words import choose_other
from symshift.data.babi.generator.world import World

KINDS = ("move", "get", "drop")


@task(2, World(), people=1, places=2, objects=1)
def two_supporting_facts(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask where an object is that was dropped, or got and carried elsewhere since."""
    simulation = Simulation(builder, world.cast(rng), KINDS, there_after_get=1.0)

    def ask_about(event: Event) -> bool:
        if event.kind == "move":
            return False
        last = simulation.handlings[event.what][-1]
        arrival = _move_to_object(simulation, last)
        if arrival is None:
            return False
        builder.ask(f"Where is the {last.what}?", arrival.what, last.line, arrival.line)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)


@task(3, World(), people=1, places=2, objects=1)
def three_supporting_facts(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask where an object was before a place that its holder carried it to."""
    simulation = Simulation(builder, world.cast(rng), KINDS, there_after_get=0.2)

    def ask_about(event: Event) -> bool:
        if event.kind == "move":
            return False
        last = simulation.handlings[event.what][-1]
        moves = _moves_with_object(simulation, last)
        places = [move.what for move in moves]
        # a place can be asked about at the last move to it, if another move came before
        entries = [entry for entry in range(1, len(moves)) if places[entry] not in places[entry + 1 :]]
        if not entries:
            return False
        (entry,) = rng.choices(entries, [entry + 2 for entry in entries])
        supporting = last.line, moves[entry].line, moves[entry - 1].line
        builder.ask(f"Where was the {last.what} before the {places[entry]}?", places[entry - 1], *supporting)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)


@task(6, World(), people=1, places=2, objects=1)
def yes_no_questions(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask whether a person is where they moved last, or at another place."""
    cast = world.cast(rng)
    simulation = Simulation(builder, cast, KINDS, there_after_get=1.0)

    def ask_about(event: Event) -> bool:
        if event.kind != "move":
            return False
        last = simulation.moves[event.actor][-1]
        yes = rng.random() < 0.5
        place = last.what if yes else choose_other(rng, cast.places, last.what)
        builder.ask(f"Is {last.actor} in the {place}?", "yes" if yes else "no", last.line)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)


def _move_to_object(simulation: Simulation, last: Event) -> Event | None:
    """Return the move that brought an object to where it is; of a carried object, only a move since it was got."""
    moves = simulation.moves[last.actor]
    if last.kind == "drop":
        return last.arrival
    return moves[-1] if moves and moves[-1] is not last.arrival else None


def _moves_with_object(simulation: Simulation, last: Event) -> list[Event]:
    """Return the moves of the person who got an object, up to now or to where they dropped it."""
    got = last if last.kind == "get" else simulation.handlings[last.what][-2]
    moves = [move for move in simulation.moves[last.actor] if move.line > got.line]
    return moves if last.kind == "get" else [move for move in moves if move.line < last.line]
