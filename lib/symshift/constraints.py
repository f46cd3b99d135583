"""Types of settings with the numbers they allow, and the one check of a value against its type.

A field of a config says beside its name what it may be:

    dropout: Rate  # of word vectors
    hops: Count

A bare `int` or `float` is a number that is not negative.
"""

import math
import sys
from dataclasses import fields
from functools import cache
from numbers import Integral
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from symshift.errors import InputError

LARGEST = sys.float_info.max
EXPECTED: dict[Any, str] = {
    str: "a word",
    int: "a whole number such as 3",
    float: "a number such as 0.001",
    list[int]: "a list of whole numbers, in papermill -y 'NAME: [1, 2]'",
    list[str]: "a list of words, in papermill -y 'NAME: [tpr, stpr]'",
    dict: "a mapping, in papermill -y 'NAME: {hops: 2, slots: 5}'",
}


class Interval(NamedTuple):
    """The finite numbers that a setting may be."""

    at_least: float = 0.0
    above: float = -math.inf
    below: float = math.inf
    at_most: float = math.inf

    def complaint(self, value: int | float) -> str:
        """What is wrong with a number; nothing where it is allowed."""
        signed = self.at_least < 0
        if not abs(value) < math.inf or (value < 0 and not signed):
            return "it must be finite" if signed else "it must be finite and not negative"
        if value < self.at_least:
            return f"it must be at least {self.at_least:g}"
        if value <= self.above:
            return f"it must be above {self.above:g}, or nothing is learnt"
        if value >= self.below:
            return f"it must be below {self.below:g}"
        if value > self.at_most:
            return f"it {'is a share,' if self.at_most == 1 else 'must be'} at most {self.at_most:g}"
        return f"it is beyond {LARGEST:g}, the largest number" if abs(value) > LARGEST else ""


Count = Annotated[int, Interval(at_least=1, at_most=10**9)]
Depth = Annotated[int, Interval(at_least=1, at_most=1000)]  # of layers, or of hops
Layers = Annotated[int, Interval(at_least=1, at_most=99)]  # each with sites of randomness of its own: `ops.rng.Site`
BatchSize = Annotated[int, Interval(at_least=1, at_most=10**6)]
Positive = Annotated[float, Interval(above=0.0)]
Signed = Annotated[float, Interval(at_least=-math.inf)]
Share = Annotated[float, Interval(at_most=1.0)]
Rate = Annotated[float, Interval(below=1.0)]


def is_setting(kind: Any) -> bool:
    """Whether a field of a config may have this type."""
    base = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return base in (str, int, float) or get_origin(base) is Literal


def has_type(value: object, kind: Any) -> bool:
    """Whether a value may stand where a type is declared: a whole number is a number too, a bool is none.

    What `Literal` names has a type too: of 1, True and 1.0 each stands for itself alone.
    """
    if get_origin(kind) is Annotated:
        return has_type(value, get_args(kind)[0])
    if get_origin(kind) is Literal:
        return any(_same_kind(value, option) and value == option for option in get_args(kind))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(has_type(entry, *get_args(kind)) for entry in value)
    return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)


def _same_kind(value: object, option: object) -> bool:
    return isinstance(value, type(option)) and isinstance(value, bool) == isinstance(option, bool)


def plain(value: Any) -> Any:
    """Return a whole number of any type, such as numpy's, as an int; all else as it is."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def check_value(name: str, value: Any, kind: Any) -> Any:
    """Return the value of a setting, a float where one is declared, and a whole number as an int.

    Raises:
        InputError: It is of another type, or beyond the numbers that its type allows.
    """
    base, interval = get_args(kind) if get_origin(kind) is Annotated else (kind, Interval())
    value = plain(value)
    if not has_type(value, base):
        if get_origin(base) is Literal:
            raise InputError(f"{name} is {value!r}; choose from {', '.join(map(str, get_args(base)))}")
        raise InputError(f"{name} is {value!r}, a {type(value).__name__}; it wants {EXPECTED[base]}")
    if base in (int, float) and (complaint := interval.complaint(value)):
        raise InputError(f"{name} is {value!r}; {complaint}")
    return float(value) if base is float else value


@cache
def field_types(config: type) -> dict[str, Any]:
    """The type of each field of a config, in their order."""
    hints = get_type_hints(config, include_extras=True)
    return {field.name: hints[field.name] for field in fields(config)}
