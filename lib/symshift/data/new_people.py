"""Five new people in some tasks (TPR-RNN, Schlag & Schmidhuber, 2018, section "Systematic Generalisation").

The tasks with the same four people and one of them in the question are trained together. A new person takes the place
of another in 500 stories of a task, and in 20% of these is asked about; in training, only in some of the tasks. Which
ones the paper does not say: here the first. The new people take the places of men, so that `he` stays right.
"""

from collections.abc import Sequence
from random import Random

from symshift.data.babi.generator import World
from symshift.data.babi.generator.world import pronoun
from symshift.data.question import Question, tokenize
from symshift.data.renaming import rename
from symshift.errors import InputError

TASKS = (1, 6, 7, 8, 9, 11, 12, 13)
TRAINED = {"Alex": 8, "Glenn": 6, "Jordan": 4, "Mike": 2, "Logan": 1}
MEN = [name.lower() for name in World().people if pronoun(name) == "he"]
ASKED = 0.2


def new_people(
    questions: Sequence[Question], split: str, count: int = 500, seed: int = 0
) -> dict[tuple[str, int], list[Question]]:
    """For each new person and task of the questions, so many with that person in them; in training, in their tasks."""
    if split not in ("train", "test"):
        raise InputError(f"split {split!r}: one of train, test would be right")
    if count < 1:
        raise InputError(f"{count} stories of each new person: at least 1 would be right")
    by_task = {task: [asked for asked in questions if asked.task == task] for task in TASKS}
    return {
        (name, task): _with(name, by_task[task], count, Random(f"{name} {task} {split} {seed}"))
        for name, trained in TRAINED.items()
        for number, task in enumerate(TASKS)
        if by_task[task] and (split == "test" or number < trained)
    }


def _with(name: str, questions: list[Question], count: int, rng: Random) -> list[Question]:
    renamed: list[Question] = []
    while len(renamed) < count:
        drawn = rng.choice(questions)
        asked = len(renamed) < ASKED * count
        told = {word for sentence in drawn.story for word in tokenize(sentence)}
        men = [man for man in MEN if man in told and (man in tokenize(drawn.question)) == asked]
        if men:
            renamed += rename([drawn], {rng.choice(men): name})
    return renamed
