"""A notebook's cells run in this process, because a kernel costs more to start than they do."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def opened(name: str, cells: int | None, monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after so many of its code cells (None: all), papermill's own, with these parameters, among them."""
    injected = parameterize_notebook(load_notebook_node(str(NOTEBOOKS / f"{name}.ipynb")), parameters)
    module = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", module)
    module.In = [cell.source for cell in injected.cells if cell.cell_type == "code"][:cells]
    for cell in module.In:
        exec(cell, module.__dict__)
    return module
