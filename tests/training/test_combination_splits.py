"""Each split of params/splits keeps its combination out of training, and the solver answers all of its questions."""

import pytest

from symshift.data import combinations, splits
from symshift.data.renaming import swap, words_of
from symshift.errors import InputError
from symshift.training import combination_splits
from symshift.training.combination_splits import load_split, split_names
from tests.babi_solver import solve


@pytest.fixture(autouse=True)
def few_questions(monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 40)
    monkeypatch.setattr(splits, "TEST_QUESTIONS", 40)


@pytest.mark.parametrize("name", split_names())
def test_split_is_answered_by_the_solver(name):
    data = load_split(name, 40, "generated")
    assert set(data.unseen) == {"combination"}
    for questions in (data.train, data.test, data.unseen["combination"]):
        assert questions
        assert all(solve(question)[0] == question.answer for question in questions)


def test_split_keeps_its_combination_out_of_training():
    length, room = load_split("length", 40), load_split("room-answer", 40)
    person, swapped = load_split("person-task", 40), load_split("sys-babi", 10, "generated")
    assert max(len(question.story) for question in (*length.train, *length.test)) == 6
    assert min(len(question.story) for question in length.unseen["combination"]) == 8
    assert {question.answer for question in room.unseen["combination"]} == {"garden"}
    assert "garden" not in {question.answer for question in (*room.train, *room.test)}
    assert any("garden" in words_of(question) for question in room.train)
    assert {question.task for question in person.train if "sandra" in words_of(question)} == {1}
    assert {question.task for question in person.unseen["combination"]} == {11}
    assert swapped.unseen["combination"] == swap(swapped.test)
    task_1 = [question for question in swapped.unseen["combination"] if question.task == 1]
    assert {"bill", "fred", "julie"} & {word for question in task_1 for word in words_of(question)}


def test_split_has_a_name_and_ids_of_its_own():
    length, facts = load_split("length", 40), load_split("facts", 40)
    assert length.name == "split length"
    assert length.key != facts.key


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("tasks: [1]", "own.yaml: tasks and hold_out are right, and nothing else"),
        ("tasks: 1\nhold_out: {answer: a}", "own.yaml: tasks is 1; a list of tasks"),
        ("tasks: [1]\nhold_out: 3", "own.yaml: hold_out is 3; one condition"),
        ("tasks: [1]\nhold_out: {anser: a}", "own.yaml: hold_out 'anser' is unknown; did you mean 'answer'?"),
        ("tasks: [1]\nhold_out: {answer: [a, b]}", "own.yaml: answer is ['a', 'b']; it has other arguments"),
        (
            "tasks: [1]\nhold_out: {person_in_task: {person: Mary}}",
            "own.yaml: person_in_task is {'person': 'Mary'}; it",
        ),
        ("tasks: [1, 1]\nhold_out: {answer: a}", "own.yaml: tasks is [1, 1]; each task once is right"),
        ("tasks: [6]\nhold_out: {answer: no}", "own.yaml: answer has False; a word is right, in quotes where"),
        ("tasks: [7]\nhold_out: {answer: 2}", "own.yaml: answer has 2; a word is right"),
        ("tasks: [1]\nhold_out: {together: [a, 2]}", "own.yaml: together has 2; a word is right"),
        ("tasks: [1]\nhold_out: {sentences_above: many}", "own.yaml: sentences_above has 'many'; a whole number is"),
        ("tasks: [1]\nhold_out: {facts_above: '2'}", "own.yaml: facts_above has '2'; a whole number is right"),
        ("tasks: [1]\nhold_out: {facts_above: }", "own.yaml: facts_above has None; a whole number is right"),
        ("tasks: [1]\nhold_out: {facts_above: true}", "own.yaml: facts_above has True; a whole number is right"),
        ("tasks: [1]\nhold_out: {person_in_task: [5, 1]}", "own.yaml: person_in_task has 5; a word is right"),
        (
            "tasks: [1]\nhold_out: {person_in_task: [Mary, one]}",
            "own.yaml: person_in_task has 'one'; a whole number is right",
        ),
        (
            "tasks: [1]\nhold_out: {person_in_task: [Mary, 6]}",
            "own.yaml: person_in_task has task 6; one of tasks, [1], is right",
        ),
        ("tasks: [1]\nhold_out: {swap: false}", "own.yaml: swap is False; true is right"),
        ("tasks: [1, 21]\nhold_out: {swap: true}", "own.yaml: swap [True]: task 21: "),
        (
            "tasks: [1]\nhold_out: {answer: cellar}",
            "own.yaml: answer ['cellar']: task 1: of 40 questions with what is held out the generator makes 0",
        ),
    ],
)
def test_file_that_is_no_split_is_one_line(text, fault, tmp_path, monkeypatch):
    (tmp_path / "own.yaml").write_text(text)
    monkeypatch.setattr(combination_splits, "FOLDER", tmp_path)
    with pytest.raises(InputError) as caught:
        load_split("own")
    assert str(caught.value).startswith(fault)


def test_split_called_by_a_file_says_where_it_goes():
    says = "a split of your own is a file NAME.yaml of params/splits, and called NAME"
    with pytest.raises(InputError, match=rf"^split 'own.yaml' is unknown; choose from facts, .*; {says}$"):
        load_split("own.yaml")


def test_split_without_official_stories_says_so():
    with pytest.raises(InputError, match=r"^split 'length' has generated stories; source auto or generated is right$"):
        load_split("length", source="official")
