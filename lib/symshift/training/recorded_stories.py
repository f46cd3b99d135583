"""The stories of a finished run, loaded or generated again from what its record says of them."""

from collections.abc import Mapping
from typing import Any

from symshift.data import load
from symshift.data.babi.generator import own_tasks
from symshift.errors import InputError
from symshift.training.arguments import WORKBOOK_STORIES
from symshift.training.combination_splits import load_split_again, split_of_stories
from symshift.training.data import Data


def load_recorded_stories(record: Mapping[str, Any]) -> Data:
    """Load the stories of a task or of a split again.

    They may be others than the run's, if a generator, a file or the split has changed since: compare `Data.checksum`.

    Args:
        record: That of the run, as `Store.record` returns it.

    Raises:
        InputError: The run had stories of one's own, or its stories cannot be loaded here.
    """
    task, examples, source = (record["config"].get(name) for name in ("task", "examples", "source"))
    name = record["provenance"]["stories"]
    if split := split_of_stories(name):
        return load_split_again(split, examples, source)
    if name != source or source not in WORKBOOK_STORIES or task == 0:
        called = "" if name == source else f" {name!r}"
        whose, way = "of one's own", "name their file or folder by --stories FILE"
        if source in WORKBOOK_STORIES:  # a file could not have the tasks of such questions
            whose, way = "no task's", "make them by symshift.training.conditions; verify and audit take them in Python"
        raise InputError(f"the stories{called} are {whose}, and only their checksum is in the record; {way}")
    if own_tasks.find_task(task) is None:
        raise InputError(f"task {task} is unknown here; name the file that registers it in {own_tasks.TASKS_VARIABLE}")
    train, test = (load(task, examples, part, source) for part in ("train", "test"))
    return Data(train, test)
