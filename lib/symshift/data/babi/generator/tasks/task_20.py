"""Task 20 asks where people will go and why they did what they did, given how they feel.

Each person feels something (`Sumit is tired.`), goes where that drives them and gets what they need, if it is still
there. People take turns at random, and each sentence is followed by a question: `Where will sumit go?`, `Why did sumit
go to the bedroom?`, `Why did sumit get the pajamas?`. The sentence on the feeling supports each answer.
"""

from random import Random

from symshift.data.babi.generator.story_builder import StoryBuilder, task
from symshift.data.babi.generator.words import GETS, move_phrase
from symshift.data.babi.generator.world import World

GOALS = {
    "hungry": ("kitchen", "apple"),
    "thirsty": ("kitchen", "milk"),
    "bored": ("garden", "football"),
    "tired": ("bedroom", "pajamas"),
}


@task(20, World(people=("Jason", "Antoine", "Sumit", "Yann")), people=1)
def agent_motivations(builder: StoryBuilder, world: World, rng: Random) -> None:
    """Let each person feel, go and get, a sentence and a question at a time.

    Places and objects are those of `GOALS`, whatever the world has.
    """
    people = world.cast(rng).people
    feeling_of = {person: rng.choice(tuple(GOALS)) for person in people}
    line_of: dict[str, int] = {}
    moved: set[str] = set()
    feelings_served: set[str] = set()  # whose object somebody has already got
    while active := [person for person in people if person not in moved or feeling_of[person] not in feelings_served]:
        person = rng.choice(active)
        name = person.lower()
        feeling = feeling_of[person]
        place, thing = GOALS[feeling]
        if person not in line_of:
            line_of[person] = builder.say(f"{person} is {feeling}.")
            builder.ask(f"Where will {name} go?", place, line_of[person])
        elif person not in moved:
            moved.add(person)
            builder.say(f"{person} {move_phrase(rng, place)}.")
            builder.ask(f"Why did {name} go to the {place}?", feeling, line_of[person])
        else:
            feelings_served.add(feeling)
            builder.say(f"{person} {rng.choice(GETS)} the {thing} there.")
            builder.ask(f"Why did {name} get the {thing}?", feeling, line_of[person])
