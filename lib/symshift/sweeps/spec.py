"""A sweep as a file: lists of presets, tasks, sizes, sources and seeds, of which every combination is a cell.

    models: [stpr-sm, mn]           # presets of params/
    tasks: [1, 2, 3]
    examples: [1000]
    sources: [official]
    seeds: [0, 1, 2]
    overrides: {updates: 2000}      # where all presets differ from params/; may be left out

Where one preset differs, `models` is a mapping instead; what it says of a preset goes before `overrides`:

    models:
      stpr-sm: {updates: 24000, patience: 8000}
      mn: {}

A list of `overrides` trains every cell with each of them, as for an ablation:

    overrides: [{}, {without: match}, {without: carry}]

In place of tasks, examples and sources a sweep may have stories of one's own, or in place of tasks splits of
params/splits:

    stories: [mine.csv, folder]     # files or folders, in any format that `symshift.data.read` knows

    splits: [length, person-task]

The seeds of one config train as one ensemble and make a group. Groups come in the file's order: all stories of the
first model, then of the second; all of the first source and size before the next; all of the first overrides before
those.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from symshift import yaml_files
from symshift.config import configure
from symshift.constraints import has_type
from symshift.data.load import SOURCES
from symshift.errors import InputError, errors_at, repeated, suggest
from symshift.paths import user_path
from symshift.sweeps.group import Group
from symshift.training.replica import MAX_SEED

LISTS: dict[str, tuple[Any, str]] = {  # with the type of each, and an example
    "models": (list[str], "[stpr-sm, mn]"),
    "tasks": (list[int], "[1, 2, 3]"),
    "stories": (list[str], "[mine.csv]"),
    "splits": (list[str], "[length]"),
    "examples": (list[int], "[1000, 10000]"),
    "sources": (list[str], "[official]"),
    "seeds": (list[int], "[0, 1, 2]"),
}
# a sweep has one of these keys, and the lists that it requires
REQUIRED_LISTS = {"tasks": ("examples", "sources"), "stories": (), "splits": ("examples", "sources")}
OVERRIDES = "overrides"
SET_BY_LISTS = ("model", "task", "examples", "source")  # names of a config that overrides may not set


def read(path: str | Path) -> list[Group]:
    """Read the groups of a sweep from its file.

    Raises:
        InputError: The file is not one of a sweep; the message names the file and the key.
    """
    path = Path(path)
    grid = yaml_files.read(path)
    with errors_at(path.name):
        return list(_groups(_check_grid(grid)))


def _groups(grid: dict[str, Any]) -> Iterator[Group]:
    models = grid["models"] if isinstance(grid["models"], dict) else {model: {} for model in grid["models"]}
    overrides = grid.get(OVERRIDES, {})
    by_text = {_overrides_text(each): each for each in overrides} if isinstance(overrides, list) else {"": overrides}
    for text, size, model, (task, stories) in itertools.product(by_text, _sizes(grid), models, _stories(grid)):
        config = configure(by_text[text] | models[model] | {"model": model} | size | task)
        yield Group(config, tuple(grid["seeds"]), text, **stories)


def _sizes(grid: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every number of examples of every source, as a config names them; stories of one's own have neither."""
    if "stories" in grid:
        return [{}]
    return [
        {"examples": size, "source": source} for size, source in itertools.product(grid["examples"], grid["sources"])
    ]


def _stories(grid: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return what a config says of each task, file or split, and what a group says of it."""
    if "stories" in grid:
        return [({}, {"stories": str(user_path(path).absolute())}) for path in grid["stories"]]
    if "splits" in grid:
        return [({}, {"split": split}) for split in grid["splits"]]
    return [({"task": task}, {}) for task in grid["tasks"]]


def _overrides_text(overrides: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in overrides.items())


def _check_grid(grid: Any) -> dict[str, Any]:
    """Return what a file of a sweep holds; refuse it where a key is unknown or its value wrong."""
    if not isinstance(grid, dict):
        lists = "models, tasks (or stories, or splits), examples, sources, seeds"
        raise InputError(f"a sweep is a mapping with {lists} and, if need be, {OVERRIDES}")
    _check_names(grid)
    for name in _lists(grid):
        if name == "models" and isinstance(grid.get(name), dict):
            _check_models(grid[name])
        else:
            _check_list(name, grid.get(name), *LISTS[name])
    _check_sources(grid.get("sources", []))
    if min(grid["seeds"]) < 0:
        raise InputError(f"seeds has {min(grid['seeds'])}; a seed is 0 or more")
    if max(grid["seeds"]) >= MAX_SEED:
        raise InputError(f"seeds has {max(grid['seeds'])}; a seed is below {MAX_SEED}")
    overrides = grid.get(OVERRIDES, {})
    alternatives = overrides if isinstance(overrides, list) else [overrides]
    for each in alternatives:
        _check_overrides(OVERRIDES, each)
    _check_list(OVERRIDES, alternatives, list[dict], "[{}, {updates: 2000}]")
    return grid


def _check_names(grid: dict[Any, Any]) -> None:
    for name in grid:
        if name not in (*LISTS, OVERRIDES):
            raise InputError(f"{name!r} is unknown; {suggest(name, [*LISTS, OVERRIDES], 'a sweep has')}")


def _lists(grid: dict[Any, Any]) -> list[str]:
    """Return the lists that this sweep needs, once it has no other."""
    chosen = [name for name in REQUIRED_LISTS if name in grid] or ["tasks"]
    if len(chosen) > 1:
        raise InputError(f"{chosen[0]} and {chosen[1]} are both there; one of them is right")
    lists = ["models", *chosen, *REQUIRED_LISTS[chosen[0]], "seeds"]
    for name in grid:
        if name not in (*lists, OVERRIDES):
            raise InputError(f"{name} has no effect beside {chosen[0]}; leave one out")
    return lists


def _check_sources(sources: list[str]) -> None:
    for source in sources:
        if source not in SOURCES:
            own = "stories: [FILE] in place of tasks, examples and sources trains on one's own"
            raise InputError(f"source is {source!r}; choose from {', '.join(SOURCES)}; {own}")


def _check_list(name: str, values: Any, kind: Any, example: str) -> None:
    if not values or not has_type(values, kind):
        raise InputError(f"{name} is {values!r}; it wants a list such as {example}")
    if twice := repeated(values):
        raise InputError(f"{name} has {twice[0]!r} twice")


def _check_models(models: dict[Any, Any]) -> None:
    if not models:
        raise InputError("models is {}; it wants presets such as {stpr-sm: {updates: 2000}, mn: {}}")
    for model, own in models.items():
        _check_overrides(f"models, {model}", own)
        with errors_at(f"models, {model}"):
            configure(own | {"model": model})


def _check_overrides(where: str, overrides: Any) -> None:
    if not isinstance(overrides, dict):
        raise InputError(f"{where} is {overrides!r}; it wants names and values such as {{updates: 2000}}")
    for name in overrides:
        if name in SET_BY_LISTS:
            raise InputError(f"{where} has {name!r}, which the lists give")
