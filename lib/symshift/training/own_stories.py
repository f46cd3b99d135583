"""The stories of a run from a file or a folder of one's own: its splits, and in a line each what it lacks."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from symshift.config import RunConfig
from symshift.data import Question, by_story
from symshift.data.answer_items import count_lists, lists_names
from symshift.data.babi.generator import BABI_TASKS
from symshift.data.files import QUESTION_SUFFIXES, read_rows
from symshift.data.formats.row import Row
from symshift.errors import InputError, repeated
from symshift.models.registry import find_network
from symshift.models.temporal_attention import TeacherForcedPreHoc
from symshift.paths import user_path
from symshift.training.arguments import WORKBOOK_STORIES
from symshift.training.combination_splits import load_split
from symshift.training.data import Data
from symshift.training.own_tests import own_zero_shot

SPLITS = {"train": "train", "valid": "valid", "validation": "valid", "val": "valid", "dev": "valid", "test": "test"}
SPLIT_PREFIX = re.compile("train|valid|val(?![a-z])|dev|test")  # a file of a split; values.csv is none
WITHOUT_EFFECT = {"stories": ("task", "examples", "source"), "split": ("task",)}  # settings, on either of them
SHARED_STORIES = 0.1  # of the test; fewer begin alike by chance
TEST_SHARE = 0.2  # of the stories of a file without splits


class OwnStories(NamedTuple):
    """The stories of a run, and what a person should know of them, a line each."""

    data: Data
    notes: list[str]


def check_effect(sources: Mapping[str, str | None], chosen: Collection[str], prefix: str = "") -> None:
    """Refuse settings that stories of one's own, or those of a split, leave without effect.

    Args:
        sources: The values of `stories` and `split`.
        chosen: The names of the settings that a person has set.
        prefix: What stands before a name where it is set, as `--`.

    Raises:
        InputError: One of them has no effect.
    """
    for source, value in sources.items():
        for name in WITHOUT_EFFECT[source]:
            if value is not None and name in chosen:
                raise InputError(f"{prefix}{name} has no effect on {prefix}{source} {value}; leave one out")


def choose_stories(config: RunConfig, path: str | Path | None = None, split: str | None = None) -> OwnStories:
    """Return the stories of a run: those of a file, of a split of params/splits, or by default those of the config.

    Raises:
        InputError: Both are named, one of them cannot be read, or the network needs supporting facts that are missing.
    """
    if path and split:
        raise InputError("stories and split are both set; one of them is right")
    if not path:
        data = load_split(split, config.examples, config.source) if split else Data.load(config)
        own_task = not split and config.task not in BABI_TASKS
        return OwnStories(data, _repeated_notes(data, f"task {config.task}") if own_task else [])
    chosen = own_stories(path)
    return chosen._replace(notes=chosen.notes + notes_of_config(config, chosen.data))


def notes_of_config(config: RunConfig, data: Data) -> list[str]:
    """Return what a person should know of their stories as a config's network reads them, a line each.

    Raises:
        InputError: The network needs supporting facts that are missing.
    """
    teacher_forced = issubclass(find_network(config.network), TeacherForcedPreHoc)
    if teacher_forced and not any(question.supporting for question in data.train):
        raise InputError(f"{data.name}: has no supporting facts, from which {config.model} answers; add them")
    return _length_notes(data, data.describe(config).sentences)


def own_stories(path: str | Path) -> OwnStories:
    """Read the stories of a run.

    Args:
        path: A file whose rows have a split, or none: then a fifth of its stories is the test; or a folder with a file
            for each split, whose names begin with train, valid (validation, val, dev) or test.

    Raises:
        InputError: A file cannot be read, a split is unknown, or there is nothing to train or to test on.
    """
    stories = stories_of_rows(own_rows(path), stories_name(path))
    return stories._replace(notes=_other_files(user_path(path)) + stories.notes)


def stories_name(path: str | Path) -> str:
    """Return the name of a file or folder of stories, also of `.` and `..`; a link has its own."""
    return os.path.basename(os.path.abspath(user_path(path)))


def own_rows(path: str | Path) -> list[Row]:
    """Read the questions of `own_stories`, each with its split.

    Raises:
        InputError: A file cannot be read, or has the name of the workbook's stories.
    """
    file, name = user_path(path), stories_name(path)
    if name in WORKBOOK_STORIES:
        raise InputError(f"{name}: tables would show it as the workbook's own {name} stories; rename it")
    return _folder_rows(file) if file.is_dir() else read_rows(path)


def stories_of_rows(rows: Sequence[Row], name: str) -> OwnStories:
    """Return the stories that `own_stories` reads, from their rows and the name of their file or folder.

    Raises:
        InputError: A split is unknown, or there is nothing to train or to test on.
    """
    questions = [row.question for row in rows]
    notes = []
    if any(row.split for row in rows):
        parts = split_rows(rows, name)
    else:
        parts = _sample_test(questions, name)
        counts = f"{len(parts['test'])} of {len(rows)} questions"
        notes.append(f"{name} has no split: {counts}, those of a fifth of its stories, are the test.")
        if (shared := _count_shared_stories(parts)) > SHARED_STORIES * len(parts["test"]):
            together = "put the questions of a story one below the other, so that they stay on one side"
            notes.append(f"{name}: {shared} of these tell a part of a training story or continue one; {together}.")
    if missing := [part for part in ("train", "test") if not parts[part]]:
        raise InputError(f"{name}: has no questions of the split {missing[0]}; train and test are right")
    unseen, unseen_notes = own_zero_shot(parts["test"], [*parts["train"], *parts["valid"]], name)
    data = Data(parts["train"], parts["test"], unseen, name, parts["valid"])
    notes += _repeated_notes(data, name)
    return OwnStories(data, notes + unseen_notes + _content_notes(name, questions))


def _folder_rows(folder: Path) -> list[Row]:
    files = {file: _split_of(file) for file in sorted(folder.iterdir()) if file.is_file() and _split_of(file)}
    if not files:
        raise InputError(f"{folder}: has no file of stories whose name begins with train or test")
    if twice := repeated([file.stem for file in files]):
        names = " and ".join(file.name for file in files if file.stem == twice[0])
        raise InputError(f"{folder}: has {names}, which may be one file in two formats; leave one")
    return [row._replace(split=split) for file, split in files.items() for row in read_rows(file)]


def _split_of(file: Path) -> str:
    """Return the split that a file's name begins with; none: empty."""
    begin = SPLIT_PREFIX.match(file.name.lower())
    return SPLITS[begin[0]] if begin else ""


