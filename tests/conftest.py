"""What every test stands on: checked annotations, one thread each, and a store that nobody else sees."""

import inspect
import os
import tempfile
from collections.abc import Callable
from typing import Any

import beartype
import jaxtyping
import pytest
import torch

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

# for this process and for the kernels that tests start
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["SYMSHIFT_OUTPUTS"] = STORE.name
torch.set_num_threads(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order files by how long they take; the tests of a file stay together and in order."""
    ranks = {item.nodeid: [part in item.nodeid for part in SLOWEST] for item in items}
    items.sort(key=lambda item: ranks[item.nodeid].index(True) if any(ranks[item.nodeid]) else len(SLOWEST))


check_shapes = jaxtyping.jaxtyped


def check(typechecker: Callable) -> Callable[[Any], Any]:
    """Check annotations of a class or function at every call; shapes, which cost a hundred times more, if it has any.

    Stands in for the decorator that `--jaxtyping-packages` puts on everything in symshift.
    """

    def decorate(checked: Any) -> Any:
        annotations = getattr(checked, "__annotations__", {}).values()
        if inspect.isclass(checked) or any("jaxtyping." in repr(a) or isinstance(a, str) for a in annotations):
            return check_shapes(typechecker=typechecker)(checked)
        return beartype.beartype(checked)

    return decorate


jaxtyping.jaxtyped = check
