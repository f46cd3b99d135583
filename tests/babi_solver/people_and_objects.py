"""Tasks 1, 2, 3, 5, 6, 7, 8, 11, 12, 13: people who move, and what they get, drop and give."""

from symshift.data.question import Question
from tests.babi_solver.sentences import Event, Solution, match_question, read_events

COUNTS = ("none", "one", "two", "three")


def where_is_person(question: Question) -> Solution:
    """Tasks 1, 11, 12, 13: the last move of a person, with the line that a pronoun refers to."""
    (person,) = match_question(question, r"Where is (\S+)\?")
    move = _moves(read_events(question), person)[-1]
    return move.what, move.lines


def is_person_there(question: Question) -> Solution:
    """Task 6."""
    person, place = match_question(question, r"Is (\S+) in the (\S+)\?")
    move = _moves(read_events(question), person)[-1]
    return ("yes" if move.what == place else "no"), move.lines


def where_is_object(question: Question) -> Solution:
    """Task 2: who got or dropped it last, and that person's move to where it is."""
    (thing,) = match_question(question, r"Where is the (\S+)\?")
    events = read_events(question)
    last = [event for event in events if event.kind in ("get", "drop") and event.what == thing][-1]
    moves = _moves(events, last.actor)
    if last.kind == "drop":
        moves = [move for move in moves if move.line < last.line]
    return moves[-1].what, (last.line, moves[-1].line)


def where_was_object(question: Question) -> Solution:
    """Task 3: the object's places in their order; the last time it came to a place, and where from."""
    thing, place = match_question(question, r"Where was the (\S+) before the (\S+)\?")
    events = read_events(question)
    stays = _stays(events, thing)
    handlings = [event.line for event in events if event.kind in ("get", "drop") and event.what == thing]
    entry = max(number for number, stay in enumerate(stays) if number and stay.what == place)
    return stays[entry - 1].what, (handlings[-1], stays[entry].line, stays[entry - 1].line)


def _moves(events: list[Event], person: str) -> list[Event]:
    return [event for event in events if event.kind == "move" and event.actor == person]


def _stays(events: list[Event], thing: str) -> list[Event]:
    """The moves that brought an object, or the one who got it, to each of its places."""
    last_move: dict[str, Event] = {}
    stays: list[Event] = []
    holder = ""
    for event in events:
        if event.kind == "move":
            last_move[event.actor] = event
            if event.actor == holder:
                stays.append(event)
        elif event.what == thing:
            holder = event.actor if event.kind == "get" else ""
            if holder in last_move and (not stays or stays[-1].what != last_move[holder].what):
                stays.append(last_move[holder])
    return stays


def gift(question: Question) -> Solution:
    """Task 5: the last gift that matches the question."""
    gifts = [event for event in read_events(question) if event.kind == "give"]
    for pattern, matches, field in GIFT_QUESTIONS:
        if words := match_question(question, pattern):
            event = [event for event in gifts if matches(event, *words)][-1]
            return getattr(event, field), event.lines
    raise ValueError(question.question)


GIFT_QUESTIONS = (
    (
        r"What did (\S+) give to (\S+)\?",
        lambda gift, actor, receiver: (gift.actor, gift.receiver) == (actor, receiver),
        "what",
    ),
    (
        r"Who gave the (\S+) to (\S+)\?",
        lambda gift, what, receiver: (gift.what, gift.receiver) == (what, receiver),
        "actor",
    ),
    (r"Who gave the (\S+)\?", lambda gift, what: gift.what == what, "actor"),
    (
        r"Who did (\S+) give the (\S+) to\?",
        lambda gift, actor, what: (gift.actor, gift.what) == (actor, what),
        "receiver",
    ),
    (r"Who received the (\S+)\?", lambda gift, what: gift.what == what, "receiver"),
)


def count_objects(question: Question) -> Solution:
    """Task 7: all that a person got, dropped, gave and received."""
    (person,) = match_question(question, r"How many objects is (\S+) carrying\?")
    events = [event for event in read_events(question) if event.kind != "move"]
    handlings = [event for event in events if person in (event.actor, event.receiver)]
    count = sum(1 if event.kind == "get" or event.receiver == person else -1 for event in handlings)
    return COUNTS[count], tuple(event.line for event in handlings)


def list_objects(question: Question) -> Solution:
    """Task 8: what a person carries, in the order of having got each first; the facts object by object."""
    (person,) = match_question(question, r"What is (\S+) carrying\?")
    handlings = [event for event in read_events(question) if event.kind != "move" and event.actor == person]
    things = dict.fromkeys(event.what for event in handlings)
    events_of = {thing: [event for event in handlings if event.what == thing] for thing in things}
    carried = [thing for thing in things if events_of[thing][-1].kind == "get"]
    return ",".join(carried) or "nothing", tuple(event.line for thing in things for event in events_of[thing])