def _other_files(path: Path) -> list[str]:
    """Name the files of a folder that look like stories, of no split."""
    files = sorted(path.iterdir()) if path.is_dir() else []
    names = [file.name for file in files if file.suffix.lower() in (".txt", *QUESTION_SUFFIXES) and not _split_of(file)]
    left_out = f"{', '.join(names)[:200]}, whose names begin with none of train, valid and test, are left out"
    return [f"{stories_name(path)}: {left_out}."] if names else []


def split_rows(rows: Sequence[Row], name: str) -> dict[str, list[Question]]:
    """Return the questions of each split, as the rows name it.

    Raises:
        InputError: A split is unknown.
    """
    parts: dict[str, list[Question]] = {"train": [], "valid": [], "test": []}
    for row in rows:
        if row.split.lower() not in SPLITS:
            raise InputError(f"{name}, {row.where}: the split {row.split[:40]!r} is none of train, valid and test")
        parts[SPLITS[row.split.lower()]].append(row.question)
    return parts


def _sample_test(questions: Sequence[Question], name: str) -> dict[str, list[Question]]:
    """Take a fifth of the stories as the test, at random."""
    stories = by_story(questions)
    if len(stories) < 2:
        raise InputError(f"{name}: there is one story; at least two, one to learn from and one to test on, are right")
    count = max(1, round(TEST_SHARE * len(stories)))
    test = set(Random("test stories").sample(range(len(stories)), count))
    parts: dict[str, list[Question]] = {"train": [], "valid": [], "test": []}
    for number, story in enumerate(stories):
        parts["test" if number in test else "train"] += story
    return parts


def _length_notes(data: Data, sentences: int) -> list[str]:
    """Say how many stories are longer than what a network reads."""
    stories = {question.story for part in (data.train, data.valid, data.test) for question in part}
    longer = sum(len(story) > sentences for story in stories)
    text = f"{data.name}: {longer} of {len(stories)} stories are longer than {sentences} sentences, the last of which"
    return [f"{text} are read; the setting `sentences` changes that."] if longer else []


def _repeated_notes(data: Data, name: str) -> list[str]:
    """Say how many test questions training has too, with their stories."""
    training = {(question.story, question.question) for question in data.train}
    count = sum((question.story, question.question) in training for question in data.test)
    return [f"{name}: {count} of {len(data.test)} test questions are in training too."] if count else []


def _count_shared_stories(parts: Mapping[str, Sequence[Question]]) -> int:
    """Count the test questions whose story is the beginning of a training story, or the other way round."""
    splits: dict[tuple[str, ...], set[str]] = {}
    for split, questions in parts.items():
        for question in questions:
            splits.setdefault(question.story, set()).add(split)
    shared: set[tuple[str, ...]] = set()
    beginnings: list[tuple[str, ...]] = []  # of the story at hand, each of the next; in this order none is missed
    for story in sorted(splits):
        while beginnings and story[: len(beginnings[-1])] != beginnings[-1]:
            beginnings.pop()
        shared.update(
            test
            for beginning in beginnings
            for test, other in ((story, beginning), (beginning, story))
            if "test" in splits[test] and "train" in splits[other]
        )
        beginnings.append(story)
    return sum(question.story in shared for question in parts["test"])


def _content_notes(name: str, questions: Sequence[Question]) -> list[str]:
    """Say what the stories lack, and how their lists are answered."""
    notes = []
    if all(len(question.story) == 1 for question in questions):
        separated = "line breaks, or full stops with a space behind them, separate sentences"
        notes.append(f"{name}: every story has one sentence; {separated}.")
    if not any(question.supporting for question in questions):
        notes.append(f"{name} has no supporting facts: none are learnt and none are scored.")
    if several := count_lists(questions):
        unless = ", unless answers is items" if lists_names(questions) else ""
        alone = f"each list is one answer, from training alone{unless}"
        notes.append(f"{name} has {several} answers of several words: {alone}.")
    return notes
