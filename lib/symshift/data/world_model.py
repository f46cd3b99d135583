"""The world model (EntNet, Henaff et al., 2017, section 5.1): two agents walk on a 10 x 10 grid; where are they?

The first four of the T sentences say where each agent is and which way it faces. In each further one a random agent
turns or moves ahead, so that an answer needs up to T - 2 facts. N is up (y grows), E is right (x grows).
Our choices: turning and moving are equally likely, but an agent that faces the edge at the edge turns; it turns to
another direction and moves any number of steps that keeps it on the grid. A position is two words in a story, x and y,
and one class as an answer. All sentences on an agent support where it is.
"""

from collections.abc import Collection
from random import Random
from typing import Annotated, NamedTuple

from symshift.constraints import Count, Interval, check_value
from symshift.data.question import Question
from symshift.data.splits import sample_split

AGENTS = ("agent1", "agent2")
SIZE = 10
STEP = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
MINIMUM_LENGTH = 2 * len(AGENTS)
Length = Annotated[int, Interval(at_least=MINIMUM_LENGTH, at_most=10_000)]  # of a story, in sentences


def walks(length: int, split: str = "train", examples: int = 10_000, seed: int = 0) -> list[Question]:
    """Generate stories of two walking agents, with a question for each.

    Args:
        length: Sentences per story (T), 4 or more.
        split: `train`, or `test`, which has 1,000 questions; no training story is one of the test.
        examples: The number of training questions.
        seed: Equal seeds give equal text.

    Raises:
        InputError: The length, the split or the number of examples is wrong.
    """
    check_value("length", length, Length)
    check_value("examples", examples, Count)

    def draw(part: str, count: int, without: Collection[tuple[str, ...]]) -> list[Question]:
        rng = Random(f"walks of {length}, {part} {seed}")
        questions: list[Question] = []
        while len(questions) < count:
            walk = _walk(length, rng)
            if walk.story not in without:
                for agent, (x, y) in walk.positions.items():
                    facts = tuple(line for line, subject in enumerate(walk.subjects) if subject == agent)
                    questions.append(Question(walk.story, f"Where is {agent}?", f"({x},{y})", facts, 0, "generated"))
        return questions[:count]

    return sample_split(split, examples, draw)


class Walk(NamedTuple):
    """A story, the agent that each sentence is about, and where the agents are at the end."""

    story: tuple[str, ...]
    subjects: list[str]
    positions: dict[str, tuple[int, int]]


def _walk(length: int, rng: Random) -> Walk:
    positions: dict[str, tuple[int, int]] = {}
    facing: dict[str, str] = {}
    story: list[str] = []
    subjects: list[str] = []
    for agent in AGENTS:
        x, y = rng.randint(1, SIZE), rng.randint(1, SIZE)
        positions[agent] = x, y
        facing[agent] = rng.choice(list(STEP))
        story += [f"{agent} is at ({x},{y}).", f"{agent} faces-{facing[agent]}."]
        subjects += [agent, agent]
    while len(story) < length:
        agent = rng.choice(AGENTS)
        x, y = positions[agent]
        right, up = STEP[facing[agent]]
        coordinate = x if right else y
        room = SIZE - coordinate if right + up > 0 else coordinate - 1
        if room and rng.random() < 0.5:
            steps = rng.randint(1, room)
            positions[agent] = x + steps * right, y + steps * up
            story.append(f"{agent} moves-{steps}.")
        else:
            facing[agent] = rng.choice([direction for direction in STEP if direction != facing[agent]])
            story.append(f"{agent} faces-{facing[agent]}.")
        subjects.append(agent)
    return Walk(tuple(story), subjects, positions)
