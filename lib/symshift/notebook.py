"""What a notebook asks of the library before it trains: its parameters, checked, and which stories it reads.

papermill injects parameters as a cell of its own, under the mark `# Parameters`, and only logs a name that the notebook
does not have: so a typo would train the wrong thing. `settings` reads that cell and refuses."""

import ast
import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from IPython.display import Markdown

from symshift.errors import InputError
from symshift.stories import Question

SESSION = {
    "seeds": (int, "a whole number such as 3"),
    "device": (str, "auto, cpu or cuda"),
    "outputs": (str, "a folder"),
}
TOLD = {
    "official": "**Official stories**: the bAbI text, version 1.2.",
    "generated": "**Generated stories**: the bAbI text was not read, so no number here stands beside a paper's.",
}


class Settings(NamedTuple):
    """The parameters of a notebook: those of the model, as `configure` takes them, and those of the session."""

    overrides: dict[str, Any]
    seeds: list[int]
    device: str
    outputs: str | None


def settings(namespace: Mapping[str, Any]) -> Settings:
    """The names that the parameters cell of a notebook declares, with their values now, from its `globals()`."""
    declared = sys.modules[namespace["__name__"]].__annotations__
    for name in _injected(namespace["In"]):
        if name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(declared)}"
            raise InputError(f"parameter {name!r} is unknown to this notebook; {hint}")
    values = {name: namespace[name] for name in declared}
    session = {name: values.pop(name) for name in SESSION}
    for name, value in session.items():
        kind, example = SESSION[name]
        missing = value is None and name != "outputs"
        if missing or isinstance(value, bool) or not isinstance(value, kind | None):
            raise InputError(f"{name} is {value!r}; it wants {example}")
    if session["seeds"] < 1:
        raise InputError(f"seeds is {session['seeds']}; at least 1 is needed to train anything")
    return Settings(values, list(range(session.pop("seeds"))), **session)


def told_by(questions: Sequence[Question]) -> Markdown:
    """Where these questions come from, for the first lines of a report."""
    return Markdown(TOLD[questions[0].source])


def _injected(cells: Sequence[str]) -> list[str]:
    """The names that papermill's own cell sets."""
    sources = [source for source in cells if source.startswith("# Parameters\n")]
    lines = [line for source in sources for line in ast.parse(source).body if isinstance(line, ast.Assign)]
    return [target.id for line in lines for target in line.targets if isinstance(target, ast.Name)]
