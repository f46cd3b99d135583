"""Task 14 asks where a person was before a place (`Where was Bill before the park?`), told out of order.

Each move happens at its person's next time of the day, from yesterday to this evening. Pairs of moves are drawn until
one of the last five has a known move before it; then all new moves are told in random order, and it is asked about,
five times. Both moves support the answer, the later one first.
The random order is a single cycle (Sattolo's shuffle, which leaves no sentence in its place): so v1.2 always tells
a pair of moves the wrong way round.
"""

from random import Random

from symshift.data.babi.generator.story_builder import QUESTIONS_PER_STORY, StoryBuilder, task
from symshift.data.babi.generator.tasks.task_9_10 import WORLD_B
from symshift.data.babi.generator.words import choose_other, move_phrase
from symshift.data.babi.generator.world import World

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
Visit = tuple[str, int]  # a person and the index of a time of the day
Days = dict[str, list[str]]  # the places of a person, by time


@task(14, WORLD_B, people=3, places=2)
def time_reasoning(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Draw pairs of moves, tell them shuffled, and ask a question, five times."""
    cast = world.cast(rng)
    days: Days = {person: [] for person in cast.people}
    line_of: dict[Visit, int] = {}
    untold: list[Visit] = []
    while len(builder.questions) < QUESTIONS_PER_STORY:
        for _ in range(2):
            person = rng.choice([person for person in cast.people if len(days[person]) < len(TIMES)])
            days[person].append(choose_other(rng, cast.places, *days[person][-1:]))
            untold.append((person, len(days[person]) - 1))
        builder.events += untold[-2:]
        visit = _choose_visit(builder, days)
        if visit is None:
            continue
        for person, time in _shuffle_in_one_cycle(rng, untold):
            line_of[person, time] = builder.say(_sentence(rng, person, time, days[person][time]))
        untold = []
        person, time = visit
        supporting = line_of[person, time], line_of[person, time - 1]
        builder.ask(f"Where was {person} before the {days[person][time]}?", days[person][time - 1], *supporting)


def _choose_visit(builder: StoryBuilder, days: Days) -> Visit | None:
    """Choose a recent visit, at the last time its person came to that place, with a place before it."""
    for person, event_time in builder.recent_events():
        place = days[person][event_time]
        last_time = max(time for time, visited in enumerate(days[person]) if visited == place)
        if last_time > 0:
            return person, last_time
    return None


def _sentence(rng: Random, person: str, time: int, place: str) -> str:
    """Tell a move with its time in front or at the end."""
    phrase = f"{person} {move_phrase(rng, place)}"
    return f"{TIMES[time].capitalize()} {phrase}." if rng.random() < 0.5 else f"{phrase} {TIMES[time]}."


def _shuffle_in_one_cycle(rng: Random, visits: list[Visit]) -> list[Visit]:
    """Sattolo's shuffle: an order that is a single cycle."""
    shuffled = list(visits)
    for last in range(len(shuffled) - 1, 0, -1):
        other = rng.randrange(last)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled
