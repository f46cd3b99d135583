"""Tasks 1, 2, 3, 5, 6, 7, 8, 11, 12, 13: people who move, and what they take, leave and hand on."""

from symshift.data.question import Question
from tests.babi_solver.language import Event, asked, events

Solution = tuple[str, tuple[int, ...]]
COUNTS = ("none", "one", "two", "three")


def whereabouts(question: Question) -> Solution:
    """Tasks 1, 11, 12, 13: the last move of the person asked for, with the line that a pronoun refers to."""
    (who,) = asked(question, r"Where is (\S+)\?")
    event = [event for event in events(question) if event.kind == "move" and event.who == who][-1]
    return event.what, event.lines


def yes_no(question: Question) -> Solution:
    """Task 6."""
    who, place = asked(question, r"Is (\S+) in the (\S+)\?")
    event = [event for event in events(question) if event.kind == "move" and event.who == who][-1]
    return ("yes" if event.what == place else "no"), event.lines


def two_facts(question: Question) -> Solution:
    """Task 2: who took or left it last, and that person's move to where it is."""
    (thing,) = asked(question, r"Where is the (\S+)\?")
    seen = events(question)
    last = [event for event in seen if event.kind in ("get", "drop") and event.what == thing][-1]
    moves = [event for event in seen if event.kind == "move" and event.who == last.who]
    if last.kind == "drop":
        moves = [event for event in moves if event.line < last.line]
    return moves[-1].what, (last.line, moves[-1].line)


def three_facts(question: Question) -> Solution:
    """Task 3: the object's places in their order; the last time it came to the place asked for, and where from."""
    thing, place = asked(question, r"Where was the (\S+) before the (\S+)\?")
    stays = _stays(events(question), thing)
    touched = [event.line for event in events(question) if event.kind in ("get", "drop") and event.what == thing]
    entry = max(number for number, stay in enumerate(stays) if number and stay.what == place)
    return stays[entry - 1].what, (touched[-1], stays[entry].line, stays[entry - 1].line)


def _stays(seen: list[Event], thing: str) -> list[Event]:
    """The moves that brought an object, or the one who took it, to each of its places."""
    at: dict[str, Event] = {}
    stays: list[Event] = []
    holder = ""
    for event in seen:
        if event.kind == "move":
            at[event.who] = event
            if event.who == holder:
                stays.append(event)
        elif event.what == thing:
            holder = event.who if event.kind == "get" else ""
            if holder in at and (not stays or stays[-1].what != at[holder].what):
                stays.append(at[holder])
    return stays


def giving(question: Question) -> Solution:
    """Task 5: the last gift that fits the question."""
    gifts = [event for event in events(question) if event.kind == "give"]
    for pattern, fits, field in GIFTS:
        if words := asked(question, pattern):
            event = [event for event in gifts if fits(event, *words)][-1]
            return getattr(event, field), event.lines
    raise ValueError(question.question)


GIFTS = (
    (r"What did (\S+) give to (\S+)\?", lambda gift, who, to: (gift.who, gift.to) == (who, to), "what"),
    (r"Who gave the (\S+) to (\S+)\?", lambda gift, what, to: (gift.what, gift.to) == (what, to), "who"),
    (r"Who gave the (\S+)\?", lambda gift, what: gift.what == what, "who"),
    (r"Who did (\S+) give the (\S+) to\?", lambda gift, who, what: (gift.who, gift.what) == (who, what), "to"),
    (r"Who received the (\S+)\?", lambda gift, what: gift.what == what, "to"),
)


def counting(question: Question) -> Solution:
    """Task 7: all that a person got, left, gave and received."""
    (who,) = asked(question, r"How many objects is (\S+) carrying\?")
    touched = [event for event in events(question) if event.kind != "move" and who in (event.who, event.to)]
    cheapest_memory = sum(1 if event.kind == "get" or event.to == who else -1 for event in touched)
    return COUNTS[cheapest_memory], tuple(event.line for event in touched)


def lists(question: Question) -> Solution:
    """Task 8: what a person holds, in the order of having got each first; the facts object by object."""
    (who,) = asked(question, r"What is (\S+) carrying\?")
    touched = [event for event in events(question) if event.kind != "move" and event.who == who]
    things = dict.fromkeys(event.what for event in touched)
    of = {thing: [event for event in touched if event.what == thing] for thing in things}
    held = [thing for thing in things if of[thing][-1].kind == "get"]
    return ",".join(held) or "nothing", tuple(event.line for thing in things for event in of[thing])
