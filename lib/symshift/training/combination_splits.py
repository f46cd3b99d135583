"""The splits of params/splits: what a YAML file holds out of training, as the stories of a run.

    # Discarding the football is new
    tasks: [2]
    hold_out: {together: [football, discarded]}

`hold_out` names one condition of `data.combinations`; `swap: true` swaps names between tasks in the test, as sys-bAbI.
"""

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from symshift import yaml_files
from symshift.constraints import has_type
from symshift.data import Question, load
from symshift.data.combinations import CONDITIONS, sample_combination_split
from symshift.data.renaming import swap
from symshift.errors import InputError, errors_at, suggest
from symshift.paths import ROOT
from symshift.training.data import Data

FOLDER = ROOT / "params" / "splits"
SWAP = "swap"
TEST = "combination"  # the name of the test with what is new
STORIES_PREFIX = "split "  # what the name of a split's stories has before the split's
EXPECTED = {str: "a word is right, in quotes where YAML reads it otherwise, as 'no'", int: "a whole number is right"}


def split_names() -> list[str]:
    """Return the names of all splits."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_split(name: str, examples: int = 1000, source: str = "auto") -> Data:
    """Return the stories of a split; `error` has an entry `combination` for the test with what is new.

    Args:
        name: A file of params/splits.
        examples: Training questions of each task.
        source: As in `symshift.data.load`; all splits but `swap` have generated stories.

    Raises:
        InputError: There is no such split, its file is none, its tasks have too few questions on a side, or it has no
            official stories.
    """
    if name not in split_names():
        is_file = name.endswith((".yaml", ".yml"))
        note = "; a split of your own is a file NAME.yaml of params/splits, and called NAME" if is_file else ""
        raise InputError(f"split {name!r} is unknown; {suggest(name, split_names())}{note}")
    tasks, kind, arguments = _read(FOLDER / f"{name}.yaml")
    if kind != SWAP and source == "official":
        raise InputError(f"split {name!r} has generated stories; source auto or generated is right")
    with errors_at(f"{name}.yaml: {kind} {arguments!r}"):
        if kind == SWAP:
            train, test = (_all_questions(tasks, examples, part, source) for part in ("train", "test"))
            return Data(train, test, {TEST: swap(test)}, name=f"{STORIES_PREFIX}{name}")
        parts = sample_combination_split(tasks, kind, arguments, examples)
    return Data(parts.train, parts.test, {TEST: parts.combination}, name=f"{STORIES_PREFIX}{name}")


def split_of_stories(stories: str) -> str:
    """Return the split whose stories have this name; an empty string where there is none."""
    name = stories.removeprefix(STORIES_PREFIX)
    return name if name != stories and name in split_names() else ""


def load_split_again(name: str, examples: int, source: str) -> Data:
    """Return the stories of a split as a run's record describes them.

    Args:
        name: As in `load_split`.
        examples: Training questions of all tasks together.
        source: As in `load_split`.

    Raises:
        InputError: As in `load_split`.
    """
    tasks, _, _ = _read(FOLDER / f"{name}.yaml")
    return load_split(name, examples // len(tasks), source)


def _all_questions(tasks: Sequence[int], examples: int, part: str, source: str) -> list[Question]:
    return list(chain.from_iterable(load(task, examples, part, source) for task in tasks))


def _read(path: Path) -> tuple[list[int], str, list[Any]]:
    """Return the tasks, the condition and its arguments."""
    values = yaml_files.read(path)
    if not isinstance(values, dict) or values.keys() != {"tasks", "hold_out"}:
        raise InputError(f"{path.name}: tasks and hold_out are right, and nothing else")
    tasks, hold_out = values["tasks"], values["hold_out"]
    if not isinstance(tasks, list) or not tasks or not all(type(task) is int for task in tasks):
        raise InputError(f"{path.name}: tasks is {tasks!r}; a list of tasks such as [1, 6] is right")
    if len(set(tasks)) < len(tasks):
        raise InputError(f"{path.name}: tasks is {tasks!r}; each task once is right")
    if not isinstance(hold_out, dict) or len(hold_out) != 1:
        raise InputError(f"{path.name}: hold_out is {hold_out!r}; one condition and its value are right")
    ((kind, value),) = hold_out.items()
    if kind == SWAP:
        if value is not True:
            raise InputError(f"{path.name}: swap is {value!r}; true is right")
        return tasks, kind, [True]
    if kind not in CONDITIONS:
        raise InputError(f"{path.name}: hold_out {kind!r} is unknown; {suggest(kind, [*CONDITIONS, SWAP])}")
    arguments = _arguments(value, kind, path)
    if kind == "person_in_task" and arguments[1] not in tasks:
        raise InputError(f"{path.name}: person_in_task has task {arguments[1]}; one of tasks, {tasks!r}, is right")
    return tasks, kind, arguments


def _arguments(value: Any, kind: str, path: Path) -> list[Any]:
    """Return the arguments of a condition: of a mapping by name, of a list in order, else the value alone."""
    signature = inspect.signature(CONDITIONS[kind])
    try:
        if isinstance(value, Mapping):
            bound = signature.bind(**value)
        else:
            bound = signature.bind(*(value if isinstance(value, list) else [value]))
    except TypeError:
        raise InputError(f"{path.name}: {kind} is {value!r}; it has other arguments") from None
    for name, argument in bound.arguments.items():
        expected = signature.parameters[name].annotation
        for entry in argument if isinstance(argument, tuple) else (argument,):  # of `*words`
            if not has_type(entry, expected):
                raise InputError(f"{path.name}: {kind} has {entry!r}; {EXPECTED[expected]}")
    return list(bound.args)
