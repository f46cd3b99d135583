"""A notebook's cells run in this process, because a kernel costs more to start than they do."""

import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from symshift.errors import InputError

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def opened(
    name: str,
    cells: int | None,
    monkeypatch: pytest.MonkeyPatch,
    changes: Mapping[str, str] | None = None,
    **parameters: object,
) -> ModuleType:
    """The notebook after so many of its code cells (None: all), papermill's own, with these parameters, among them.

    `changes` are texts of its code with what stands in their place.
    """
    injected = parameterize_notebook(load_notebook_node(str(NOTEBOOKS / f"{name}.ipynb")), parameters)
    module = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", module)
    module.In = [cell.source for cell in injected.cells if cell.cell_type == "code"][:cells]
    for old, new in (changes or {}).items():
        assert any(old in cell for cell in module.In), old
        module.In = [cell.replace(old, new) for cell in module.In]
    for cell in module.In:
        exec(cell, module.__dict__)
    return module


@contextlib.contextmanager
def refused(said: str) -> Iterator[None]:
    """A mistake that is told in one line, which begins so."""
    with pytest.raises(InputError) as caught:
        yield
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
