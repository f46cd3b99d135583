"""The data conditions of the generalisation experiments, as what a run is trained and tested on."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import symshift
from symshift.data import load
from symshift.data.babi.official import find_official
from symshift.data.cbt.format import Cloze, write
from symshift.data.encoding import Vocabulary, encode
from symshift.data.haystack import BOOKS
from symshift.data.names import people
from symshift.data.new_people import TRAINED
from symshift.data.renaming import words_of
from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.store import Store
from symshift.training.conditions import (
    all_tasks,
    cloze,
    cloze_files,
    generated_for_official,
    more_names,
    more_symbols,
    new_people_in_some_tasks,
    official_part,
    split_by_question,
    world_model,
)
from symshift.training.data import Data

CANDIDATES = ("hen", "toad", "anna", "miller", "dog", "goose", "bertram", "mouse", "edgar", "owl")


@pytest.mark.parametrize("stories", [more_names(50, 100), more_symbols(5, 100)], ids=["names", "variables"])
def test_train_records_its_stories(stories: Data, tmp_path: Path) -> None:
    config = symshift.configure({"model": "tpr", "task": 20, "updates": 1, "evaluate_every": 1})
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu", stories)
    record = Store(tmp_path).record(run)
    assert (
        record["config"] | {"task": stories.train[0].task, "examples": 100, "source": "generated"} == record["config"]
    )
    assert record["provenance"]["stories"] == stories.name
    assert Store(tmp_path).runs().stories.tolist() == [stories.name]
    assert symshift.load(run, tmp_path).vocabulary == Vocabulary.of(stories.train, config.sentences)


def test_more_names_are_in_both_sides() -> None:
    stories = more_names(50, 100)
    names = {name.lower() for name in people(50).people}
    for questions in (stories.train, stories.test):
        assert all(names & words_of(asked) for asked in questions)


def test_run_id_depends_on_the_name_of_stories(tmp_path: Path) -> None:
    """The same stories under another name are other runs."""
    config = symshift.configure({"model": "tpr", "updates": 1, "evaluate_every": 1, "source": "generated"})
    plain = Data(load(1, 60, source="generated"), load(1, 60, "test", "generated"))
    named = replace(plain, name="with more tests", unseen={"more": plain.test})
    runs = [symshift.train(config, [0], str(tmp_path), "cpu", stories)[0] for stories in (plain, named)]
    assert [Store(tmp_path).record(run)["error"].get("more") is None for run in runs] == [True, False]


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
def test_generated_for_official_has_both_tests() -> None:
    """The official test stands beside the generated."""
    stories = generated_for_official(1, 50)
    assert {asked.source for asked in stories.train} == {asked.source for asked in stories.test} == {"generated"}
    assert [asked.source for asked in stories.unseen["official"]] == ["official"] * 1000
    assert generated_for_official(1, 50, seed=1).train == load(1, 50, source="generated", seed=1)


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
def test_official_part_0_is_the_1k_set() -> None:
    """Parts of the official stories begin with the 1k set."""
    parts = [official_part(6, part) for part in (0, 1)]
    own = Data.load(symshift.configure({"model": "tpr", "task": 6, "source": "official"}))
    assert parts[0].checksum == own.checksum != parts[1].checksum
    assert parts[0].key != own.key
    assert not {asked.story for asked in parts[0].train} & {asked.story for asked in parts[1].train}
    assert official_part(6, 3, 200).train == parts[0].train[600:800]


@pytest.mark.skipif(not find_official(), reason="needs the official tasks")
def test_split_by_question_shares_stories() -> None:
    """A split by question selects on stories that are learnt from."""
    stories = split_by_question(17)
    own = Data.load(symshift.configure({"model": "tpr", "task": 17, "source": "official"}))
    assert Counter((*stories.train, *stories.valid)) == Counter(own.train)
    assert list(stories.test) == list(own.test)
    assert (len(stories.train), len(stories.valid)) == (900, 100)
    assert {asked.story for asked in stories.valid} <= {asked.story for asked in stories.train}


def test_new_people_are_tested_in_all_tasks() -> None:
    """New people are tested where they were trained and where not."""
    stories = new_people_in_some_tasks(100, 10, (1, 6, 7), "generated")
    assert stories.describe(symshift.configure({"model": "tpr"})).task == 0
    sizes = {name: len(questions) for name, questions in stories.unseen.items()}
    assert sizes == {"Alex trained": 30, "Glenn trained": 30, "Jordan trained": 30} | {
        "Mike trained": 20, "Mike new": 10, "Logan trained": 10, "Logan new": 20,
    }  # fmt: skip
    assert list(TRAINED) == ["Alex", "Glenn", "Jordan", "Mike", "Logan"]
    assert {asked.task for asked in stories.train} == {1, 6, 7}


def test_all_tasks_tests_each_task(tmp_path: Path) -> None:
    """One network for several tasks is tested on each."""
    stories = all_tasks(50, (1, 15), "generated")
    assert stories.name == "tasks 1, 15 at once"
    assert {name: {asked.task for asked in test} for name, test in stories.unseen.items()} == {
        "task 1": {1},
        "task 15": {15},
    }
    assert stories.unseen["task 1"] == load(1, 50, "test", "generated")
    config = symshift.configure({"model": "tpr", "updates": 1, "evaluate_every": 1})
    (run,) = symshift.train(config, [0], str(tmp_path), "cpu", stories)
    errors = Store(tmp_path).record(run)["error"]
    assert errors["test"] == pytest.approx((errors["task 1"] + errors["task 15"]) / 2)


@pytest.mark.parametrize("tasks", [(), (1, 5)])
def test_new_people_refuses_other_tasks(tasks: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"tasks \[.*\]: some of 1, 6, 7, 8, 9, 11, 12, 13 would be right"):
        new_people_in_some_tasks(tasks=tasks, source="generated")


def test_world_model_lengths() -> None:
    """Walks are short in training and long in tests."""
    stories = world_model((4, 9, 20), 100)
    assert Counter(len(asked.story) for asked in stories.train) == {4: 34, 9: 33, 20: 33}
    assert stories.name == "walks, T=4, 9, 20"
    assert world_model((4, 5), 2).name == "walks, T=4 to 5"
    assert {len(asked.story) for asked in stories.test} == {20}
    assert stories.describe(symshift.configure({"model": "entnet"})).examples == 100
    lengths = {name: {len(asked.story) for asked in questions} for name, questions in stories.unseen.items()}
    assert lengths == {f"T={length}": {length} for length in range(10, 90, 10)}
    assert stories.unseen["T=20"] == stories.test


@pytest.mark.parametrize("wrong", [{"lengths": ()}, {"lengths": (10, 20), "examples": 1}, {"lengths": (10, 3)}])
def test_world_model_refuses_wrong_lengths(wrong: dict) -> None:
    """Walks need lengths and an example of each."""
    with pytest.raises(InputError, match=r"^length"):
        world_model(**wrong)


def _held(answer: str) -> Cloze:
    told = (f"{answer.title()} has a lamp .", *19 * ("The hen sat .",))
    return Cloze(told, "XXXXX has a lamp .", answer, (), 0, "file", CANDIDATES)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three small files in the form of the official questions: who holds the lamp is who has it in the story."""
    made = []
    for number, part in enumerate(("train", "valid", "test")):
        answers = [CANDIDATES[(place + number) % 10] for place in range(20)]
        made.append(tmp_path / f"cbtest_NE_{part}.txt")
        write(map(_held, answers), made[-1])
    return made


