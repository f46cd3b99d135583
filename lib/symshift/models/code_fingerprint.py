"""The fingerprint of a network's own code: a run of a network from elsewhere belongs to the code that trained it.

Networks of this library have none, for its tests hold them to what stored runs say. Of others, of a notebook or of
another package, a person may change the class and train again under the same name.
"""

import hashlib
import inspect
import sys
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any

CONSTANTS = (int, float, complex, str, bytes, tuple, frozenset, type(None))  # of modules and classes
LIBRARY = "symshift"


def code_fingerprint(network: type) -> str:
    """Return 12 hex digits of a network's code; empty for a network of this library.

    It covers the class, its bases and its `Config`, and the functions, classes and constants that their methods name,
    as far as these are of the same module or package. Comments, layout and docstrings do not change it, another version
    of Python may.
    """
    package = _package(network)
    if package == LIBRARY:
        return ""
    parts: set[str] = set()
    waiting: list[Any] = [network]
    while waiting:
        for part, named in _parts(waiting.pop(), package):
            if part not in parts:
                parts.add(part)
                waiting += named
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    text = "\n".join([version, *sorted(parts)])
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def _package(value: Any) -> str:
    """Return the package that a class, a function or a module is of; `__main__` of a notebook."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return str(module).partition(".")[0]


def _parts(value: Any, package: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the text of each part of a class or a function of a package, with the values that the part names."""
    if _package(value) != package:
        return
    if isinstance(value, FunctionType):
        yield f"{value.__module__}.{value.__qualname__} {_text(value)}", _named(value)
    elif isinstance(value, type):
        where = f"{value.__module__}.{value.__qualname__}"
        yield where, [*value.__bases__, *(entry for entry in vars(value).values() if isinstance(entry, type))]
        for name, entry in vars(value).items():
            if function := _function(entry):
                yield f"{where}.{name} {_text(function)}", _named(function)
            elif isinstance(entry, CONSTANTS) and not name.startswith("__"):
                yield f"{where}.{name} {_constant(entry)}", []


def _function(entry: Any) -> FunctionType | None:
    """Return the function of an entry of a class: a method, or that behind a property or a decorator."""
    if isinstance(entry, property):
        entry = entry.fget
    elif isinstance(entry, cached_property):
        entry = entry.func
    function = inspect.unwrap(getattr(entry, "__func__", entry))
    return function if isinstance(function, FunctionType) else None


def _text(function: FunctionType) -> str:
    """Return what a function does as text, with the constants of its module that it names."""
    constants = {name: value for name, value in _globals(function).items() if isinstance(value, CONSTANTS)}
    named = [f"{name}={_constant(constants[name])}" for name in sorted(constants)]
    defaults = [_constant(function.__defaults__), *map(_constant, (function.__kwdefaults__ or {}).items())]
    return f"{_instructions(function.__code__, function.__doc__)} {named} {defaults}"


def _instructions(code: CodeType, doc: str | None = None) -> str:
    """Return instructions, names and constants of compiled code but its docstring."""
    constants = [
        _instructions(value) if isinstance(value, CodeType) else _constant(value)
        for value in code.co_consts
        if value is not doc
    ]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {constants}"


def _constant(value: Any) -> str:
    """Return a constant as text that is equal in each process: sets in order, objects by their names alone."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_constant, value)))}}}"
    if isinstance(value, CONSTANTS):
        return repr(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _named(function: FunctionType) -> list[Any]:
    """Return the functions and classes that a function names, also as attributes of modules of its package."""
    values = _globals(function)
    names = sorted(set(_names(function.__code__)))
    modules = [value for value in values.values() if isinstance(value, ModuleType)]
    own = [vars(module) for module in modules if _package(module) == _package(function)]
    inside = [members[name] for members in own for name in names if name in members]
    return [value for value in (*values.values(), *inside) if isinstance(value, type | FunctionType)]


def _globals(function: FunctionType) -> dict[str, Any]:
    """Return the values of a function's module that it names."""
    return {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that compiled code looks up, those of the functions inside it too."""
    yield from code.co_names
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _names(value)
