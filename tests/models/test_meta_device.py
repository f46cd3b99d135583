"""Networks on torch's meta device, which knows shapes and devices but no values, as a GPU knows none of the host's."""

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from symshift.config import presets
from symshift.data.encoding import Batch
from symshift.ops.backend import select_backend
from symshift.training.ensemble import Ensemble
from tests.helpers.small import VOCABULARY, config

QUESTIONS, SENTENCES, WORDS, QUESTION_WORDS, SYMBOLS = 2, 3, 4, 3, 6
FIELDS = {
    "story": (SENTENCES, WORDS),
    "story_symbols": (SENTENCES, WORDS),
    "question": (QUESTION_WORDS,),
    "question_symbols": (QUESTION_WORDS,),
    "symbols": (SYMBOLS,),
    "answer": (),
    "supporting": (SENTENCES,),
}


class OnlyOn(TorchDispatchMode):
    """Refuses every operation that takes or makes a tensor of another device."""

    def __init__(self, device):
        super().__init__()
        self.device = torch.device(device)

    def __torch_dispatch__(self, call, types, arguments=(), options=None):
        made = call(*arguments, **(options or {}))
        tensors = [x for x in tree_leaves((arguments, options, made)) if isinstance(x, torch.Tensor)]
        assert {x.device for x in tensors} <= {self.device}, call
        return made


class NoListAsIndex(TorchFunctionMode):
    """Refuses lists as indices: they are copied from the host, which the capture of a CUDA graph does not allow."""

    def __torch_function__(self, call, types, arguments=(), options=None):
        if call in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
            index = arguments[1] if isinstance(arguments[1], tuple) else (arguments[1],)
            assert not any(isinstance(part, list) for part in index), index
        return call(*arguments, **(options or {}))


def meta_ensemble(preset: str, models: int) -> Ensemble:
    """A small ensemble without values."""
    ensemble = Ensemble.untrained(config(preset), VOCABULARY, range(models), "cpu")
    ensemble.template.to("meta")
    ensemble.weights = ensemble.weights.detach().to("meta").requires_grad_()
    return ensemble


def meta_batch(*model: int) -> Batch:
    """A batch without values."""
    fields = {
        name: torch.empty((*model, QUESTIONS, *shape), dtype=torch.int64, device="meta")
        for name, shape in FIELDS.items()
    }
    return Batch(**fields | {"supporting": fields["supporting"].bool()})


def test_meta_tensors_take_the_torch_form():
    """No kernel for the CPU takes a tensor of another device."""
    assert select_backend(torch.empty(1, device="meta")) == "torch"


@pytest.mark.parametrize("models", [1, 2], ids=["alone", "ensemble"])
@pytest.mark.parametrize("preset", presets())
def test_one_update_and_one_evaluation(preset, models):
    """Neither the gradient of an update nor an evaluation mixes devices or asks for a value."""
    ensemble = meta_ensemble(preset, models)
    keys, update = (torch.empty(shape, dtype=torch.int32, device="meta") for shape in ((models, 2), ()))
    batch = meta_batch(models)
    with OnlyOn("meta"), NoListAsIndex():
        losses, gradient = ensemble.gradient(keys, update, batch)
    assert losses.is_meta
    assert losses.shape == (models,)
    assert gradient.is_meta
    assert gradient.shape == ensemble.weights.shape
    words = len(VOCABULARY.words) + 1
    with OnlyOn("meta"), NoListAsIndex():
        losses, answers = ensemble.evaluate(ensemble.weights, meta_batch(), words)
    assert losses.is_meta
    assert answers.is_meta
    assert losses.shape == answers.shape == (models, QUESTIONS)