def test_cloze_files_are_trained_on(files: list[Path], tmp_path: Path) -> None:
    """Official cloze questions are read trained and recorded."""
    stories = cloze_files(*files)
    assert {asked.story[0] for asked in stories.train} == {" ".join(CANDIDATES)}
    config = symshift.configure({"model": "entnet-cloze", "updates": 20, "evaluate_every": 10, "learning_rate": 0.03})
    runs = symshift.train(config, [0, 1], str(tmp_path), "cpu", stories)
    records = [Store(tmp_path).record(run) for run in runs]
    assert [record["provenance"]["stories"] for record in records] == 2 * ["cbtest_NE_train"]
    assert [(record["config"]["source"], record["config"]["examples"]) for record in records] == 2 * [("file", 20)]
    assert all(record["error"]["test"] < 50 for record in records)


def test_valid_questions_are_selected_on(files: list[Path]) -> None:
    """Given questions are selected on and not learnt from."""
    stories = cloze_files(*files)
    questions = encode((*stories.train, *stories.valid), Vocabulary.of(stories.train, 70), 70)
    splits = stories.split(questions, [0, 1])
    assert splits.valid.tolist() == 2 * [20 * [False] + 20 * [True]]
    assert replace(stories, valid=stories.valid[1:]).checksum != stories.checksum


@pytest.mark.filterwarnings("ignore:unclosed file .*textblob:ResourceWarning")
@pytest.mark.skipif(not (ROOT.parent / "shared" / "data" / BOOKS).exists(), reason="needs the books")
def test_cloze_splits_by_book() -> None:
    stories = cloze("nouns", 60, 30)
    assert [len(part) for part in (stories.train, stories.valid, stories.test)] == [60, 60, 30]
    seen = [
        {window for asked in part for window in asked.story} for part in (stories.train, stories.valid, stories.test)
    ]
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert all(asked.story[0].split() == list(asked.candidates) for asked in stories.test)
