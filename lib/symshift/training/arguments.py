"""What `train` is called with: a wrong kind of argument is one line that says what would be right."""

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from symshift import yaml_files
from symshift.config import RunConfig
from symshift.constraints import plain
from symshift.data import Question
from symshift.data.question import list_questions
from symshift.errors import InputError, repeated
from symshift.training.replica import MAX_SEED

WORKBOOK_STORIES = ("official", "generated")  # names by which tables tell the workbook's stories from one's own
RESERVED_NAMES = ("train", "valid", "test")  # names of errors that every run has


def read_settings(words: Sequence[str], arguments: Sequence[str], prog: str) -> dict[str, Any]:
    """Read the settings of a command line.

    Args:
        words: `NAME=VALUE` each, its value as YAML writes it.
        arguments: Names that the command has as arguments, which are no settings.
        prog: The command, which errors name.

    Raises:
        InputError: A word is no setting, or names an argument, or a name that stands twice.
    """
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise InputError(f"{word!r} is no setting; give one as updates=2000")
        if name in arguments:
            raise InputError(f"{word!r}: {name} is an argument; give it once, as `{prog} --help` says")
        if name in settings:
            raise InputError(f"{word!r}: {name} stands twice; once is right")
        try:
            settings[name] = yaml_files.parse(value)
        except Exception:  # numbers of 5,000 digits, dates that are none, brackets without end
            raise InputError(f"{word!r} is no setting; give a number or a word behind the =") from None
    return settings


def check_config(config: Any) -> None:
    """Refuse what `configure` did not make.

    Raises:
        InputError: It is of another type.
    """
    if not isinstance(config, RunConfig):
        raise InputError(f"config is a {_kind(config)}; `symshift.configure({{'model': 'stpr'}})` makes one")


def check_seed_count(count: int) -> None:
    """Refuse a number of models, from seeds 0, 1, ..., that is none or beyond the seeds there are.

    Raises:
        InputError: There are too few or too many.
    """
    if count < 1:
        raise InputError(f"seeds is {count}; at least 1 is needed to train anything")
    if count > MAX_SEED:
        raise InputError(f"seeds is {count}; at most {MAX_SEED} would be right")


def check_seeds(seeds: Any) -> list[int]:
    """Return seeds as plain numbers, also where they are numpy's; refuse what is no list of different seeds.

    Raises:
        InputError: They are no list, one is no seed, or one stands twice.
    """
    if isinstance(seeds, str | bytes) or not isinstance(seeds, Sequence):
        raise InputError(f"seeds is {reprlib.repr(seeds)}; give a list of seeds, such as [0, 1, 2]")
    if not seeds:
        raise InputError("seeds is empty; give a list of seeds, such as [0, 1, 2]")
    numbers = [plain(seed) for seed in seeds]
    for seed in numbers:
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise InputError(f"seeds has {reprlib.repr(seed)}; a seed is a whole number from 0 to {MAX_SEED - 1}")
    if twice := repeated(numbers):
        raise InputError(f"seeds has {twice[0]} twice; each once is right")
    return numbers


def list_task_questions(part: str, questions: Any) -> list[Question]:
    """Return questions as a list; refuse what is none, and a task that is no whole number from 0 on.

    Raises:
        InputError: One is no question, or its task is no number of a task.
    """
    entries = list_questions(part, questions)
    for question in entries:
        if type(question.task) is not int or question.task < 0:
            task = reprlib.repr(question.task)
            raise InputError(f"{part} has a question of task {task}; a whole number, 0 for no task, is right")
    return entries


def list_unseen(unseen: Any) -> dict[str, list[Question]]:
    """Return further test sets; refuse what is no mapping of names to them, and names that every run's error has.

    Raises:
        InputError: They are no mapping, a name cannot be used, or a test set has no questions or something else.
    """
    if not isinstance(unseen, Mapping):
        raise InputError(f"unseen is a {_kind(unseen)}; a mapping such as {{'room': questions}} is right")
    tests = {}
    for name, questions in unseen.items():
        if not isinstance(name, str) or not name or name in RESERVED_NAMES:
            reserved = ", ".join(RESERVED_NAMES)
            raise InputError(f"unseen has the name {reprlib.repr(name)}; a word that is none of {reserved} is right")
        tests[name] = list_task_questions(f"unseen {name!r}", questions)
        if not tests[name]:
            raise InputError(f"there are no questions in the test set {name!r}; at least one would be right")
    return tests


def check_stories_name(name: Any) -> None:
    """Refuse a name of stories that is no text, or that of the workbook's stories.

    Raises:
        InputError: It is one of these.
    """
    if not isinstance(name, str):
        raise InputError(f"name is {reprlib.repr(name)}; a text such as 'my stories' is right")
    if name in WORKBOOK_STORIES:
        raise InputError(f"name is {name!r}; tables would show them as the workbook's own {name} stories; rename them")


def stories_error(stories: Any) -> InputError:
    """Return the error of stories that are no `Data`."""
    example = "symshift.training.data.Data(read('train.txt'), read('test.txt'))"
    return InputError(f"stories is a {_kind(stories)}; {example} makes them")


def _kind(value: Any) -> str:
    names = {type(entry).__name__ for entry in value} if isinstance(value, list | tuple) else set()
    return type(value).__name__ + (f" of {', '.join(sorted(names))}" if names else "")
