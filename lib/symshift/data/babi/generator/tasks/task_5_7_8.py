"""Tasks 5, 7, 8: who gave what to whom, how many objects somebody carries, and which."""

from random import Random

from symshift.data.babi.generator.acting import Acting, Event
from symshift.data.babi.generator.telling import Telling, in_pairs, task
from symshift.data.babi.generator.world import World

KINDS = ("move", "get", "drop", "give")
COUNTS = ("none", "one", "two", "three")


@task(5, World(people=("Mary", "Fred", "Bill", "Jeff")), people=2, places=2, objects=1)
def giving(telling: Telling, world: World, rng: Random) -> None:
    """Who gave what to whom, by the last time that the object was given."""
    acting = Acting(telling, world.cast(rng), KINDS, there=1.0)

    def ask(event: Event) -> bool:
        if event.kind != "give":
            return False
        gift = [event for event in acting.touched[event.what] if event.kind == "give"][-1]
        who, what, to = gift.who, gift.what, gift.to
        questions = [
            (f"Who gave the {what}?", who),
            (f"Who gave the {what} to {to}?", who),
            (f"Who received the {what}?", to),
            (f"Who did {who} give the {what} to?", to),
        ]
        between = [fact for fact in telling.facts if fact.kind == "give" and (fact.who, fact.to) == (who, to)]
        if between[-1] is gift:
            questions += [(f"What did {who} give to {to}?", what)] * 2
        telling.ask(*rng.choice(questions), gift.line)
        return True

    in_pairs(telling, acting.act, ask)


@task(7, World(), people=2, places=2, objects=1)
def counting(telling: Telling, world: World, rng: Random) -> None:
    """How many objects somebody carries, by all that they took, left, gave and received."""
    acting = Acting(telling, world.cast(rng), KINDS, there=1.0)

    def ask(event: Event) -> bool:
        if event.kind == "move":
            return False
        who = event.who
        touched = [fact for fact in telling.facts if fact.kind != "move" and who in (fact.who, fact.to)]
        count = sum(holder == who for holder in acting.holder.values())
        telling.ask(f"How many objects is {who} carrying?", COUNTS[count], *(fact.line for fact in touched))
        return True

    in_pairs(telling, acting.act, ask)


@task(8, World(), people=1, places=2, objects=1)
def lists(telling: Telling, world: World, rng: Random) -> None:
    """What somebody carries, in the order of first taking each; the support object by object."""
    acting = Acting(telling, world.cast(rng), KINDS[:3], there=1.0)

    def ask(event: Event) -> bool:
        if event.kind == "move":
            return False
        who = event.who
        touched: dict[str, list[int]] = {}
        for fact in telling.facts:
            if fact.kind != "move" and fact.who == who:
                touched.setdefault(fact.what, []).append(fact.line)
        held = [thing for thing in touched if acting.holder.get(thing) == who]
        telling.ask(
            f"What is {who} carrying?", ",".join(held) or "nothing", *(n for lines in touched.values() for n in lines)
        )
        return True

    in_pairs(telling, acting.act, ask)
