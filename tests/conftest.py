"""What every test stands on: checked annotations, one thread each, and a store that nobody else sees."""

import dataclasses
import functools
import gc
import importlib
import inspect
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import beartype
import jaxtyping
import pytest
import torch

gc.disable()  # until all tests are collected: they stay to the end
for package in ("IPython", "ipywidgets", "matplotlib.pyplot", "nbconvert", "nltk", "pandas", "scipy.stats", "seaborn"):
    importlib.import_module(package)  # what jaxtyping imports from within lib is compiled, not taken from its cache

# files that take longest, longest first: two workers that begin with them end together
SLOWEST = (
    "tests/notebooks/test_train.py",
    "notebooks/04",
    "notebooks/07",
    "notebooks/03",
    "notebooks/02",
    "notebooks/05",
    "notebooks/06",
    "notebooks/08",
    "tests/test_repository.py",
    "tests/browser",
    "tests/sweeps",
    "tests/training",
    "tests/models",
    "notebooks/",
    "tests/ops",
    "tests/runs",
    "tests/results",
)
STORE = tempfile.TemporaryDirectory(prefix="symshift-")
Path(STORE.name, "published").symlink_to(Path(__file__).parents[1] / "outputs" / "published")  # notebooks show them

# for this process and for the kernels that tests start
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["SYMSHIFT_OUTPUTS"] = STORE.name
torch.set_num_threads(1)


def pytest_collection_finish() -> None:
    """Take what imports and collection have made, which stays to the end, from what each garbage collection visits."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order files by how long they take; the tests of a file stay together and in order."""
    ranks = {item.nodeid: [part in item.nodeid for part in SLOWEST] for item in items}
    items.sort(key=lambda item: ranks[item.nodeid].index(True) if any(ranks[item.nodeid]) else len(SLOWEST))


check_shapes = jaxtyping.jaxtyped
called: set[str] = set()  # functions checked in the test at hand, by name: a training calls each thousands of times
defined: set[str] = set()  # functions within a function, by name: their check costs more than the call


def check(typechecker: Callable) -> Callable[[Any], Any]:
    """Check annotations of a class or function; shapes, which cost a hundred times more, if it has any.

    A function is checked in its first call of each test, and so are the fields of a dataclass; a function within a
    function where it is first defined. Stands in for the decorator that `--jaxtyping-packages` puts on everything in
    symshift.
    """

    def decorate(function: Any) -> Any:
        if inspect.isclass(function):
            if dataclasses.is_dataclass(function) and "__init__" in vars(function):
                function.__init__ = decorate(function.__init__)
            return function
        name = f"{function.__module__}.{function.__qualname__}"
        if "<locals>" in name:
            if name in defined:
                return function
            defined.add(name)
        annotations = function.__annotations__.values()
        if any("jaxtyping." in repr(a) or isinstance(a, str) for a in annotations):
            checked = check_shapes(typechecker=typechecker)(function)
        else:
            checked = beartype.beartype(function)
        return checked if checked is function else in_first_call(checked, function, name)

    return decorate


def in_first_call(checked: Callable, function: Callable, name: str) -> Callable:
    """Return a function that is checked in its first call of each test."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if name in called:
            return function(*arguments, **named)
        called.add(name)
        return checked(*arguments, **named)

    return call


def pytest_runtest_setup() -> None:
    """Check annotations anew in each test."""
    called.clear()


jaxtyping.jaxtyped = check
