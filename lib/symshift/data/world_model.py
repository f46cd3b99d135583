"""The world model (EntNet, Henaff et al., 2017, section 5.1): two agents walk on a 10 x 10 grid; where are they?

The first four of the T sentences say where each agent is and which way it faces. In each further one an agent, drawn at
random, turns or moves ahead, so that an answer needs up to T - 2 facts. N is up (y grows), E is right (x grows).
Our choices: turning and moving are equally likely, but at the edge an agent that faces it turns; it turns to another
direction and moves any number of steps that keeps it on the grid. A place is two words in a story, x and y, and one
class as an answer. All sentences on an agent support where it is.
"""

from collections.abc import Collection
from random import Random

from symshift.data.question import Question
from symshift.data.splits import sample_split
from symshift.errors import InputError

AGENTS = ("agent1", "agent2")
SIZE = 10
STEP = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
SHORTEST = 2 * len(AGENTS)


def walks(length: int, split: str = "train", examples: int = 10_000, seed: int = 0) -> list[Question]:
    """So many questions over stories of `length` sentences (T), 4 or more; each story asks for both agents.

    A test set has 1,000; no test story is one of training."""
    if length < SHORTEST:
        raise InputError(f"length {length!r}: a whole number from {SHORTEST} would be right")
    if examples < 1:
        raise InputError(f"examples {examples!r}: a whole number above 0 would be right")

    def draw(part: str, count: int, without: Collection[tuple[str, ...]]) -> list[Question]:
        rng, questions = Random(f"walks of {length}, {part} {seed}"), []
        while len(questions) < count:
            story, told_of, places = _walk(length, rng)
            if story not in without:
                for agent, (x, y) in places.items():
                    facts = tuple(line for line, who in enumerate(told_of) if who == agent)
                    questions.append(Question(story, f"Where is {agent}?", f"({x},{y})", facts, 0, "generated"))
        return questions[:count]

    return sample_split(split, examples, draw)


def _walk(length: int, rng: Random) -> tuple[tuple[str, ...], list[str], dict[str, tuple[int, int]]]:
    """A story, whom each sentence is on, and where the agents are at its end."""
    place, facing = {}, {}
    story, told_of = [], []
    for agent in AGENTS:
        place[agent] = x, y = rng.randint(1, SIZE), rng.randint(1, SIZE)
        facing[agent] = rng.choice(list(STEP))
        story += [f"{agent} is at ({x},{y}).", f"{agent} faces-{facing[agent]}."]
        told_of += [agent, agent]
    while len(story) < length:
        agent = rng.choice(AGENTS)
        (x, y), (right, up) = place[agent], STEP[facing[agent]]
        along = x if right else y
        room = SIZE - along if right + up > 0 else along - 1
        if room and rng.random() < 0.5:
            steps = rng.randint(1, room)
            place[agent] = x + steps * right, y + steps * up
            story.append(f"{agent} moves-{steps}.")
        else:
            facing[agent] = rng.choice([way for way in STEP if way != facing[agent]])
            story.append(f"{agent} faces-{facing[agent]}.")
        told_of.append(agent)
    return tuple(story), told_of, place
