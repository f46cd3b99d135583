"""11_performance refuses a mistake before it measures anything."""

from types import ModuleType

import pytest

from tests.helpers.opened import opened, refused


def start(monkeypatch: pytest.MonkeyPatch, **parameters: object) -> ModuleType:
    """The notebook after its imports, its parameters, these in their place, and its sizes."""
    return opened("11_performance", 4, monkeypatch, **parameters)


def test_one_direction_is_scanned_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    module = start(monkeypatch, sentences=[3, 4], symbols=[7], stacks=[1, 2])
    assert [(size.sentences, size.symbols) for size in module.by_length] == [(3, 19), (4, 19)]
    assert [(size.symbols, size.stack) for size in module.by_symbols] == [(7, 10)]
    assert [(size.stack, size.sentences) for size in module.by_stack] == [(1, 10), (2, 10)]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"model": "mn"}, "parameter 'model' is unknown to this notebook; did you mean 'models'?"),
        ({"models": ["strp"]}, "model 'strp' is unknown; did you mean 'stpr'?"),
        ({"sentences": [0]}, "sentences has 0; numbers from 1 on are right"),
        ({"stacks": "[1, 2]"}, "stacks is '[1, 2]'; it wants a list of whole numbers"),
        ({"seconds": "long"}, "seconds is 'long'; it wants a number"),
        ({"device": "tpu"}, "device 'tpu' is not on this machine"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line(parameters: dict, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(said):
        start(monkeypatch, **parameters)
