"""The one error for bad input: a single line that names what is wrong, where, and what would be right."""


class InputError(ValueError):
    """Bad input from a person: a file, a parameter, a value. Its message is one line, complete without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in a notebook: the line alone."""
        return [f"{type(self).__name__}: {self}"]
