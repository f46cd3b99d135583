"""An audit counts what it says, of functions whose answers are known beforehand."""

import pandas as pd
import pytest

from symshift import audit, configure, load, train
from symshift.data import Question, generate, tokenize
from symshift.data.alpha_renaming import AuditQuestions
from symshift.data.renaming import UNSEEN, zero_shot
from symshift.errors import InputError
from symshift.runs.answers import answers
from symshift.runs.audit import check_model, summarize
from symshift.training.data import Data
from tests.babi_solver import solve
from tests.helpers.task_one import last_room

SIZE = {"renamings": 2, "sample": 10}


def rows(table: pd.DataFrame) -> pd.DataFrame:
    return table.set_index(["role", "renaming"])


def test_audit_of_what_knows_no_names_has_no_errors():
    table = audit(last_room, generate(1, 100), **SIZE)
    names = table[table.role != "verbs"]
    assert set(names.role) == {"people", "rooms"}
    assert (names[["error", "error_renamed", "increase"]] == 0).all(axis=None)
    assert (names.covariance == 100).all()
    assert (names.covariance_low == 100).all()


def test_audit_of_what_knows_its_rooms_fails_with_unseen_ones():
    def knows_rooms(story, question):
        answer = last_room(story, question)
        return answer if answer in UNSEEN["room"] else "kitchen"

    table = rows(audit(knows_rooms, generate(1, 100), **SIZE))
    unseen = table.loc["rooms", "unseen"]
    assert (unseen.error, unseen.error_renamed, unseen.increase, unseen.covariance) == (0, 100, 100, 0)
    assert table.loc[("rooms", "known"), "error_renamed"] == table.loc[("people", "unseen"), "error_renamed"] == 0


def test_covariance_counts_wrong_answers_that_move_too():
    """The first room of a story is mostly a wrong answer, and moves with its name."""

    def first_room(story, question):
        return next(word for word in tokenize(story[0]) if word not in {"the", "to", "back"} and word in ROOMS)

    table = rows(audit(first_room, generate(1, 100), **SIZE))
    known = table.loc["rooms", "known"]
    assert known.error == known.error_renamed > 0
    assert known.covariance == 100


ROOMS = {*UNSEEN["room"], *UNSEEN["room"].values()}


def test_intervals_are_around_the_means_and_pair_questions():
    def half_right(story, question):
        return last_room(story, question) if len(story) % 4 else "nowhere"

    table = audit(half_right, generate(1, 200), renamings=1, sample=40)
    names = table[table.role == "people"]
    assert (names.error.between(names.error_low, names.error_high) & (names.error_low < names.error_high)).all()
    assert (names[["increase", "increase_low", "increase_high"]] == 0).all(axis=None)  # no question changed


def test_summary_is_of_questions_whatever_their_renamings():
    """Each question counts once; the interval is that of a mean over so many."""
    prepared = AuditQuestions(generate(1, 100), renamings=2)
    before = [q.answer if number % 3 else "nowhere" for number, q in enumerate(prepared.originals)]
    table = rows(summarize(prepared, [*before, *(renamed.question.answer for renamed in prepared.renamed)]))
    for (role, renaming), row in table.iterrows():
        renamed = [entry for entry in prepared.renamed if (entry.role, entry.renaming) == (role, renaming)]
        errors = pd.Series({entry.original: 100.0 * (entry.original % 3 == 0) for entry in renamed})
        assert (row.questions, row.renamings) == (len(errors), len({entry.number for entry in renamed}))
        assert (row.error, row.error_renamed) == pytest.approx((errors.mean(), 0))
        assert row.increase == -row.error
        half = 1.96 * errors.std() / len(errors) ** 0.5
        ends = errors.mean() - half, errors.mean() + half
        assert (row.error_low, row.error_high) == pytest.approx(ends, abs=0.15 * half)


def test_audit_takes_lists_in_any_order():
    def reversed_list(story, question):
        answer = solve(Question(story, question, "", (), 8, ""))[0]
        return " and ".join(reversed(answer.split(",")))

    table = audit(reversed_list, generate(8, 100), renamings=1, sample=30)
    assert (table[table.role == "objects"].error_renamed == 0).all()


def test_audit_of_a_reader_is_that_of_its_answers(tmp_path):
    config = configure({"model": "mn", "updates": 4, "evaluate_every": 2, "batch": 4})
    stories = Data(generate(1, 60), generate(1, 10, seed="test"))
    (run,) = train(config, [0], str(tmp_path), "cpu", stories)
    reader = load(run, tmp_path)
    table = audit(reader, stories.test, renamings=1, sample=1000)
    by_question = answers(reader, stories.test)
    error = 100 * (by_question.given != by_question.right).mean()
    assert rows(table).loc[("rooms", "unseen"), "error"] == pytest.approx(error)
    by_function = audit(lambda story, question: reader.ask(story, question).word, stories.test, renamings=1, sample=2)
    pd.testing.assert_frame_equal(by_function, audit(reader, stories.test, renamings=1, sample=2))


def test_audit_refuses_an_answer_that_is_no_text():
    with pytest.raises(InputError, match=r"^the answer to 'Where is \w+\?' is None; a text would be right$"):
        audit(lambda story, question: None, generate(1, 10), **SIZE)


def test_audit_names_the_question_on_which_a_model_fails():
    with pytest.raises(InputError, match=r"^the model fails on the question 'Where is \w+\?' \(KeyError: 'lost'\)$"):
        audit(lambda story, question: {}["lost"], generate(1, 20), **SIZE)


def test_audit_refuses_a_reader_that_knows_unseen_words(tmp_path):
    renamed = zero_shot(generate(1, 40), "people")
    config = configure({"model": "mn", "updates": 2, "evaluate_every": 2, "batch": 4})
    (run,) = train(config, [0], str(tmp_path), "cpu", Data(renamed, renamed))
    with pytest.raises(InputError, match=r"trained with '\w+', which this audit counts as unseen"):
        audit(load(run, tmp_path), generate(1, 20), **SIZE)


@pytest.mark.parametrize(
    ("check", "argument", "fault"),
    [
        (check_model, "822c013480d6", "model is '822c013480d6'; `symshift.load(RUN)` makes a reader; a function"),
        (check_model, None, "model is None; `symshift.load(RUN)` makes a reader"),
    ],
    ids=["run-id", "no-model"],
)
def test_audit_refuses_other_kinds_in_one_line(check, argument, fault):
    with pytest.raises(InputError) as caught:
        check(argument)
    assert str(caught.value).startswith(fault)


def test_audit_takes_questions_of_a_generator():
    questions = generate(1, 20)
    table = audit(last_room, (question for question in questions), **SIZE)
    pd.testing.assert_frame_equal(table, audit(last_room, questions, **SIZE))


@pytest.mark.parametrize("name", SIZE)
def test_audit_checks_its_numbers(name):
    with pytest.raises(InputError, match=rf"^{name}.* is True, a bool; it wants a whole number such as 3$"):
        audit(last_room, generate(1, 20), **(SIZE | {name: True}))
