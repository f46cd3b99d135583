"""07_temporal_attention checks everything before it trains, and its paper scale is what it takes."""

from pathlib import Path
from types import ModuleType

import pytest
import yaml

from symshift.config import configure
from tests.helpers.opened import opened, refused

ROOT = Path(__file__).parents[2]
SCALE = ROOT / "params" / "notebooks" / "07_temporal_attention.yaml"
SMALL = {"source": "generated", "examples": 20}


def start(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after its imports, its parameters, these in their place, and its config."""
    return opened("07_temporal_attention", 4, monkeypatch, **parameters)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"task": 1}, "parameter 'task' is unknown to this notebook; did you mean 'tasks'?"),
        ({"tasks": [21]}, "task is 21, but bAbI's tasks are 1 to 20"),
        ({"slots": "many"}, "slots is 'many'; it wants a whole number"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0; it must be finite and not negative"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_is_one_line_before_anything_is_trained(
    parameters: dict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused(said):
        start(monkeypatch, **SMALL | parameters)


def test_the_scale_of_the_paper_is_each_preset_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = yaml.safe_load(SCALE.read_text())
    module = start(monkeypatch, **scale | SMALL | {"tasks": [1]})
    assert scale["tasks"] == list(range(1, 21))
    assert scale.keys() <= module.session.overrides.keys() | {"seeds"}
    for config in module.configs:
        preset = configure({"model": config.model})
        assert (config.training, config.network_config) == (preset.training, preset.network_config)
