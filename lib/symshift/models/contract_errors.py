"""What a method of a network raises, as one line that says which method, why, and where."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from symshift.errors import InputError
from symshift.models.base import Network

REASONS = {
    "Batching rule not implemented": "it cannot run for many models at once, as torch's nn.GRU and nn.LSTM cannot; "
    "write the loop over words with ops.functional.project, and draw its weights by models.layers.uniform_parameter or "
    "torch.randn(..., generator=generator), as models/lstm.py does",
    "random operation": "random numbers are from torch's global generator; take them from `rng`",
    ".item()": "the value of a tensor is read on the host; .item(), int() and float() cannot run for many models",
    "data pointer": "the value of a tensor is read on the host; .tolist() and .numpy() cannot run for many models",
    "control flow": "an `if` or `while` depends on the value of a tensor; torch.where does not",
    "dynamic shape": "a shape depends on the values of a tensor, as that of x[x > 0] does; torch.where keeps the shape",
    "inplace": "a tensor is changed in place; make a new one",
}  # by what torch says of it


@contextmanager
def translate_method_errors(name: str, network: type[Network], method: str, case: str = "") -> Iterator[None]:
    """Raise any error of a method as an `InputError` of one line that names the method and the line of its source.

    Args:
        name: The network's name in the registry.
        network: Its class.
        method: The method that is called.
        case: What is unfamiliar in the batch.

    Raises:
        InputError: The method has failed.
    """
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        text = (str(error).strip() or "no message").splitlines()[0]
        reason = next((reason for phrase, reason in REASONS.items() if phrase in str(error)), "")
        complaint = f": {reason}" if reason else f" raises {type(error).__name__}: {text}"
        if case:
            complaint = f" fails {case} ({type(error).__name__}: {text})"
        source = _source(error, getattr(network, method))
        raise InputError(f"network {name!r}: {network.__name__}.{method}{complaint}{source}") from error


def _source(error: BaseException, method: Callable[..., Any]) -> str:
    """Quote the deepest line of the method's file that was running."""
    file = method.__code__.co_filename if hasattr(method, "__code__") else ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if not frames:
        return ""
    return f" (in `{frames[-1].line}`)" if frames[-1].line else f" (in line {frames[-1].lineno})"


def network_title(name: str, model: Network) -> str:
    """Return how errors name a network and its class."""
    return f"network {name!r}: {type(model).__name__}"
