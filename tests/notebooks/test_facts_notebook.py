"""07_temporal_attention checks everything before it trains, and its paper scale is what it takes."""

import sys
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
import yaml
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from symshift.config import configure
from symshift.errors import InputError

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "07_temporal_attention.ipynb"
SCALE = ROOT / "params" / "notebooks" / "07_temporal_attention.yaml"
SMALL = {"source": "generated", "examples": 20}


def start(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after its imports, its parameters, these in their place, and its config."""
    injected = parameterize_notebook(load_notebook_node(str(NOTEBOOK)), parameters)
    cells = [cell.source for cell in injected.cells if cell.cell_type == "code"][:4]
    module = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", module)
    module.In = cells
    for cell in cells:
        exec(cell, module.__dict__)
    return module


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"task": 1}, "parameter 'task' is unknown to this notebook; did you mean 'tasks'?"),
        ({"tasks": [21]}, "task is 21, but bAbI's tasks are 1 to 20"),
        ({"slots": "many"}, "slots is 'many'; it wants a whole number"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0; it cannot be negative"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_is_one_line_before_anything_is_trained(
    parameters: dict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError) as caught:
        start(monkeypatch, **SMALL | parameters)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_the_scale_of_the_paper_is_each_preset_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = yaml.safe_load(SCALE.read_text())
    module = start(monkeypatch, **scale | SMALL | {"tasks": [1]})
    assert scale["tasks"] == list(range(1, 21)) and scale.keys() <= module.given.overrides.keys() | {"seeds"}
    for config in module.configs:
        preset = configure({"model": config.model})
        assert (config.protocol, config.sizes) == (preset.protocol, preset.sizes)


def test_a_notebook_tells_of_its_scale() -> None:
    text = " ".join(cell.source for cell in nbformat.read(NOTEBOOK, 4).cells if cell.cell_type == "markdown")
    assert f"-f {SCALE.relative_to(ROOT)}" in text
