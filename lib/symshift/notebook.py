"""What a notebook asks of the library before it trains: its parameters, checked, and which stories it reads.

papermill injects parameters as a cell of its own, under the mark `# Parameters`, and only logs a name that the notebook
does not have: so a typo would train the wrong thing. `settings` reads that cell and refuses.
"""

import ast
import contextlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_origin

from IPython.display import Markdown

from symshift.config import RunConfig, names, presets
from symshift.constraints import EXPECTED, has_type
from symshift.data import Question
from symshift.errors import InputError, repeated, suggest
from symshift.training.arguments import check_seed_count
from symshift.training.data import Data
from symshift.training.own_stories import check_effect, choose_stories

SESSION = {"seeds": "a whole number such as 3", "device": "auto, cpu or cuda", "outputs": "a folder"}
SOURCE_NOTES = {
    "official": "**Official stories**: the bAbI text, version 1.2.",
    "generated": "**Generated stories**: the bAbI text was not read, so no number here stands beside a paper's.",
    "file": "**Stories of a file**: no number here stands beside a paper's.",
}


class Settings(NamedTuple):
    """The parameters of a notebook: its own, and those of the session, where it trains."""

    overrides: dict[str, Any]
    seeds: list[int]
    device: str
    outputs: str | None
    stories: str | None = None  # a file of one's own
    split: str | None = None  # of params/splits


def settings(namespace: Mapping[str, Any]) -> Settings:
    """Read the names that the parameters cell of a notebook declares, with their values now.

    A notebook that declares `overrides` takes every setting of its preset: from that mapping, or by name from
    `papermill -f params/NAME.yaml`. What the preset does not have is for `configure` to refuse.

    Args:
        namespace: The notebook's `globals()`.

    Returns:
        The notebook's own parameters as `overrides`, each of its declared type or, but for lists, None; and those of
        the session.

    Raises:
        InputError: A name is unknown, a value is not of its type, an entry of a list is below 1 or stands twice, or a
            parameter has no effect beside another.
    """
    declared = sys.modules[namespace["__name__"]].__annotations__
    from_file = _undeclared(namespace, declared)
    values = {name: namespace[name] for name in declared}
    for name, value in values.items():
        _check_setting(name, value, declared[name])
    seeds, device, outputs = values.pop("seeds", 0), values.pop("device", "auto"), values.pop("outputs", None)
    stories, split = values.pop("stories", None), values.pop("split", None)
    check_effect({"stories": stories or None, "split": split or None}, _injected(namespace["In"]))
    overrides = values.pop("overrides", None) or {}
    for name in overrides:
        if name in declared:
            raise InputError(f"overrides has {name!r}, which this notebook has as a parameter; set it there")
    return Settings(values | from_file | overrides, list(range(seeds)), device, outputs, stories, split)


def load_stories(parameters: Settings, config: RunConfig) -> Data:
    """Load the stories of a run, and print a line for each thing that a file of one's own lacks.

    Raises:
        InputError: The file, the split or the stories of the task are not what they should be.
    """
    chosen = choose_stories(config, parameters.stories, parameters.split)
    for note in chosen.notes:
        print(note)
    return chosen.data


def data_source_note(questions: Sequence[Question]) -> Markdown:
    """Where these questions come from, for the first lines of a report."""
    source = questions[0].source
    return Markdown(SOURCE_NOTES.get(source, f"**Stories**: {source}; no number here stands beside a paper's."))


def _check_setting(name: str, value: Any, kind: Any) -> None:
    is_list = get_origin(kind) is list
    missing = value is None and (name in ("seeds", "device") or is_list)
    if missing or not (value is None or has_type(value, kind)):
        raise InputError(f"{name} is {value!r}; it wants {SESSION.get(name, EXPECTED[kind])}")
    if is_list:
        _check_entries(name, value)
    if name == "seeds":
        check_seed_count(value)


def _check_entries(name: str, entries: Sequence[int | str]) -> None:
    if not entries:
        raise InputError(f"{name} is an empty list; it wants at least one entry")
    for entry in entries:
        if isinstance(entry, int) and entry < 1:
            raise InputError(f"{name} has {entry}; numbers from 1 on are right")
    if twice := repeated(entries):
        raise InputError(f"{name} has {twice[0]!r} twice; each once is right")


def _undeclared(namespace: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    """The injected settings that the parameters cell leaves to `overrides`."""
    others = [name for name in _injected(namespace["In"]) if name not in declared]
    known = {"base": None} if "overrides" in declared else {}
    if others and known:
        for model in presets():
            with contextlib.suppress(InputError):  # of a faulty preset, which `configure` names if it is asked for
                known |= dict.fromkeys(names(model))
    for name in others:
        if name not in known:
            hint = suggest(name, [*declared, *known], "it has")
            raise InputError(f"parameter {name!r} is unknown to this notebook; {hint}")
    return {name: namespace[name] for name in others}


def _injected(cells: Sequence[str]) -> list[str]:
    """The names that papermill's own cell sets."""
    sources = [source for source in cells if source.startswith("# Parameters\n")]
    lines = [line for source in sources for line in ast.parse(source).body if isinstance(line, ast.Assign)]
    return [target.id for line in lines for target in line.targets if isinstance(target, ast.Name)]
