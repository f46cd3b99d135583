"""Docstrings as reStructuredText: they are plain text with `code`, Google's sections and indented equations."""

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields|Note|Example|Examples):$")
BEFORE_NAPOLEON = 400  # of the order in which listeners are called; napoleon is at 500


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc."""
    app.connect("autodoc-process-docstring", _process, BEFORE_NAPOLEON)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def restructured(lines: list[str]) -> Iterator[str]:
    """Yield lines of a docstring: indented ones outside of sections are literal, text has no markup but code."""
    literal = section = False
    previous = ""
    for line in lines:
        indented = line.startswith("  ")
        if line.strip() and not indented:
            section, literal = bool(SECTION.match(line)), False
        if indented and not section and not literal and not previous.strip():
            yield from ("::", "")
            literal = True
        yield line if literal else _escaped(line)
        if line.startswith("    ") or not indented:
            previous = line


def _escaped(line: str) -> str:
    """Escape what reStructuredText reads as emphasis, substitutions and links, but not in `code`."""
    parts = line.split("`")
    if len(parts) % 2:
        parts[::2] = [re.sub(r"([*|])|(?<=\w)(_)(?=\W|$)", r"\\\1\2", part) for part in parts[::2]]
    return re.sub(r"^(\d+)\. ", r"\1\\. ", "`".join(parts))


def _process(_app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = list(restructured(lines))


def _skip(_app: Sphinx, _what: str, _name: str, obj: Any, skip: bool, _options: Any) -> bool | None:
    """Leave out fields of named tuples, which their class describes, and what matplotlib writes into a class."""
    foreign = type(obj).__name__ == "_tuplegetter" or str(getattr(obj, "__module__", "")).startswith("matplotlib")
    return True if foreign else (skip or None)
