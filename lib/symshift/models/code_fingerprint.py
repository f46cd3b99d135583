"""The fingerprint of a network's own code: a run of a network from elsewhere belongs to the code that trained it.

Networks of this library have none, for its tests hold them to what stored runs say. Of others, of a notebook or of
another package, a person may change the class and train again under the same name.
"""

import contextlib
import dis
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

CONSTANTS = (int, float, complex, str, bytes, tuple, frozenset, type(None))  # of modules and classes
CONTAINERS = (dict, list, set)
MAX_ENTRIES, MAX_LEVELS = 10_000, 20  # of a container that counts; one that holds itself has too many
LOADS = ("LOAD_GLOBAL", "LOAD_NAME")
LIBRARY, INSTALLED = "symshift", {"site-packages", "dist-packages"}


class OwnCode(NamedTuple):
    """What belongs to a network: its module or package, and the modules in the folder of its file."""

    package: str
    folder: Path | None

    def has(self, value: Any) -> bool:
        """Return whether a class, a function or a module belongs to the network."""
        package = _package(value)
        in_folder = self.folder is not None and _folder(value) == self.folder and package != LIBRARY
        return package == self.package or in_folder


def code_fingerprint(network: type) -> str:
    """Return 12 hex digits of a network's code; empty for a network of this library.

    It covers the class, its bases and its `Config`, and the functions, classes and constants that their methods name or
    enclose, as far as these are of the same module or package, or of a module in the folder of the network's file.
    Dicts, lists and sets count with the constants, functions and classes in them; tensors, arrays and other objects do
    not. Comments, layout and docstrings do not change it, but docstrings of functions inside functions do, and another
    version of Python may.
    """
    if _package(network) == LIBRARY:
        return ""
    own = OwnCode(_package(network), _folder(network))
    parts: set[str] = set()
    waiting: list[Any] = [network]
    while waiting:
        for part, named in _parts(waiting.pop(), own):
            if part not in parts:
                parts.add(part)
                waiting += named
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    text = "\n".join([version, *sorted(parts)])
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def _package(value: Any) -> str:
    """Return the package that a class, a function or a module is of; `__main__` of a notebook."""
    return _module(value).partition(".")[0]


def _module(value: Any) -> str:
    return str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", ""))


def _folder(value: Any) -> Path | None:
    """Return the folder with the file of a class, a function or a module; None where that is installed, or no file."""
    file = getattr(sys.modules.get(_module(value)), "__file__", None)
    return _folder_of_file(file) if file else None


@lru_cache(maxsize=4096)
def _folder_of_file(file: str) -> Path | None:
    folder = Path(file).resolve().parent
    is_installed = INSTALLED & {*folder.parts} or folder == Path(sysconfig.get_path("stdlib")).resolve()
    return None if is_installed else folder


def _parts(value: Any, own: OwnCode) -> Iterator[tuple[str, list[Any]]]:
    """Yield the text of each part of a class or a function of a package, with the values that the part names."""
    if not own.has(value):
        return
    if isinstance(value, FunctionType):
        yield f"{value.__module__}.{value.__qualname__} {_text(value, own)}", _named(value, own)
    elif isinstance(value, type):
        where = f"{value.__module__}.{value.__qualname__}"
        yield where, [*value.__bases__, *(entry for entry in vars(value).values() if isinstance(entry, type))]
        for name, entry in vars(value).items():
            if function := _function(entry):
                yield f"{where}.{name} {_text(function, own)}", _named(function, own)
            elif _is_constant(entry) and not name.startswith("__"):
                yield f"{where}.{name} {_constant(entry)}", [*_members(entry)]


def _function(entry: Any) -> FunctionType | None:
    """Return the function of an entry of a class: a method, or that behind a property or a decorator."""
    if isinstance(entry, property):
        entry = entry.fget
    elif isinstance(entry, cached_property):
        entry = entry.func
    function = inspect.unwrap(getattr(entry, "__func__", entry))
    return function if isinstance(function, FunctionType) else None


