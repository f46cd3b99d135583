"""The audit of a foreign model, whose questions and answers are JSON lines."""

import json

import pandas as pd
import pytest

from symshift import audit
from symshift.data import Question, World, generate, load
from symshift.data.babi.generator import TASKS, task
from symshift.errors import InputError, InputWarning
from symshift.runs.audit_files import AuditPlan, audit_predictions, write_questions
from tests.helpers.task_one import last_room


def plan(questions=None) -> AuditPlan:
    return AuditPlan(questions or load(1, split="test", source="generated"), renamings=1, sample=5)


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """The lines of right answers to the questions that were written."""
    file = tmp_path_factory.mktemp("audit") / "questions.jsonl"
    write_questions(plan(), str(file))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    answers = [last_room(row["story"], row["question"]) for row in rows]
    return [json.dumps({"id": row["id"], "answer": answer}) for row, answer in zip(rows, answers, strict=True)]


@pytest.fixture
def predictions(solved, tmp_path):
    """A file of right answers."""
    (tmp_path / "answers.jsonl").write_text("\n".join(solved))
    return tmp_path / "answers.jsonl"


def test_written_questions_have_an_id_a_story_and_no_answer(tmp_path):
    count = write_questions(plan(), str(tmp_path / "questions.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    assert len(rows) == len({row["id"] for row in rows}) == count
    assert all(list(row) == ["id", "story", "question"] for row in rows)
    assert isinstance(rows[0]["story"], list)


def test_predictions_have_the_audit_of_the_model_in_any_order(predictions):
    lines = predictions.read_text().splitlines()
    predictions.write_text("\n".join(reversed(lines)))
    expected = audit(last_room, plan().questions, renamings=1, sample=5)
    pd.testing.assert_frame_equal(audit_predictions(str(predictions)), expected)


def test_questions_of_a_file_are_audited_by_their_checksum(tmp_path):
    own = [Question(q.story, q.question, q.answer, q.supporting, 0, "file") for q in generate(1, 50)]
    write_questions(plan(own), str(tmp_path / "q.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    lines = [json.dumps({"id": row["id"], "answer": "kitchen"}) for row in rows]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert len(audit_predictions(str(tmp_path / "a.jsonl"), own))
    with pytest.raises(InputError, match="these ids are of a file of stories; name it by --stories"):
        audit_predictions(str(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match="these ids are of other questions than those read"):
        audit_predictions(str(tmp_path / "a.jsonl"), own[1:])


def test_stories_beside_ids_of_a_task_are_refused(tmp_path):
    write_questions(plan(load(1, split="test", source="generated")), str(tmp_path / "q.jsonl"))
    first = json.loads((tmp_path / "q.jsonl").read_text().splitlines()[0])
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": first["id"], "answer": "kitchen"}))
    with pytest.raises(InputError, match="these ids are of the questions of task 1; leave --stories out"):
        audit_predictions(str(tmp_path / "a.jsonl"), generate(1, 20))


def test_ids_of_a_task_of_ones_own_are_read_again(tmp_path):
    @task(1000, World(), people=2, places=2)
    def went(builder, world, rng):
        person, place = rng.choice(world.people), rng.choice(world.places)
        builder.ask(f"Where is {person}?", place, builder.say(f"{person} went to the {place}."))

    try:
        write_questions(plan(load(1000, split="test")), str(tmp_path / "q.jsonl"))
        rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
        lines = [json.dumps({"id": row["id"], "answer": "hall"}) for row in rows]
        (tmp_path / "a.jsonl").write_text("\n".join(lines))
        assert len(audit_predictions(str(tmp_path / "a.jsonl")))
    finally:
        del TASKS[1000]


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        ({"seed": -1}, "seed is -1; a whole number from 0 to 999999"),
        ({"seed": 10**6}, "seed is 1000000; "),
        ({"sample": 10**6}, "questions is 1000000; a whole number from 1 to 999999"),
        ({"renamings": 10**6}, "renamings is 1000000; "),
    ],
    ids=["negative-seed", "seed", "questions", "renamings"],
)
def test_numbers_that_no_id_can_have_write_nothing(numbers, fault, tmp_path):
    with pytest.raises(InputError, match=f"^{fault}"):
        write_questions(plan()._replace(**numbers), str(tmp_path / "questions.jsonl"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda lines: lines[:-1], r"answers.jsonl: 1 of \d+ answers are missing, the first of task1-generated-"),
        (lambda lines: [*lines, lines[0]], r"line \d+: the id '.*' stands in line 1 too"),
        (lambda lines: ["{", *lines[1:]], "line 1: '{' is not JSON; write one object on each line"),
        (lambda lines: [lines[0], "[1]"], r"line 2: '\[1\]' is no object"),
        (lambda lines: ['{"id": "a"}'], "line 1: has no answer that is a text"),
        (lambda lines: ['{"id": 3, "answer": "a"}'], "line 1: has no id that is a text"),
        (lambda lines: ['{"id": "a/b", "answer": "a"}'], "line 1: 'a' begins no id that"),
        (lambda lines: [*lines, lines[0].replace("original/0", "original/99")], "original/99' is none of this audit's"),
        (lambda lines: [line.replace("-r1-", "-r2-") for line in lines], r"of \d+ answers are missing, the first of "),
        (
            lambda lines: [line.replace("-r1-", "-r0-") for line in lines],
            "jsonl, line 1: renamings is 0; it must",
        ),
        (lambda lines: ["", *(line.replace("task1-", "task99-") for line in lines)], "jsonl, line 2: task 99"),
        (lambda lines: [line.replace("-generated-", "-foo-") for line in lines], "jsonl, line 1: source 'foo': one of"),
        (lambda lines: [], "line 1: holds no object"),
    ],
)
def test_predictions_that_cannot_be_audited_are_one_line(change, fault, predictions):
    predictions.write_text("\n".join(change(predictions.read_text().splitlines())))
    with pytest.raises(InputError, match=fault) as caught:
        audit_predictions(str(predictions))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", ["", "Mary is in the kitchen."], ids=["empty", "sentence"])
def test_answers_that_are_no_words_are_warned_of(answer, predictions):
    """An answer that no question can have counts as wrong, and is said."""
    lines = [json.loads(line) for line in predictions.read_text().splitlines()]
    lines[1]["answer"] = answer
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.warns(InputWarning, match=f"1 of {len(lines)} answers are no word and no list of words.*line 2"):
        audit_predictions(str(predictions))
