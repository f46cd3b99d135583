"""All answers at once are the answers asked one by one."""

import pytest

from symshift import configure, load, train
from symshift.data import generate
from symshift.data.answer_items import END
from symshift.results.style import confusion
from symshift.runs.answers import answers, answers_of_runs
from symshift.runs.store import Store
from symshift.training.data import Data


@pytest.mark.parametrize("model", ["mn", "gstpr"])
def test_answers_are_those_of_ask(model):
    """Answers are those of ask in the order of the questions."""
    config = configure({"model": model, "updates": 3, "examples": 50, "source": "generated", "evaluate_every": 3})
    questions = Data.load(config).test[:12]
    (run,) = train(config, [0])
    reader = load(run)
    found = answers(reader, questions)
    asked = [reader.ask(question.story, question.question) for question in questions]
    assert found.right.tolist() == [question.answer for question in questions]
    assert found.given.tolist() == [answer.word for answer in asked]
    assert found.probability.tolist() == pytest.approx([answer.probability for answer in asked], abs=1e-6)
    symbolic = [answer.distribution.symbolic[0] for answer in asked]
    assert found.symbolic.tolist() == pytest.approx(symbolic, abs=1e-6)
    assert answers(reader, []).columns.tolist() == found.columns.tolist()


@pytest.mark.parametrize("model", ["mn", "gstpr"])
def test_answers_said_item_by_item(model, tmp_path):
    """A reader says answers to their end, as ask does, and errs as its record says."""
    values = {"task": 8, "answers": "items", "updates": 300, "examples": 200, "source": "generated"}
    config = configure({"model": model, "evaluate_every": 100, **values})
    stories = Data(generate(8, 200), generate(8, 100, seed=1)[:60])
    (run,) = train(config, [0], str(tmp_path), stories=stories)
    reader, record = load(run, tmp_path), Store(tmp_path).record(run)
    found = answers(reader, stories.test)
    asked = [reader.ask(question.story, question.question) for question in stories.test]
    assert record["config"]["answers"] == "items"
    assert record["error"]["test"] == pytest.approx(100 * (found.given != found.right).mean(), abs=1e-3)
    assert found.given.tolist() == [answer.word for answer in asked]
    assert found.probability.tolist() == pytest.approx([answer.probability for answer in asked], abs=1e-6)
    assert END not in set(found.given)


def test_answers_of_runs_without_weights(tmp_path):
    """Runs without weights are left out and a picture of none says so."""
    config = configure({"model": "mn", "updates": 3, "examples": 50, "source": "generated", "evaluate_every": 3})
    stories, store = Data.load(config), Store(tmp_path)
    runs = train(config, [0, 1], str(tmp_path), "cpu")
    assert set(answers_of_runs(runs, stories.test, tmp_path).run) == set(runs)
    for run, left in zip(runs, (runs[1:], []), strict=True):
        (store.path(run) / "weights.safetensors").unlink()
        found = answers_of_runs(runs, stories.test, tmp_path)
        assert set(found.run) == set(left)
        assert len(found) == len(left) * len(stories.test)
    assert repr(confusion(found, "Answers")).startswith("Answers: none")
