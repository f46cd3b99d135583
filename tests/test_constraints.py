"""Settings are checked against the type and the interval beside their field."""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

from symshift.constraints import Count, Interval, Positive, Rate, Share, Signed, check_value, field_types, has_type
from symshift.errors import InputError, suggest

RIGHT = {
    "count": (Count, 1),
    "positive": (Positive, 1e-9),
    "signed": (Signed, -3.0),
    "share": (Share, 1),
    "rate": (Rate, 0.0),
    "bare": (int, 0),
    "option": (Literal["a", "b"], "b"),
    "whole-option": (Literal[1, 2], 2),
    "switch": (Literal[True, False], False),
}
WRONG = {
    "count": (Count, 0, "n is 0; it must be at least 1"),
    "negative-count": (Count, -1, "n is -1; it must be finite and not negative"),
    "positive": (Positive, 0.0, "n is 0.0; it must be above 0, or nothing is learnt"),
    "rate": (Rate, 1.0, "n is 1.0; it must be below 1"),
    "share": (Share, 1.5, "n is 1.5; it is a share, at most 1"),
    "signed-infinite": (Signed, -math.inf, "n is -inf; it must be finite"),
    "not-a-number": (float, math.nan, "n is nan; it must be finite and not negative"),
    "bool": (int, True, "n is True, a bool; it wants a whole number such as 3"),
    "option": (Literal["a", "b"], "c", "n is 'c'; choose from a, b"),
    "whole-option": (Literal[1, 2, 4], 3, "n is 3; choose from 1, 2, 4"),
    "bool-as-option": (Literal[1, 2], True, "n is True; choose from 1, 2"),
    "float-as-option": (Literal[1, 2], 2.0, "n is 2.0; choose from 1, 2"),
    "number-as-switch": (Literal[True, False], 1, "n is 1; choose from True, False"),
    "own-interval": (Annotated[int, Interval(at_least=3)], 2, "n is 2; it must be at least 3"),
}


@pytest.mark.parametrize(("kind", "value"), RIGHT.values(), ids=RIGHT)
def test_check_returns_what_is_allowed(kind, value):
    assert check_value("n", value, kind) == value


def test_check_makes_a_declared_float_of_an_int():
    """A whole number becomes a float where one is declared."""
    assert isinstance(check_value("n", 1, Share), float)
    assert isinstance(check_value("n", 1, Count), int)
    with pytest.raises(InputError, match="at most 1e"):
        check_value("n", 10**400, Count)
    with pytest.raises(InputError, match=r"; it is beyond 1.79769e\+308, the largest number$"):
        check_value("n", 10**400, Positive)


@pytest.mark.parametrize("kind", [Count, int, Literal[1, 3]], ids=["count", "bare", "option"])
def test_check_makes_a_plain_int_of_numpys(kind):
    assert type(check_value("n", np.int64(3), kind)) is int
    with pytest.raises(InputError, match=r"^n is np.True_"):
        check_value("n", np.True_, kind)


@pytest.mark.parametrize(("kind", "value", "says"), WRONG.values(), ids=WRONG)
def test_check_says_in_one_line_what_is_wrong(kind, value, says):
    with pytest.raises(InputError) as caught:
        check_value("n", value, kind)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("value", "kind", "right"),
    [([1, 2], list[int], True), ([1, True], list[int], False), ("12", list[str], False), (1, float, True)],
    ids=["list", "bool-in-list", "text", "whole-number"],
)
def test_has_type_looks_into_lists(value, kind, right):
    assert has_type(value, kind) is right


def test_field_types_are_those_of_fields_alone():
    @dataclass
    class Config:
        shared: ClassVar[int] = 3
        hops: Count = 1

    assert field_types(Config) == {"hops": Count}


def test_suggest_names_the_nearest_or_all():
    assert suggest("strp", ["stpr", "mn"]) == "did you mean 'stpr'?"
    assert suggest(3, ["stpr", "mn"], "it has") == "it has stpr, mn"