def _text(function: FunctionType, own: OwnCode) -> str:
    """Return what a function does as text, with the constants that it names of modules, or encloses."""
    constants = {name: value for name, value in _globals(function, own).items() if _is_constant(value)}
    named = [f"{name}={_constant(constants[name])}" for name in sorted(constants)]
    defaults = [_constant(function.__defaults__), *map(_constant, (function.__kwdefaults__ or {}).items())]
    enclosed = [f"{name}={_constant(value)}" for name, value in _enclosed(function).items() if _is_enclosed(value)]
    text = f"{_instructions(function.__code__, function.__doc__)} {named} {defaults}"
    return f"{text} {enclosed}" if enclosed else text


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
    if isinstance(value, CONTAINERS) and (text := _contents(value)):
        return text
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _contents(container: Any) -> str:
    """Return what counts in a container as text, the entries of dicts and sets in order; empty where nothing does."""
    if not _is_small(container):
        return ""
    if isinstance(container, dict):
        texts = sorted(f"{_constant(key)}: {_constant(value)}" for key, value in container.items() if _counts(value))
    else:
        texts = [_constant(value) for value in container if _counts(value)]
    texts = sorted(texts) if isinstance(container, set) else texts
    return f"{type(container).__qualname__}({', '.join(texts)})" if texts else ""


def _is_small(container: Any) -> bool:
    """Return whether a container has few enough entries, and levels of containers in it, to be read."""
    waiting, entries = [(container, 1)], 0
    while waiting:
        value, level = waiting.pop()
        entries += len(value)
        if entries > MAX_ENTRIES or level > MAX_LEVELS:
            return False
        waiting += [(entry, level + 1) for entry in _entries(value) if isinstance(entry, (*CONTAINERS, tuple))]
    return True


def _entries(container: Any) -> list[Any]:
    return list(container.values() if isinstance(container, dict) else container)


def _counts(value: Any) -> bool:
    """Return whether an entry of a container counts: not a tensor, which a method may keep there as it runs."""
    if isinstance(value, tuple | frozenset):
        return all(map(_counts, value))
    return isinstance(value, (*CONSTANTS, *CONTAINERS)) or isinstance(getattr(value, "__qualname__", None), str)


def _is_constant(value: Any) -> bool:
    """Return whether a value of a module or a class counts by what it is."""
    return isinstance(value, CONSTANTS) or (
        isinstance(value, CONTAINERS) and _is_small(value) and any(map(_counts, _entries(value)))
    )


def _is_enclosed(value: Any) -> bool:
    """Return whether a value around a function counts by what it is: a class does by its parts, as a dataclass has."""
    return _is_constant(value) or (_counts(value) and not isinstance(value, (*CONTAINERS, type)))


def _members(value: Any) -> Iterator[Any]:
    """Yield a value that is a function or a class, or those that a container holds."""
    if isinstance(value, type | FunctionType):
        yield value
    elif isinstance(value, (*CONTAINERS, tuple, frozenset)) and _is_small(value):
        for entry in _entries(value):
            yield from _members(entry)


def _named(function: FunctionType, own: OwnCode) -> list[Any]:
    """Return the functions and classes that a function names, encloses or has as defaults, also those in containers."""
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    values = [*_globals(function, own).values(), *_enclosed(function).values(), *defaults]
    return [member for value in values for member in _members(value)]


def _enclosed(function: FunctionType) -> dict[str, Any]:
    """Return the values of the functions around a function that it names; not `__class__`, nor a dataclass's own."""
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # of a cell that is not set yet
            values[name] = cell.cell_contents
    return {name: value for name, value in values.items() if not name.startswith("__")}


def _globals(function: FunctionType, own: OwnCode) -> dict[str, Any]:
    """Return the values of a function's module that it names, and those of own modules that it names attributes of.

    Containers are only those that it loads: a notebook may have a list of the name of an attribute.
    """
    names, scope = sorted(_names(function.__code__)), function.__globals__
    values = {name: scope[name] for name in names if name in scope}
    if containers := {name for name, value in values.items() if isinstance(value, CONTAINERS)}:
        for name in containers - _loaded(function.__code__):
            del values[name]
    modules = [value for value in values.values() if isinstance(value, ModuleType) and own.has(value)]
    inside = {
        f"{module.__name__}.{name}": vars(module)[name]
        for module in modules
        for name in names
        if name in vars(module) and not name.startswith("__")
    }
    return values | inside


def _loaded(code: CodeType) -> set[str]:
    """Return the names of a module that compiled code loads."""
    instructions = (each for part in _nested(code) for each in dis.get_instructions(part))
    return {each.argval for each in instructions if each.opname in LOADS}


def _names(code: CodeType) -> set[str]:
    """Return the names that compiled code looks up."""
    return {name for part in _nested(code) for name in part.co_names}


def _nested(code: CodeType) -> Iterator[CodeType]:
    """Yield compiled code, and that of the functions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _nested(value)
