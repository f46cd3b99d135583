"""Errors and losses of a model are those of its own questions, counted one by one."""

from collections import defaultdict
from dataclasses import replace

import pytest
import torch

from symshift.data import Question
from symshift.training.data import Data
from symshift.training.evaluate import all_errors, evaluate_split
from symshift.training.splits import TRAIN_AND_VALID, TrainValSplits
from tests.helpers.small_ensemble import SmallEnsemble

SEEDS = [0, 1, 2]


def question(number):
    """A question over a story of 2 sentences, or from number 40 on of 12, of which nothing says the answer."""
    story = (f"john went to {number}.",) * (2 if number < 40 else 12)
    return Question(story, "where is john?", "yes" if number % 5 else "no", (0,), 0, "file")


STORIES = [question(number) for number in range(80)]


@pytest.fixture(scope="module")
def trained():
    """Models that answer some questions right, and some wrong."""
    models = SmallEnsemble("tpr-sm", SEEDS, stories=Data(STORIES, STORIES), learning_rate=0.05)
    models.losses(8)
    return models


def errors_and_loss(models, row, rows_a_question, chosen):
    """Return the error in percent of the chosen questions, and the loss a row, from each row's answer alone."""
    wrong, losses = defaultdict(list), []
    weights, words = models.ensemble.weights[row : row + 1], len(models.questions.words)
    for bucket, indices in zip(models.questions.buckets, models.questions.indices, strict=True):
        loss, answer = models.ensemble.evaluate(weights, bucket, words)
        for number, index in enumerate(indices.tolist()):
            if chosen[index // rows_a_question]:
                wrong[index // rows_a_question].append(bool(answer[0, number] != bucket.answer[number]))
                losses.append(float(loss[0, number]))
    return 100 * sum(map(any, wrong.values())) / len(wrong), sum(losses) / len(losses)


@pytest.mark.parametrize("rows_a_question", [1, 2])  # 2 as where an answer is said item by item
def test_scores_are_those_of_each_models_own_questions(rows_a_question, trained):
    count = len(STORIES) // rows_a_question
    valid = torch.rand(len(SEEDS), count, generator=torch.Generator().manual_seed(0)) < 0.3
    indices = tuple(index // rows_a_question for index in trained.questions.indices)
    questions = replace(trained.questions, indices=indices)
    splits = TrainValSplits(questions, valid)
    assert all(len(set(sizes.tolist())) > 1 for sizes in splits.sizes["valid"])  # some rows are padding

    for split in TRAIN_AND_VALID:
        scores = evaluate_split(trained.ensemble, trained.ensemble.weights, splits, split)
        for row in range(len(SEEDS)):
            chosen = valid[row] if split == "valid" else ~valid[row]
            error, loss = errors_and_loss(trained, row, rows_a_question, chosen.tolist())
            assert 0 < error < 100
            assert scores.errors[row] == pytest.approx(error)
            assert scores.losses[row] == pytest.approx(loss)

    last = len(SEEDS) - 1
    own = all_errors(trained.ensemble, trained.ensemble.weights[last:], splits.select(last), {"test": questions})
    assert own["valid"] == pytest.approx(errors_and_loss(trained, last, rows_a_question, valid[last].tolist())[0])
    assert own["test"] == pytest.approx(errors_and_loss(trained, last, rows_a_question, [True] * count)[0])
