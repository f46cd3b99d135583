"""Tasks of one's own in any process: the environment variable SYMSHIFT_TASKS names a Python file that registers them.

A task that a notebook registers is known there alone. A command, a sweep's processes and the next session run the file
of this variable when they meet a task that is not bAbI's, so that they know it too.
"""

import importlib.util
import os
from functools import lru_cache
from pathlib import Path

from symshift.data.babi.generator.story_builder import TASKS, Task
from symshift.errors import InputError
from symshift.paths import user_path

ENVIRONMENT = "SYMSHIFT_TASKS"


def find_task(number: int) -> Task | None:
    """Return the generator of a task, registered here or by the file of SYMSHIFT_TASKS; None where there is none.

    Raises:
        InputError: The file cannot be run.
    """
    if number not in TASKS and (file := os.environ.get(ENVIRONMENT)):
        _run(user_path(file))
    return TASKS.get(number)


@lru_cache
def _run(path: Path) -> None:
    specification = importlib.util.spec_from_file_location("symshift_own_tasks", path)
    if specification is None or specification.loader is None or not path.is_file():
        raise InputError(f"{ENVIRONMENT} {str(path)!r} is no Python file; name the one that registers your tasks")
    try:
        specification.loader.exec_module(importlib.util.module_from_spec(specification))
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"{ENVIRONMENT} {str(path)!r} fails ({type(error).__name__}: {error})") from None
