"""What every test stands on: checked annotations, one thread each, and a store that nobody else sees."""

import inspect
import os
import tempfile
from collections.abc import Callable
from typing import Any

import beartype
import jaxtyping
import torch

STORE = tempfile.TemporaryDirectory(prefix="symshift-")

# for this process and for the kernels that tests start
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["SYMSHIFT_OUTPUTS"] = STORE.name
torch.set_num_threads(1)

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
