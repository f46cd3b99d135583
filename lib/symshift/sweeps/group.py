"""A group of a sweep: cells that differ in their seed alone and train as one ensemble."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from symshift.config import RunConfig, config_from_record
from symshift.data import load
from symshift.training.combination_splits import load_split
from symshift.training.data import Data
from symshift.training.loop import train
from symshift.training.own_stories import OwnStories, notes_of_config, own_stories, stories_name


@dataclass(frozen=True)
class Group:
    """The cells of one config on the same stories: its seeds, which train as one ensemble.

    Attributes:
        config: What is trained, and of the workbook's stories which.
        seeds: One for each cell.
        overrides: Those of a list, as output names them.
        stories: The absolute path of a file or folder of one's own, or None.
        split: A split of params/splits, or None.
    """

    config: RunConfig
    seeds: tuple[int, ...]
    overrides: str = ""
    stories: str | None = None
    split: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a process makes the group of again, which may not have the class of its config yet."""
        return _from_settings, (self.config.flat(), self.seeds, self.overrides, self.stories, self.split)

    def __str__(self) -> str:
        """Name the group as output does."""
        config, where = self.config, f"on {self.source}"
        if not self.stories:
            part = where if self.split else f"task {self.config.task}"
            where = f"{part}, {config.examples:,} {config.source}"
        return ", ".join(filter(None, [f"{config.model} {where}", self.overrides]))

    @property
    def source(self) -> str:
        """Where its stories come from, as tables name it."""
        if self.stories:
            return stories_name(self.stories)
        return f"split {self.split}" if self.split else self.config.source

    def read_stories(self) -> tuple[OwnStories, str]:
        """Read its stories and the key by which a run's id knows them; a task's are without tests on unseen names.

        Raises:
            InputError: They cannot be read, or the network needs supporting facts that they lack.
        """
        (data, notes), key = _read(self.stories, self.split, self.config.task, self.config.examples, self.config.source)
        own_notes = notes_of_config(self.config, data) if self.stories else []
        return OwnStories(data, notes + own_notes), key


def _from_settings(settings: dict[str, Any], *fields: Any) -> Group:
    """Make a group whose config has these settings, of a network that SYMSHIFT_NETWORKS may register."""
    return Group(config_from_record(settings), *fields)


def train_group(group: Group, outputs: str, device: str) -> None:
    """Train the cells of a group that the store in `outputs` lacks.

    Raises:
        InputError: The stories cannot be read, the network needs supporting facts that they lack, or `train` fails.
    """
    own = group.read_stories()[0].data if group.stories or group.split else None  # a task's are read by `train`
    train(group.config, list(group.seeds), outputs, device, own)


@cache
def _read(stories: str | None, split: str | None, task: int, examples: int, source: str) -> tuple[OwnStories, str]:
    if stories:
        chosen = own_stories(stories)
    elif split:
        chosen = OwnStories(load_split(split, examples, source), [])
    else:
        chosen = OwnStories(Data(load(task, examples, "train", source), load(task, examples, "test", source)), [])
    return chosen, chosen.data.key
