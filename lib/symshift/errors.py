"""The one error for bad input: a single line that names what is wrong, where, and what would be right."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

LONGEST_MESSAGE = 900  # characters
T = TypeVar("T")


class InputError(ValueError):
    """Bad input from a person: a file, a parameter, a value. Its message is one line, complete without a traceback.

    Whatever a damaged file puts into a message, it stays one line of readable length: characters that end lines or
    steer a terminal are escaped, and the middle of a long one is left out.
    """

    def __init__(self, message: object = ""):
        """Keep the message as one line."""
        text = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(message))
        if len(text) > LONGEST_MESSAGE:
            text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
        super().__init__(text)

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in a notebook: the line alone."""
        return [f"{type(self).__name__}: {self}"]


@contextmanager
def errors_at(where: str) -> Iterator[None]:
    """Put `where` before the message of an `InputError` while the context is open.

    For the lines of a long file a `try` is faster: bAbI's own format would take half as long again.

    Args:
        where: A file, a line or what else is at fault.

    Raises:
        InputError: One was raised inside.
    """
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def suggest(name: object, known: Iterable[str], lead: str = "choose from") -> str:
    """The known name that a person may have meant, as *did you mean 'stpr'?*, or all of them behind `lead`."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{lead} {', '.join(names)}"


def repeated(values: Sequence[T]) -> list[T]:
    """Return the values that stand more than once, in their order."""
    return [value for value in values if values.count(value) > 1]


class InputWarning(UserWarning):
    """Input that is taken, with a doubt that a person should know of before training. Its message is one line."""
