"""The stories of a run are loaded again from its record, or it is said how a person names them."""

from dataclasses import replace

import pytest

from symshift.data import combinations, generate, load, splits
from symshift.errors import InputError
from symshift.training.combination_splits import load_split, split_of_stories
from symshift.training.data import Data
from symshift.training.recorded_stories import load_recorded_stories
from tests.helpers.small import config


def record_of(data: Data) -> dict:
    """The part of a record that says what the stories are."""
    return {"config": data.describe(config("mn")).flat(), "provenance": {"stories": data.name or data.source}}


@pytest.mark.parametrize("split", ["room-answer", "person-task", "sys-babi"])
def test_stories_of_a_split_are_generated_again(split, monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 40)
    monkeypatch.setattr(splits, "TEST_QUESTIONS", 40)
    data = load_split(split, 20, "generated")
    assert load_recorded_stories(record_of(data)).key == data.checksum + f" split {split}"


def test_stories_of_a_task_are_loaded_again():
    data = Data(load(2, 50, "train", "generated"), load(2, 50, "test", "generated"))
    assert load_recorded_stories(record_of(data)).key == data.key


@pytest.mark.parametrize(
    ("source", "name", "called"),
    [("file", "", ""), ("file", "own.csv", " 'own.csv'")],
    ids=["no-name", "file"],
)
def test_stories_of_ones_own_are_to_be_named(source, name, called):
    questions = [replace(question, source=source) for question in generate(1, 20)]
    says = f"^the stories{called} are of one's own, and only their checksum is in the record; name their file or folder"
    with pytest.raises(InputError, match=says):
        load_recorded_stories(record_of(Data(questions, questions, name=name)))


@pytest.mark.parametrize("name", ["10 names", "split no-such"])
def test_stories_of_no_task_are_to_be_made_in_python(name):
    data = Data(generate(1, 20), generate(1, 20), name=name)
    says = f"^the stories '{name}' are no task's, and only their checksum is in the record; make them by symshift.trai"
    with pytest.raises(InputError, match=says):
        load_recorded_stories(record_of(data))


def test_name_of_stories_is_that_of_a_split():
    assert split_of_stories("split length") == "length"
    assert [split_of_stories(name) for name in ("length", "split by question", "")] == ["", "", ""]
