"""Stories of one's own: their splits, and a line for each thing that a file lacks."""

import json
import random

import pytest

from symshift import configure, train
from symshift.data import World, by_story, generate, load, write
from symshift.data.babi.generator import TASKS, task
from symshift.errors import InputError
from symshift.runs.store import Store
from symshift.training.own_stories import choose_stories, own_stories


def rows(count: int, **fields) -> str:
    lines = [
        {"story": question.story, "question": question.question, "answer": question.answer, **fields}
        for question in generate(1, count)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_file_without_splits_has_a_fifth_of_its_stories_as_test(tmp_path):
    write(generate(1, 100), tmp_path / "own.csv")
    data, notes = own_stories(tmp_path / "own.csv")
    assert (len(data.train), len(data.test), data.name) == (80, 20, "own.csv")
    assert notes == ["own.csv has no split: 20 of 100 questions, those of a fifth of its stories, are the test."]
    tested = {question.story for question in data.test}
    assert not {question.story for question in data.train} & tested
    for story in by_story(generate(1, 100)):  # each is on one side, with all of its questions
        assert len({question.story in tested for question in story}) == 1
    assert own_stories(tmp_path / "own.csv").data == data


def test_splits_of_rows_are_heeded(tmp_path):
    text = rows(20, split="train") + rows(10, split="validation") + rows(5, split="Test")
    (tmp_path / "own.jsonl").write_text(text)
    data, notes = own_stories(tmp_path / "own.jsonl")
    assert (len(data.train), len(data.valid), len(data.test)) == (20, 10, 5)
    assert notes[1:] == ["own.jsonl has no supporting facts: none are learnt and none are scored."]


def test_folder_has_a_file_for_each_split(tmp_path):
    (tmp_path / "train-0.jsonl").write_text(rows(20))
    write(generate(1, 5), tmp_path / "test.csv")
    (tmp_path / "README.md").write_text("stories")
    data, _ = own_stories(tmp_path)
    assert (len(data.train), len(data.test), data.valid) == (20, 5, [])


@pytest.mark.parametrize("valid", ["val", "dev"])
def test_val_is_a_split_of_files_and_of_rows(valid, tmp_path):
    for name, count in (("train", 20), (valid, 10), ("test", 5)):
        (tmp_path / f"{name}.jsonl").write_text(rows(count))
    (tmp_path / "rows").mkdir()
    own = tmp_path / "rows" / "own.jsonl"
    own.write_text(rows(20, split="train") + rows(10, split=valid) + rows(5, split="test"))
    for stories in (own_stories(tmp_path), own_stories(own)):
        assert (len(stories.data.train), len(stories.data.valid), len(stories.data.test)) == (20, 10, 5)
        assert not any("left out" in note for note in stories.notes)


def test_files_of_a_folder_that_are_left_out_are_told(tmp_path):
    for name in ("train.jsonl", "test.jsonl", "more.jsonl", "values.csv", "README.md"):
        (tmp_path / name).write_text(rows(20))
    left_out = "more.jsonl, values.csv, whose names begin with none of train, valid and test, are left out."
    assert f"{tmp_path.name}: {left_out}" in own_stories(tmp_path).notes


def test_folder_with_one_split_in_two_formats_is_one_line(tmp_path):
    for name in ("train.csv", "train.jsonl", "test.csv"):
        write(generate(1, 10), tmp_path / name)
    with pytest.raises(InputError, match=r"has train.csv and train.jsonl, which may be one file in two formats"):
        own_stories(tmp_path)


@pytest.mark.parametrize("name", ["official", "generated"])
def test_names_of_the_workbooks_stories_are_refused(name, tmp_path):
    write(generate(1, 10), tmp_path / name)
    with pytest.raises(InputError, match=f"^{name}: tables would show it as the workbook's own {name} stories"):
        own_stories(tmp_path / name)


def test_stories_longer_than_what_is_read_are_counted(tmp_path):
    (tmp_path / "own.jsonl").write_text(rows(20, split="train") + rows(5, split="test"))
    longer = len({question.story for question in generate(1, 20) if len(question.story) > 3})
    notes = choose_stories(configure({"model": "mn", "sentences": 3}), tmp_path / "own.jsonl").notes
    assert longer
    assert any(f"own.jsonl: {longer} of 20 stories are longer than 3 sentences" in note for note in notes)
    notes = choose_stories(configure({"model": "mn"}), tmp_path / "own.jsonl").notes
    assert not any("are longer than" in note for note in notes)


def test_length_is_that_which_training_reads(tmp_path):
    """A config of task 3, which reads 130 sentences of its own stories, reads 70 of others."""
    line = {"story": ["Mary went to the hall."] * 100, "question": "Where is Mary?", "answer": "hall"}
    text = "".join(json.dumps({**line, "split": split}) + "\n" for split in ("train", "test"))
    (tmp_path / "own.jsonl").write_text(text)
    notes = choose_stories(configure({"model": "tpr", "task": 3}), tmp_path / "own.jsonl").notes
    assert any("own.jsonl: 1 of 1 stories are longer than 70 sentences" in note for note in notes)


@pytest.mark.parametrize("part", ["train", "valid"])
def test_words_of_training_are_not_unseen_in_a_test(part, tmp_path):
    line = {"story": ["Mary went to the terrace."], "question": "Where is Mary?", "answer": "terrace", "split": part}
    text = rows(20, split="train") + json.dumps(line) + "\n" + rows(20, split="test")
    (tmp_path / "own.jsonl").write_text(text)
    assert set(own_stories(tmp_path / "own.jsonl").data.unseen) == {"people"}


def test_lists_are_told_in_a_line(tmp_path):
    write(generate(8, 60), tmp_path / "own.csv")
    assert any("answers of several words" in note for note in own_stories(tmp_path / "own.csv").notes)


@pytest.mark.parametrize(("stop", "told"), [("", True), (".", False)])
def test_stories_of_one_sentence_are_told_in_a_line(stop, told, tmp_path):
    lines = [f"Ann left{stop} Bob slept{stop} {number},Who left?,ann\n" for number in range(10)]
    (tmp_path / "own.csv").write_text("story,question,answer\n" + "".join(lines))
    separated = "line breaks, or full stops with a space behind them, separate sentences"
    assert (f"own.csv: every story has one sentence; {separated}." in own_stories(tmp_path / "own.csv").notes) is told


def test_questions_of_both_sides_are_told_in_a_line(tmp_path):
    (tmp_path / "own.jsonl").write_text(rows(3, split="train") + rows(5, split="test"))
    assert "own.jsonl: 3 of 5 test questions are in training too." in own_stories(tmp_path / "own.jsonl").notes


def test_training_with_one_story_names_the_file(tmp_path):
    (tmp_path / "own.jsonl").write_text(rows(1, split="train") + rows(1, split="test"))
    stories = own_stories(tmp_path / "own.jsonl").data
    config = configure({"model": "mn", "updates": 2, "evaluate_every": 2, "batch": 4})
    with pytest.raises(InputError, match=r"^own.jsonl: training stories: 1; too few to learn from some"):
        train(config, [0], str(tmp_path), "cpu", stories)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (rows(3, split="fit"), "own.jsonl, line 1: the split 'fit' is none of train, valid and test"),
        (rows(3, split="train") + rows(1), "own.jsonl, line 4: the split '' is none of"),
        (rows(3, split="train"), "own.jsonl: has no questions of the split test"),
        (rows(1), "own.jsonl: there is one story; at least two"),
    ],
)
def test_file_without_two_sides_is_one_line(text, fault, tmp_path):
    (tmp_path / "own.jsonl").write_text(text)
    with pytest.raises(InputError) as caught:
        own_stories(tmp_path / "own.jsonl")
    assert str(caught.value).startswith(fault)


