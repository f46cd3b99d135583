"""Tasks 5, 7, 8 ask who gave what to whom, how many objects a person carries, and which.

People move, get, drop and give objects (`Simulation`; no gifts in task 8); after each pair of sentences one of the last
five events is asked about, if it allows a question, until there are five questions.

5. `Who gave the milk to John?` and the like: the last gift of the object supports the answer.
7. `How many objects is John carrying?` is supported by each get, drop and gift of that person.
8. `What is John carrying?` is answered by the objects in the order in which the person first got them (`apple,milk`);
   each get and drop of that person supports it, object by object.
"""

from random import Random

from symshift.data.babi.generator.simulation import Event, Simulation
from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.world import World

KINDS = ("move", "get", "drop", "give")
COUNTS = ("none", "one", "two", "three")


@task(5, World(people=("Mary", "Fred", "Bill", "Jeff")), people=2, places=2, objects=1)
def three_argument_relations(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask about the giver, the receiver or the object of an object's last gift."""
    simulation = Simulation(builder, world.cast(rng), KINDS, there_after_get=1.0)

    def ask_about(event: Event) -> bool:
        if event.kind != "give":
            return False
        gift = [event for event in simulation.handlings[event.what] if event.kind == "give"][-1]
        giver, thing, receiver = gift.actor, gift.what, gift.receiver
        questions = [
            (f"Who gave the {thing}?", giver),
            (f"Who gave the {thing} to {receiver}?", giver),
            (f"Who received the {thing}?", receiver),
            (f"Who did {giver} give the {thing} to?", receiver),
        ]
        gifts = [event for event in builder.events if event.kind == "give"]
        between_them = [event for event in gifts if (event.actor, event.receiver) == (giver, receiver)]
        if between_them[-1] is gift:
            questions += [(f"What did {giver} give to {receiver}?", thing)] * 2
        question, answer = rng.choice(questions)
        builder.ask(question, answer, gift.line)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)


@task(7, World(), people=2, places=2, objects=1)
def counting(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask how many objects a person carries."""
    simulation = Simulation(builder, world.cast(rng), KINDS, there_after_get=1.0)

    def ask_about(event: Event) -> bool:
        if event.kind == "move":
            return False
        person = event.actor
        handlings = [event for event in builder.events if event.kind != "move"]
        lines = [event.line for event in handlings if person in (event.actor, event.receiver)]
        count = sum(holder == person for holder in simulation.holder.values())
        builder.ask(f"How many objects is {person} carrying?", COUNTS[count], *lines)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)


@task(8, World(), people=1, places=2, objects=1)
def lists_and_sets(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Ask which objects a person carries."""
    simulation = Simulation(builder, world.cast(rng), KINDS[:3], there_after_get=1.0)

    def ask_about(event: Event) -> bool:
        if event.kind == "move":
            return False
        person = event.actor
        lines_of: dict[str, list[int]] = {}
        for earlier in builder.events:
            if earlier.kind != "move" and earlier.actor == person:
                lines_of.setdefault(earlier.what, []).append(earlier.line)
        carried = [thing for thing in lines_of if simulation.holder.get(thing) == person]
        supporting = [line for lines in lines_of.values() for line in lines]
        builder.ask(f"What is {person} carrying?", ",".join(carried) or "nothing", *supporting)
        return True

    builder.ask_after_pairs(simulation.act, ask_about)
