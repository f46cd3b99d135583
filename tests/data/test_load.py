"""`load`: splits, sources, and the one line for every wrong parameter."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from symshift.data import World, by_story, fingerprint, load, tokenize, write
from symshift.data.babi.official import find_official
from symshift.errors import InputError

official = pytest.mark.skipif(not find_official(), reason="needs the official tasks")


@official
@pytest.mark.parametrize(("split", "expected"), [("train", 1000), ("test", 1000), ("fit", 900), ("valid", 100)])
def test_official_splits(split: str, expected: int) -> None:
    asked = load(1, split=split)
    assert len(asked) == expected
    assert {(question.task, question.source) for question in asked} == {(1, "official")}


@official
def test_fit_and_valid_split_the_training_stories() -> None:
    stories = [story for split in ("fit", "valid") for story in by_story(load(18, split=split))]
    train = by_story(load(18))
    assert sorted(map(repr, stories)) == sorted(map(repr, train))


@official
def test_official_1k_begins_10k() -> None:
    assert load(2, 10_000)[:1000] == load(2)


@pytest.mark.parametrize("task", [1, 4, 17, 18, 20])
def test_generated_splits(task: int) -> None:
    train = load(task, 300, source="generated")
    fit, valid = (load(task, 300, split, source="generated") for split in ("fit", "valid"))
    test = load(task, 300, "test", source="generated")
    assert len(train) == 300
    assert len(test) == 1000
    assert sorted(map(repr, fit + valid)) == sorted(map(repr, train))
    assert len(by_story(valid)) == len(by_story(train)) // 10
    assert not {story[-1].story for story in by_story(train)} & {story[-1].story for story in by_story(test)}


@official
@pytest.mark.parametrize(("few", "file"), [(50, 1000), (999, 1000), (1001, 10_000)])
def test_official_smaller_set_begins_a_file(few: int, file: int) -> None:
    assert load(17, few, source="official") == load(17, file, source="official")[:few]
    assert load(17, few, "test", "official") == load(17, 1000, "test", "official")


def test_generated_smaller_set_begins_larger() -> None:
    assert load(1, 300, source="generated") == load(1, 500, source="generated")[:300]


def test_seeds_give_other_stories() -> None:
    first, second = (fingerprint(load(1, 50, source="generated", seed=seed)) for seed in (0, 1))
    assert first != second
    assert first == fingerprint(load(1, 50, source="generated", seed=0))


def test_load_ends_in_a_tiny_world() -> None:
    world = World(people=("Ann",), places=("attic", "cellar", "roof"))
    assert len(load(4, 100, source="generated", world=world)) == 100


def test_world_of_ones_own_is_generated() -> None:
    assert {asked.source for asked in load(1, 10, world=World(people=("Ann", "Bob")))} == {"generated"}


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"task": 0}, "task 0: "),
        ({"task": 21}, "task 21: "),
        ({"task": True}, "task True: "),
        ({"task": 21, "source": "generated"}, "task 21: no generator; one of 1, 2, "),
        ({"task": 21, "source": "auto"}, "task 21: no generator; one of 1, 2, "),
        ({"examples": 10_001, "source": "official"}, "examples 10001: at most 10000 "),
        ({"examples": 500, "split": "fit"}, "split 'fit' with examples 500: 1000 or 10000 "),
        ({"examples": 0, "source": "generated"}, "examples 0: a whole number above 0"),
        ({"split": "dev"}, "split 'dev': one of train, test, fit, valid"),
        ({"source": "oficial"}, "source 'oficial': one of auto, official, generated"),
    ],
)
def test_load_refuses_wrong_parameters(wrong: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError) as error:
        load(**({"task": 1, "source": "official"} | wrong))
    assert str(error.value).startswith(fault)
    assert "\n" not in str(error.value)


def test_whole_numbers_of_numpy_are_whole_numbers(tmp_path: Path) -> None:
    """In a process of its own: here the check of types refuses them before `load` does."""
    write(load(1, 3, source="generated"), tmp_path / "own.txt")
    script = (
        "import sys, numpy, symshift.data as data\n"
        "one, three = map(numpy.int64, (1, 3))\n"
        "calls = data.load(one, three, source='generated'), data.generate(one, three), data.read(sys.argv[1], one)\n"
        "print([(len(questions), type(questions[0].task)) for questions in calls] == 3 * [(3, int)])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "own.txt")]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "True\n"


def test_tokenize_examples() -> None:
    assert tokenize("Sasha went to the guest-room.") == ("sasha", "went", "to", "the", "guest-room")
    assert tokenize("Where is Mary's box? ") == ("where", "is", "mary's", "box")
    assert tokenize("x_1 = v_7.") == ("x_1", "v_7")
    assert tokenize("...") == ()


def test_fingerprint_sees_every_field() -> None:
    asked = load(1, 3, source="generated")
    assert fingerprint(asked) != fingerprint(asked[::-1]) != fingerprint(asked[:2])
    other = {"story": (), "question": "Who?", "answer": "nobody", "supporting": (9,), "task": 2}
    changed = [fingerprint([replace(asked[0], **{name: value}), *asked[1:]]) for name, value in other.items()]
    assert len({fingerprint(asked), *changed}) == 1 + len(other)


def test_variants_are_of_official_stories():
    with pytest.raises(InputError, match=r"^variant 'hn': only official stories have it"):
        load(1, source="generated", variant="hn")
