"""Tasks of one's own in any process: the environment variable SYMSHIFT_TASKS names a Python file that registers them.

A task that a notebook registers is known there alone. A command, a sweep's processes and the next session run the file
of this variable before they look for a task, so that they know it too.
"""

from symshift.data.babi.generator.story_builder import TASKS, Task
from symshift.own_files import run_file_of

TASKS_VARIABLE = "SYMSHIFT_TASKS"


def find_task(number: int) -> Task | None:
    """Return the generator of a task, registered here or by the file of SYMSHIFT_TASKS; None where there is none.

    Raises:
        InputError: The file cannot be run.
    """
    run_file_of(TASKS_VARIABLE, "tasks")
    return TASKS.get(number)
