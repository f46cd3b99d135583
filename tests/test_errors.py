"""Bad input is one line of readable length, whatever a file puts into it."""

import pickle

import pytest

from symshift.errors import LONGEST_MESSAGE, InputError, errors_at


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("seeds is 0; at least 1", "seeds is 0; at least 1"),
        ("two\nlines\r", r"two\nlines\r"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("सीता is no name", "सीता is no name"),
        (KeyError(3), "3"),
    ],
)
def test_message_is_one_line_without_control_characters(message, line):
    assert str(InputError(message)) == line


def test_long_message_keeps_its_ends():
    error = InputError("begin " + "x" * 100_000 + " end")
    assert len(str(error)) < LONGEST_MESSAGE + 10
    assert str(error).startswith("begin x")
    assert str(error).endswith("x end")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_at_puts_where_before_the_message():
    with pytest.raises(InputError, match=r"^words\.txt, line 3: has no answer$"), errors_at("words.txt, line 3"):
        raise InputError("has no answer")
