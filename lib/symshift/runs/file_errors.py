"""Errors of reading the files of runs, as one line that names the file and says what to do."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from symshift.errors import InputError
from symshift.runs.record import LaterVersionError


class Remedy(NamedTuple):
    """What wrote the files of a run, and what to do where one of them is damaged."""

    origin: str
    action: str


@contextmanager
def translate_file_errors(file: str, remedy: Remedy) -> Iterator[None]:
    """Raise any error of reading a file as an `InputError` of one line that names it.

    The libraries that read these files promise no type of error.

    Args:
        file: The file, as the line names it.
        remedy: What wrote the file, and what to do where it is damaged.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        yield
    except LaterVersionError as error:
        raise InputError(f"{file} {error}; get this version of symshift to read it") from error
    except PermissionError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from None
    except Exception as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = f" ({error})" if type(error) is ValueError else ""
        raise InputError(f"{file}{where} is not as {remedy.origin}{reason}; {remedy.action}") from None
