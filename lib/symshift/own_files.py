"""Python files of a person: an environment variable names one, which registers tasks or networks in any process."""

import importlib.util
import os
import sys

from symshift.errors import InputError
from symshift.paths import relative_note, user_path


def run_file_of(variable: str, registers: str) -> None:
    """Run the Python file that an environment variable names, once in a process; nothing if it names none.

    Args:
        variable: The name of the variable.
        registers: What the file registers, as in `tasks`.

    Raises:
        InputError: There is no such Python file, it fails, or another module has its name.
    """
    if not (name := os.environ.get(variable)):
        return
    path, file = user_path(name).resolve(), f"{variable} {name!r}"
    known = sys.modules.get(path.stem)
    if getattr(known, "__file__", None) == str(path):
        return
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None or not path.is_file():
        raise InputError(f"{file} is no Python file; name the one that registers your {registers}{relative_note(name)}")
    if known:
        raise InputError(f"{file} has the name of another module, {path.stem}; rename the file")
    module = sys.modules[path.stem] = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[path.stem]
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file} fails ({type(error).__name__}: {error})") from None
