"""What `train` is called with: a wrong kind of argument is one line that says what would be right."""

import reprlib
from typing import Any

from symshift.config import RunConfig
from symshift.data import Question
from symshift.errors import InputError
from symshift.training.replica import MAX_SEED


def check_config(config: Any) -> None:
    """Refuse what `configure` did not make."""
    if not isinstance(config, RunConfig):
        raise InputError(f"config is a {_kind(config)}; `symshift.configure({{'model': 'stpr'}})` makes one")


def check_seeds(seeds: Any) -> None:
    """Refuse what is no list of different seeds."""
    if isinstance(seeds, str) or not hasattr(seeds, "__iter__"):
        raise InputError(f"seeds is {reprlib.repr(seeds)}; give a list of seeds, such as [0, 1, 2]")
    if not seeds:
        raise InputError("seeds is empty; give a list of seeds, such as [0, 1, 2]")
    for seed in seeds:
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise InputError(f"seeds has {reprlib.repr(seed)}; a seed is a whole number from 0 to {MAX_SEED - 1}")


def check_questions(part: str, questions: Any) -> None:
    """Refuse what is no list of questions, and questions of no task."""
    if isinstance(questions, str) or not all(isinstance(question, Question) for question in _entries(questions)):
        raise InputError(f"{part} is a {_kind(questions)}; `symshift.data.read` returns a list of questions")
    for question in questions:
        if type(question.task) is not int or question.task < 0:
            task = reprlib.repr(question.task)
            raise InputError(f"{part} has a question of task {task}; a whole number, 0 for no task, is right")


def stories_error(stories: Any) -> InputError:
    """Return the error of stories that are no `Data`."""
    example = "symshift.training.data.Data(read('train.txt'), read('test.txt'))"
    return InputError(f"stories is a {_kind(stories)}; {example} makes them")


def _entries(value: Any) -> Any:
    return value if hasattr(value, "__iter__") else [value]


def _kind(value: Any) -> str:
    names = {type(entry).__name__ for entry in value} if isinstance(value, list | tuple) else set()
    return type(value).__name__ + (f" of {', '.join(sorted(names))}" if names else "")
