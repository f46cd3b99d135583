"""A notebook's parameters are read from what its cells declared, and a typo is refused in one line."""

import sys
from types import ModuleType

import pytest

from symshift.errors import InputError
from symshift.notebook import settings

PARAMETERS = 'model: str = "stpr"\nseeds: int = 2\ndropout: float = None\ndevice: str = "auto"\noutputs: str = None'


def after(injected: str = "") -> dict:
    """The namespace of a notebook that ran its parameters cell and papermill's."""
    cells = ["", "import symshift", PARAMETERS, *(["# Parameters\n" + injected] if injected else [])]
    module = sys.modules["a_notebook"] = ModuleType("a_notebook")
    for cell in cells:
        exec(cell, module.__dict__)
    return module.__dict__ | {"In": cells}


def test_settings_are_the_declared_names_as_they_stand():
    found = settings(after('model = "mn"\nseeds = 3\n'))
    assert found.overrides == {"model": "mn", "dropout": None}
    assert (found.seeds, found.device, found.outputs) == ([0, 1, 2], "auto", None)


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
    ],
)
def test_bad_parameters_are_refused_in_one_line(injected, said):
    with pytest.raises(InputError) as caught:
        settings(after(injected))
    assert str(caught.value) == said
