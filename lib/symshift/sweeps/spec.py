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

The seeds of one config train as one ensemble and make a group. Groups come in the file's order: all tasks of the first
model, then of the second; all of the first source and size before the next; all of the first overrides before those.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symshift import yaml_files
from symshift.config import RunConfig, configure
from symshift.constraints import has_type
from symshift.data.load import SOURCES
from symshift.errors import InputError, repeated, suggest
from symshift.training.replica import MAX_SEED

LISTS: dict[str, tuple[Any, str]] = {  # with the type of each, and an example
    "models": (list[str], "[stpr-sm, mn]"),
    "tasks": (list[int], "[1, 2, 3]"),
    "examples": (list[int], "[1000, 10000]"),
    "sources": (list[str], "[official]"),
    "seeds": (list[int], "[0, 1, 2]"),
}
OVERRIDES = "overrides"
OWN_STORIES = "a sweep has the workbook's stories; `symshift train MODEL --stories FILE` trains on one's own"
IN_LISTS = ("model", "task", "examples", "source")  # a config's names that the lists give


@dataclass(frozen=True)
class Group:
    """The cells of one config: its seeds, which train as one ensemble."""

    config: RunConfig
    seeds: tuple[int, ...]
    overrides: str = ""  # those of a list, as output names them

    def __str__(self) -> str:
        """Name the group as output does."""
        name = f"{self.config.model} task {self.config.task}, {self.config.examples:,} {self.config.source}"
        return f"{name}, {self.overrides}" if self.overrides else name


def read(path: str | Path) -> list[Group]:
    """Read the groups of a sweep from its file.

    Raises:
        InputError: The file is not one of a sweep; the message names the file and the key.
    """
    path = Path(path)
    grid = yaml_files.read(path)
    try:
        return list(_groups(_checked(grid)))
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None


def _groups(grid: dict[str, Any]) -> Iterator[Group]:
    models = grid["models"] if isinstance(grid["models"], dict) else {model: {} for model in grid["models"]}
    overrides = grid.get(OVERRIDES, {})
    named = {_text(each): each for each in overrides} if isinstance(overrides, list) else {"": overrides}
    axes = named, grid["examples"], grid["sources"], models, grid["tasks"]
    for name, examples, source, model, task in itertools.product(*axes):
        cell = {"model": model, "task": task, "examples": examples, "source": source}
        yield Group(configure(named[name] | models[model] | cell), tuple(grid["seeds"]), name)


def _text(overrides: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in overrides.items())


def _checked(grid: Any) -> dict[str, Any]:
    """Return what a file holds, once every key of it is known and right."""
    if not isinstance(grid, dict):
        raise InputError(f"a sweep is a mapping with {', '.join(LISTS)} and, if need be, {OVERRIDES}")
    _check_names(grid)
    for name, (kind, example) in LISTS.items():
        if name == "models" and isinstance(grid.get(name), dict):
            _check_models(grid[name])
        else:
            _check_list(name, grid.get(name), kind, example)
    _check_sources(grid["sources"])
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
            hint = OWN_STORIES if name == "stories" else suggest(name, [*LISTS, OVERRIDES], "a sweep has")
            raise InputError(f"{name!r} is unknown; {hint}")


def _check_sources(sources: list[str]) -> None:
    for source in sources:
        if source not in SOURCES:
            raise InputError(f"source is {source!r}; choose from {', '.join(SOURCES)}; {OWN_STORIES}")


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
        try:
            configure(own | {"model": model})
        except InputError as error:
            raise InputError(f"models, {model}: {error}") from None


def _check_overrides(where: str, overrides: Any) -> None:
    if not isinstance(overrides, dict):
        raise InputError(f"{where} is {overrides!r}; it wants names and values such as {{updates: 2000}}")
    for name in overrides:
        if name in IN_LISTS:
            raise InputError(f"{where} has {name!r}, which the lists give")