def test_folder_without_stories_is_one_line(tmp_path):
    with pytest.raises(InputError, match="has no file of stories whose name begins with train or test"):
        own_stories(tmp_path)


def test_network_that_answers_from_facts_wants_them(tmp_path):
    (tmp_path / "own.jsonl").write_text(rows(20))
    config = configure({"model": "prehoc-teacher"})
    with pytest.raises(InputError, match=r"^own.jsonl: has no supporting facts, from which prehoc-teacher answers"):
        choose_stories(config, tmp_path / "own.jsonl")


def test_run_without_supporting_facts_scores_none(tmp_path):
    (tmp_path / "own.jsonl").write_text(rows(30))
    config = configure({"model": "prehoc", "updates": 2, "evaluate_every": 2, "batch": 4})
    (run,) = train(config, [0], str(tmp_path), "cpu", choose_stories(config, tmp_path / "own.jsonl").data)
    assert "facts" not in Store(tmp_path).record(run)


@pytest.mark.parametrize("mixed", [False, True], ids=["in order", "mixed"])
def test_rows_of_one_story_on_both_sides_are_told_in_a_line(mixed, tmp_path):
    questions = load(1, 300, source="generated")
    if mixed:
        random.Random(0).shuffle(questions)
    write(questions, tmp_path / "own.csv")
    data, notes = own_stories(tmp_path / "own.csv")
    said = [note for note in notes if "tell a part of a training story" in note]
    assert len(said) == mixed
    if mixed:
        trained = {question.story for question in data.train}
        shared = sum(
            any((one != story and one[: len(story)] == story) or one == story[: len(one)] for one in trained)
            for story in (question.story for question in data.test)
        )
        assert said[0].startswith(f"own.csv: {shared} of these tell")


def test_questions_of_an_own_task_on_both_sides_are_told():
    @task(91, World(people=("Ann", "Bob")))
    def went(builder, world, rng):
        name = rng.choice(world.people)
        builder.ask("Who went?", name.lower(), builder.say(f"{name} went."))

    try:
        notes = choose_stories(configure({"model": "mn", "task": 91, "examples": 20})).notes
    finally:
        TASKS.pop(91)
    assert notes == ["task 91: 1000 of 1000 test questions are in training too."]
