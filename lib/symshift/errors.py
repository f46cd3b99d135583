"""The one error for bad input: a single line that names what is wrong, where, and what would be right."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Bad input from a person: a file, a parameter, a value. Its message is one line, complete without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in a notebook: the line alone."""
        return [f"{type(self).__name__}: {self}"]


def suggest(name: object, known: Iterable[str], lead: str = "choose from") -> str:
    """The known name that a person may have meant, as *did you mean 'stpr'?*, or all of them behind `lead`."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{lead} {', '.join(names)}"


class InputWarning(UserWarning):
    """Input that is taken, with a doubt that a person should know of before training. Its message is one line."""
