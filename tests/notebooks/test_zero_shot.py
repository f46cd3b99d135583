"""06_zero_shot checks everything before it trains, and its paper scale is what it takes."""

from pathlib import Path
from types import ModuleType

import pytest
import yaml

from symshift.config import configure
from tests.helpers.opened import opened, refused

ROOT = Path(__file__).parents[2]
SCALE = ROOT / "params" / "notebooks" / "06_zero_shot.yaml"
SMALL = {"source": "generated", "examples": 20, "each": 5}


def start(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after its imports, its parameters, these in their place, and its config."""
    return opened("06_zero_shot", 4, monkeypatch, **parameters)


def test_a_small_report_has_all_its_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    module = start(monkeypatch, names=[5, 9], variables=[3], together=[1, 6, 11], tasks=[1, 2], **SMALL)
    names = [
        [stories.name for stories in group]
        for group in (module.name_stories, module.variable_stories, [module.joint_stories])
    ]
    assert names == [["5 names", "9 names"], ["3 variables"], ["new people, tasks 1, 6, 11"]]
    assert [sorted(stories.unseen) for stories in module.task_stories] == [
        ["people", "room"],
        ["object", "people", "room"],
    ]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"model": "stpr"}, "parameter 'model' is unknown to this notebook; did you mean 'models'?"),
        ({"models": ["strp"]}, "model 'strp' is unknown; did you mean 'stpr'?"),
        ({"tasks": "[2, 5]"}, "tasks is '[2, 5]'; it wants a list of whole numbers"),
        ({"tasks": [21]}, "task is 21, but bAbI's tasks are 1 to 20"),
        ({"names": [0]}, "names has 0; numbers from 1 on are right"),
        ({"variables": [0]}, "variables has 0; numbers from 1 on are right"),
        ({"together": [1, 1]}, "together has 1 twice; each once is right"),
        ({"together": [1, 2]}, "tasks [1, 2]: some of 1, 6, 7"),
        ({"updates": "many"}, "updates is 'many'; it wants a whole number"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_is_one_line_before_anything_is_trained(
    parameters: dict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused(said):
        start(monkeypatch, **SMALL | parameters)


def test_the_scale_of_the_papers_is_what_the_notebook_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = yaml.safe_load(SCALE.read_text())
    module = start(monkeypatch, **scale | SMALL | {"names": [5], "variables": [3]})
    assert scale.keys() <= module.parameters.overrides.keys() | {"seeds"}
    assert [config.training for config in module.configs] == [
        configure({"model": model}).training for model in scale["models"]
    ]
