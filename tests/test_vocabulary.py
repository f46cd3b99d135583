"""The names in lib are the words of docs/glossary.md."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIB = ROOT / "lib" / "symshift"
FILES = sorted(LIB.rglob("*.py"))
ROW = re.compile(r"^\| (`.*?) \| .*? \| (.*?)\|$", re.MULTILINE)
SHAPES = ("Float", "Int", "Bool", "Shaped", "Num", "UInt8")
UNCLEAR = re.compile(r"^The same\b|\bthe way back\b")  # what a docstring must not say


@cache
def retired_words() -> dict[str, str]:
    """Map each retired word to the folder where it is still right (none: the empty string)."""
    table = (ROOT / "docs" / "glossary.md").read_text().partition("## Retired words")[2]
    words = {}
    for retired, exception in ROW.findall(table):
        for word in re.findall("`(.+?)`", retired):
            words[word] = exception.strip().strip("`")
    return words


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of everything that a file names: also the axes in shapes of tensors."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield line, name
            case ast.Subscript(value=ast.Name(id=kind), slice=ast.Tuple(elts=[_, ast.Constant(value=str(shape))])):
                if kind in SHAPES:
                    yield from ((line, axis) for axis in re.findall(r"[a-z]\w*", shape))


def uses_of_retired_words(file: Path) -> list[str]:
    """List where a file names something by a retired word."""
    folder = file.parent.relative_to(LIB).as_posix()
    retired = [word for word, exception in retired_words().items() if not exception or not in_folder(folder, exception)]
    return [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for line, name in identifiers(ast.parse(file.read_text()))
        if any(fnmatchcase(name.lstrip("_"), word) for word in retired)
    ]


def in_folder(folder: str, parent: str) -> bool:
    return f"{folder}/".startswith(f"{parent}/")


def unclear_docstrings(file: Path) -> list[str]:
    """List a file's docstrings that need another one to be understood."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, documented)]
    texts = [(getattr(node, "name", "module"), ast.get_docstring(node) or "") for node in nodes]
    return [f"{file.relative_to(ROOT)}: {name}" for name, text in texts if UNCLEAR.search(text)]


def test_glossary_lists_retired_words():
    words = retired_words()
    assert {"told", "asked", "hear", "read_off", "fit", "can_be", "lean", "of_*"} <= words.keys()
    assert all(not exception or (LIB / exception).is_dir() for exception in words.values())


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def told(asked, *, held): there = 1", ["told", "asked", "held", "there"]),
        ("class Quiet:\n    mine: int\n    def f(self): self._kept = [found for found in self]", None),
        ("x: Float[Tensor, 'batch told']", None),
        ("for of_e in e: pass", None),
    ],
    ids=["function", "class", "shape", "loop"],
)
def test_identifiers_are_read_from_every_definition(source, names):
    found = [name for _, name in identifiers(ast.parse(source))]
    expected = names or re.findall(r"\b(?:Quiet|mine|_kept|found(?= in)|told|of_e)\b", source)
    assert set(expected) <= set(found)


def test_nothing_is_named_by_a_retired_word():
    uses = [use for file in FILES for use in uses_of_retired_words(file)]
    assert not uses, "\n".join(uses)


def test_docstrings_stand_alone():
    unclear = [name for file in FILES for name in unclear_docstrings(file)]
    assert not unclear, "\n".join(unclear)
