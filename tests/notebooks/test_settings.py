"""A notebook's parameters are read from what its cells declared, and a typo is refused in one line."""

import sys
from types import ModuleType

import pytest

from symshift.errors import InputError
from symshift.notebook import Settings, settings

PARAMETERS = 'model: str = "stpr"\nseeds: int = 2\ndropout: float = None\ndevice: str = "auto"\noutputs: str = None'


def after(injected: str = "", parameters: str = PARAMETERS) -> dict:
    """The namespace of a notebook that ran its parameters cell and papermill's."""
    cells = ["", "import symshift", parameters, *(["# Parameters\n" + injected] if injected else [])]
    module = sys.modules["a_notebook"] = ModuleType("a_notebook")
    for cell in cells:
        exec(cell, module.__dict__)
    return module.__dict__ | {"In": cells}


def test_settings_are_the_declared_names_as_they_stand():
    found = settings(after('model = "mn"\nseeds = 3\n'))
    assert found.overrides == {"model": "mn", "dropout": None}
    assert (found.seeds, found.device, found.outputs) == ([0, 1, 2], "auto", None)


def test_a_notebook_declares_only_what_it_uses():
    found = settings(after("questions = 50\n", 'source: str = "auto"\nquestions: int = 1000'))
    assert found == Settings({"source": "auto", "questions": 50}, [], "auto", None)


def test_names_of_later_cells_are_nobodys_parameters():
    namespace = after() | {"total": 3}
    namespace["In"].append("total = 3")
    assert settings(namespace).seeds == [0, 1]


@pytest.mark.parametrize(
    ("injected", "said"),
    [
        ('modle = "mn"\n', "parameter 'modle' is unknown to this notebook; did you mean 'model'?"),
        ("zzz = 1\n", "parameter 'zzz' is unknown to this notebook; it has model, seeds, dropout, device, outputs"),
        ('seeds = "zero"\n', "seeds is 'zero'; it wants a whole number such as 3"),
        ("seeds = True\n", "seeds is True; it wants a whole number such as 3"),
        ("seeds = None\n", "seeds is None; it wants a whole number such as 3"),
        ("seeds = 0\n", "seeds is 0; at least 1 is needed to train anything"),
        ("device = 3\n", "device is 3; it wants auto, cpu or cuda"),
        ("outputs = 3\n", "outputs is 3; it wants a folder"),
        ("model = 3\n", "model is 3; it wants a word"),
        ('dropout = "high"\n', "dropout is 'high'; it wants a number such as 0.001"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(injected, said):
    with pytest.raises(InputError) as caught:
        settings(after(injected))
    assert str(caught.value) == said


def test_faulty_preset_of_ones_own_hides_no_settings(tmp_path, monkeypatch):
    (tmp_path / "broken.yaml").write_text("base: stpr\nmodel: broken\nnetwork: nowhere\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    parameters = PARAMETERS + "\noverrides: dict = {}"
    assert settings(after("hidden = 30\n", parameters)).overrides["hidden"] == 30


@pytest.mark.parametrize("tasks", ["'[2, 5]'", "2", "[2, 'five']", "[True]", "None"])
def test_a_list_is_one_of_its_type(tasks):
    parameters = "tasks: list[int] = [1]"
    assert settings(after("tasks = [2, 5]\n", parameters)).overrides == {"tasks": [2, 5]}
    with pytest.raises(InputError, match=r"tasks is .*; it wants a list of whole numbers"):
        settings(after(f"tasks = {tasks}\n", parameters))
    with pytest.raises(InputError, match=r"^tasks is an empty list; it wants at least one entry$"):
        settings(after("tasks = []\n", parameters))


@pytest.mark.parametrize(
    ("injected", "said"),
    [
        ("tasks = [2, 0]\n", "tasks has 0; numbers from 1 on are right"),
        ("tasks = [-1]\n", "tasks has -1; numbers from 1 on are right"),
        ("tasks = [1, 2, 1]\n", "tasks has 1 twice; each once is right"),
        ('models = ["mn", "mn"]\n', "models has 'mn' twice; each once is right"),
    ],
)
def test_each_entry_of_a_list_can_be_used(injected, said):
    parameters = 'tasks: list[int] = [1]\nmodels: list[str] = ["mn", "tpr"]'
    with pytest.raises(InputError) as caught:
        settings(after(injected, parameters))
    assert str(caught.value) == said
