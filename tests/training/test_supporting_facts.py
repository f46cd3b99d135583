"""Which facts a model names, by the paper's rule and by a threshold that validation chose."""

import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symshift.data import load
from symshift.data.encoding import Vocabulary, encode
from symshift.data.question import Question
from symshift.runs.store import Store
from symshift.training import train
from symshift.training.data import Data
from symshift.training.splits import TrainValSplits
from symshift.training.supporting_facts import (
    calibrate,
    ceiling,
    log_share,
    score_model,
    score_rule,
    sentence_scores,
)
from tests.helpers.small import config
from tests.helpers.small_ensemble import SmallEnsemble

ALIGNMENTS = st.lists(st.tuples(st.floats(-80, 80, width=32), st.booleans()), min_size=1, max_size=30)


@settings(deadline=None)
@given(ALIGNMENTS)
@example([(42.0, True), (41.0, True), (40.0, False)])  # all of one sigmoid in float64
@example([(-42.0, True), (-43.0, True)])
def test_calibrate_has_the_best_f1(rows):
    alignment, supporting = (
        torch.tensor([row[0] for row in rows], dtype=torch.float64),
        torch.tensor([row[1] for row in rows]),
    )
    best = score_rule(alignment > calibrate(alignment, supporting), supporting).f1
    others = [score_rule(alignment > threshold, supporting).f1 for threshold in (-100.0, *alignment.tolist())]
    assert best == pytest.approx(max(others))


@settings(deadline=None)
@given(ALIGNMENTS)
def test_score_f1_is_the_harmonic_mean(rows):
    """F1 is the harmonic mean of precision and recall."""
    said, supporting = torch.tensor([row[0] > 0 for row in rows]), torch.tensor([row[1] for row in rows])
    precision, recall, f1 = score_rule(said, supporting)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall) if precision + recall else 0)


@pytest.mark.parametrize(("facts", "best"), [(1, 100), (2, 200 / 3), (3, 50)])
def test_ceiling_is_the_score_of_one_fact(facts, best):
    """One fact a question is the paper rules ceiling."""
    told = [Question(("a",) * 5, "b", "c", tuple(range(facts)), 1, "generated")] * 7
    supporting = torch.tensor([[number < facts for number in range(5)]] * 7).flatten()
    one = torch.tensor([[number == 0 for number in range(5)]] * 7).flatten()
    assert ceiling(told) == pytest.approx(best) == score_rule(one, supporting).f1


def test_calibrated_rule_predicts_two_facts():
    """The calibrated rule names two facts and leaves what a later sentence made void."""
    alignment = torch.tensor([[3.0, -torch.inf, 3.1, 0.0], [-4.0, -4.2, -6.5, -9.0]])
    supporting = torch.tensor([[True, False, True, False], [True, True, False, False]])
    shares = log_share(alignment).flatten()
    assert score_rule(shares > calibrate(shares, supporting.flatten()), supporting.flatten()).f1 == 100
    over_all = alignment.double().flatten()
    assert score_rule(over_all > calibrate(over_all, supporting.flatten()), supporting.flatten()).f1 < 100
    assert score_rule(alignment.softmax(-1).flatten() > 0.5, supporting.flatten()).f1 < 75


@pytest.mark.parametrize("preset", ["prehoc", "posthoc", "mn+prehoc", "stpr+prehoc"])
def test_record_has_scores_of_facts(preset, tmp_path):
    """A record says how well the facts are named."""
    stories = Data(load(1, 100, source="generated"), load(1, 100, "test", "generated", seed=1)[:25])
    own = config(preset, updates=10, evaluate_every=5, batch=8, restart_at=0)
    (run,) = train(own, [0], str(tmp_path), "cpu", stories)
    named = Store(tmp_path).record(run)["facts"]
    assert set(named) == {"f1_paper", "f1", "precision", "recall", "share"}
    assert 0 <= named["share"] < 1
    assert all(0 <= value <= 100 for value in named.values())
    assert named["recall"] > 0  # each story's surest sentence is named
    assert Store(tmp_path).runs().facts_f1.notna().all()


def test_score_model_calibrates_on_its_own_validation():
    """The share is chosen on a model's own validation questions, and never on the test."""
    models = SmallEnsemble("prehoc", [0, 1])
    models.losses(3)
    ensemble, weights = models.ensemble, models.ensemble.weights[1:]
    valid = torch.rand(2, len(models.questions), generator=torch.Generator().manual_seed(0)) < 0.3
    test = encode(models.stories.test, Vocabulary.of(models.stories.train, 70), 70)
    by_bucket = zip(models.questions.buckets, models.questions.indices, strict=True)
    own = [bucket.take(valid[1, indices].nonzero().squeeze(-1)) for bucket, indices in by_bucket]
    selected, tested = (sentence_scores(ensemble, weights, batches) for batches in (own, test.buckets))
    threshold = calibrate(selected.log_share, selected.supporting)
    calibrated = score_rule(tested.log_share > threshold, tested.supporting)
    assert threshold != calibrate(tested.log_share, tested.supporting)
    assert calibrated.precision != calibrated.recall

    scores = score_model(ensemble, weights, TrainValSplits(models.questions, valid).select(1), test)
    f1_paper = score_rule(tested.attention > 0.5, tested.supporting).f1
    assert scores == calibrated._asdict() | {"f1_paper": f1_paper, "share": math.exp(threshold)}
