"""Which facts a model names, by the paper's rule and by a threshold that validation chose."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symshift.data import load
from symshift.data.question import Question
from symshift.runs.store import Store
from symshift.training import train
from symshift.training.data import Data
from symshift.training.supporting_facts import calibrate, ceiling, relative, score
from tests.helpers.small import config

ALIGNMENTS = st.lists(st.tuples(st.floats(-80, 80, width=32), st.booleans()), min_size=1, max_size=30)


@settings(deadline=None)
@given(ALIGNMENTS)
@example([(42.0, True), (41.0, True), (40.0, False)])  # all of one sigmoid in float64
@example([(-42.0, True), (-43.0, True)])
def test_no_other_threshold_has_a_better_f1(rows):
    alignment, supporting = (
        torch.tensor([row[0] for row in rows], dtype=torch.float64),
        torch.tensor([row[1] for row in rows]),
    )
    best = score(alignment > calibrate(alignment, supporting), supporting)[2]
    others = [score(alignment > threshold, supporting)[2] for threshold in (-100.0, *alignment.tolist())]
    assert best == pytest.approx(max(others))


@settings(deadline=None)
@given(ALIGNMENTS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(rows):
    said, supporting = torch.tensor([row[0] > 0 for row in rows]), torch.tensor([row[1] for row in rows])
    precision, recall, f1 = score(said, supporting)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall) if precision + recall else 0)


@pytest.mark.parametrize(("facts", "best"), [(1, 100), (2, 200 / 3), (3, 50)])
def test_one_fact_a_question_is_the_paper_rules_ceiling(facts, best):
    told = [Question(("a",) * 5, "b", "c", tuple(range(facts)), 1, "generated")] * 7
    supporting = torch.tensor([[number < facts for number in range(5)]] * 7).flatten()
    one = torch.tensor([[number == 0 for number in range(5)]] * 7).flatten()
    assert ceiling(told) == pytest.approx(best) == score(one, supporting)[2]


def test_the_calibrated_rule_names_two_facts_and_leaves_what_a_later_sentence_made_void():
    alignment = torch.tensor([[3.0, -torch.inf, 3.1, 0.0], [-4.0, -4.2, -6.5, -9.0]])
    supporting = torch.tensor([[True, False, True, False], [True, True, False, False]])
    shares = relative(alignment).flatten()
    assert score(shares > calibrate(shares, supporting.flatten()), supporting.flatten())[2] == 100
    over_all = alignment.double().flatten()
    assert score(over_all > calibrate(over_all, supporting.flatten()), supporting.flatten())[2] < 100
    assert score(alignment.softmax(-1).flatten() > 0.5, supporting.flatten())[2] < 75


@pytest.mark.parametrize("preset", ["prehoc", "posthoc", "mn+prehoc", "stpr+prehoc"])
def test_a_record_says_how_well_the_facts_are_named(preset, tmp_path):
    stories = Data(load(1, 100, source="generated"), load(1, 100, "test", "generated", seed=1)[:25])
    own = config(preset, updates=10, evaluate_every=5, batch=8, restart_at=0)
    (run,) = train(own, [0], str(tmp_path), "cpu", stories)
    named = Store(tmp_path).record(run)["facts"]
    assert set(named) == {"f1_paper", "f1", "precision", "recall", "share"}
    assert 0 <= named["share"] < 1 and all(0 <= value <= 100 for value in named.values())
    assert named["recall"] > 0  # each story's surest sentence is named
    assert Store(tmp_path).runs().facts_f1.notna().all()
