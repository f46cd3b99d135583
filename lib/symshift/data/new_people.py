"""Five new people in some tasks (TPR-RNN, Schlag & Schmidhuber, 2018, section "Systematic Generalisation").

The tasks that share four people and ask about one of them are trained together. A new person replaces another in 500
stories of a task, and in 20% of these the question is about the new person; in training, only in some of the tasks. The
paper does not say in which: here in the first. New people replace men, so that `he` stays right.
"""

from collections.abc import Sequence
from random import Random

from symshift.data.babi.generator import World
from symshift.data.babi.generator.world import pronoun
from symshift.data.question import Question
from symshift.data.renaming import rename
from symshift.data.words import tokenize
from symshift.errors import InputError

TASKS = (1, 6, 7, 8, 9, 11, 12, 13)
TRAINED = {"Alex": 8, "Glenn": 6, "Jordan": 4, "Mike": 2, "Logan": 1}  # the number of training tasks of each person
MEN = [name.lower() for name in World().people if pronoun(name) == "he"]
SHARE_OF_QUESTIONS = 0.2


def new_people(
    questions: Sequence[Question], split: str, count: int = 500, seed: int = 0
) -> dict[tuple[str, int], list[Question]]:
    """Put new people into stories.

    Args:
        questions: Questions of any of `TASKS`.
        split: `train` puts each new person into the first tasks only (`TRAINED`), `test` into all.
        count: How many questions for each new person and task.
        seed: Equal seeds give equal questions.

    Returns:
        The questions by new person and task.

    Raises:
        InputError: The split or the count is wrong.
    """
    if split not in ("train", "test"):
        raise InputError(f"split {split!r}: one of train, test would be right")
    if count < 1:
        raise InputError(f"{count} stories of each new person: at least 1 would be right")
    by_task = {task: [question for question in questions if question.task == task] for task in TASKS}
    return {
        (name, task): _replace_men(name, by_task[task], count, Random(f"{name} {task} {split} {seed}"))
        for name, training_tasks in TRAINED.items()
        for number, task in enumerate(TASKS)
        if by_task[task] and (split == "test" or number < training_tasks)
    }


def _replace_men(name: str, questions: list[Question], count: int, rng: Random) -> list[Question]:
    renamed: list[Question] = []
    asks_about_name = [number < SHARE_OF_QUESTIONS * count for number in range(count)]
    for asks in dict.fromkeys(asks_about_name):
        if not any(_men(question, asks) for question in questions):
            missing = "asks about a man" if asks else "has a man and asks about something else"
            raise InputError(f"task {questions[0].task}: no question {missing}, whom {name} could replace; give more")
    while len(renamed) < count:
        question = rng.choice(questions)
        if men := _men(question, asks_about_name[len(renamed)]):
            renamed += rename([question], {rng.choice(men): name})
    return renamed


def _men(question: Question, in_question: bool) -> list[str]:
    """The men of a story whom its question names, or does not name."""
    story_words = {word for sentence in question.story for word in tokenize(sentence)}
    question_words = tokenize(question.question)
    return [man for man in MEN if man in story_words and (man in question_words) == in_question]
