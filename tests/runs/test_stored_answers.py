"""Stored weights answer stored questions as they did when the answers were written down.

`stored_answers.json` groups the runs by the question they were asked; an answer is the likeliest word and its
probability."""

import json
from pathlib import Path

import pytest

import symshift
from symshift.paths import ROOT
from symshift.runs.store import Store

STORE = ROOT / "outputs"
QUESTIONS = json.loads(Path(__file__).with_name("stored_answers.json").read_text())


@pytest.mark.parametrize("stored", QUESTIONS, ids=[question["question"] for question in QUESTIONS])
def test_stored_weights_answer_as_before(stored):
    """Every run answers with its stored word, within 1e-4 of its stored probability."""
    for run_id, (word, probability) in stored["answers"].items():
        answer = symshift.load(run_id, STORE).ask(stored["story"], stored["question"], stored["supporting"])
        assert answer.word == word, run_id
        assert answer.probability == pytest.approx(probability, abs=1e-4), run_id


def test_every_stored_run_with_weights_has_an_answer():
    """A run whose weights are published is asked something."""
    store = Store(STORE)
    with_weights = {run for run in store.published_ids() if store.published.weights_path(run).exists()}
    assert with_weights == {run_id for stored in QUESTIONS for run_id in stored["answers"]}
