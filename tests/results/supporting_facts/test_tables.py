"""Supporting facts from the store beside the paper's: every cell from its own records, empty where there are none."""

import pandas as pd
import pytest

from symshift import load, train
from symshift.data import load as stories_of
from symshift.data.babi.official import find_official
from symshift.errors import InputError
from symshift.results.generalisation.tables import HERE, PRINTED, STORED, with_origin
from symshift.results.supporting_facts import figures as facts_figures
from symshift.results.supporting_facts.sentences import f1_by_threshold, sentence_attention, validation_questions
from symshift.results.supporting_facts.tables import (
    ERROR,
    F1,
    F1_PAPER,
    MEAN,
    TASKS,
    cells,
    paper_layout,
    published_facts,
)
from symshift.runs.store import Store
from symshift.training.data import Data
from symshift.training.supporting_facts import ceiling
from tests.helpers.small import config

SMALL = {"updates": 4, "evaluate_every": 2, "batch": 8}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Small runs: prehoc on tasks 1 and 15, two seeds each, and EntNet, which names nothing, on task 1."""
    outputs = str(tmp_path_factory.mktemp("facts"))
    for model, task in (("prehoc", 1), ("prehoc", 15), ("entnet", 1)):
        told = Data(stories_of(task, 60, source="generated"), stories_of(task, 60, "test", "generated")[:20])
        train(config(model, **SMALL), [0, 1], outputs, "cpu", told)
    return Store(outputs)


@pytest.fixture
def told(store):
    """The cells of these runs."""
    runs = store.runs()
    return cells(with_origin(runs, set(runs.id)), "generated", 60)


def test_a_cell_is_the_mean_of_its_records(store, told):
    records = [store.record(run) for run in store.runs().query("model == 'prehoc' and task == 15").id]
    cell = told.loc[(15, "prehoc", HERE)]
    assert cell.n == len(records) == 2
    assert cell[ERROR] == pytest.approx(sum(record["error"]["test"] for record in records) / 2)
    for measure, name in ((F1_PAPER, "f1_paper"), (F1, "f1"), ("precision", "precision"), ("recall", "recall")):
        assert cell[measure] == pytest.approx(sum(record["facts"][name] for record in records) / 2)


def test_what_was_not_measured_stays_empty(told):
    assert told.loc[(1, "entnet", HERE)].drop([ERROR, "n", "budget", "ceiling"]).isna().all()
    wide = paper_layout(told, F1)
    assert wide.columns.tolist() == [("prehoc", HERE)]
    assert wide["prehoc", HERE].ne("").loc[lambda filled: filled].index.tolist() == [1, 15]
    assert wide.loc[1, ("prehoc", HERE)].endswith(" (n=2)")
    assert paper_layout(told, ERROR).columns.tolist() == [("entnet", HERE), ("prehoc", HERE)]


def test_cells_have_published_numbers_for_official_stories(store):
    """Published numbers stand beside official stories of their number alone."""
    assert PRINTED not in cells(with_origin(store.runs(), []), "generated").index.unique("origin")
    if find_official() is None:
        pytest.skip("needs the official bAbI text, which is not on this machine")
    beside = cells(with_origin(store.runs(), []), "official")
    assert beside.loc[(16, "posthoc", PRINTED), [ERROR, F1_PAPER]].tolist() == [52.7, 49.9]
    assert beside.loc[(MEAN, "prehoc", PRINTED), [ERROR, F1_PAPER]].tolist() == [21.9, 59.4]
    assert cells(with_origin(store.runs(), []), "official", 10_000).empty
    ceilings = beside.ceiling.groupby("task").first().round(1)
    assert ceilings[[1, 2, 3, 7, MEAN]].tolist() == [100, 66.7, 50, 60, 78.1]


def test_the_ceiling_is_that_of_the_test_stories(told):
    assert told.loc[(15, "prehoc", HERE)].ceiling == ceiling(stories_of(15, 1000, "test", "generated"))


def test_mean_is_of_all_tasks_and_the_fewest_seeds():
    """A mean over tasks is of all twenty and counts the fewest seeds."""
    rows = [
        {"id": f"{task}{seed}", "model": "prehoc", "task": task, "seed": seed, "examples": 1000, "stories": "generated"}
        | {"error_test": float(task), "facts_f1": 50.0 + seed, "origin": STORED, "patience": 1400, "solved": 0.001}
        | {"updates": 2100 if task == 7 else 5600}
        for task in range(1, 21)
        for seed in range(1 if task == 7 else 3)
    ]
    told = cells(pd.DataFrame(rows), "generated")
    mean = told.loc[(MEAN, "prehoc", STORED)]
    assert (mean[ERROR], mean.n, mean.budget) == (10.5, 1, "preset or ≤2.1k")
    written = paper_layout(told, ERROR)["prehoc", STORED]
    assert written[[6, 7]].tolist() == ["6.0 (n=3)", "7.0 (n=1, ≤2.1k)"]
    assert mean[F1] == pytest.approx((19 * 51 + 50) / 20)
    missing = cells(pd.DataFrame(rows).query("task != 20"), "generated")
    assert MEAN not in missing.index.get_level_values("task")


def test_budgets_of_a_mean_are_named_once():
    """Of all its runs, also where seeds of one task differ."""
    rows = [
        {"id": f"{task}{seed}", "model": "prehoc", "task": task, "seed": seed, "examples": 1000, "stories": "generated"}
        | {"error_test": 1.0, "facts_f1": 50.0, "origin": STORED, "patience": 1400, "solved": 0.001}
        | {"updates": {(3, 0): 1400, (7, 0): 2100, (9, 0): 2100, (9, 1): 2100}.get((task, seed), 5600)}
        for task in range(1, 21)
        for seed in range(2)
    ]
    assert cells(pd.DataFrame(rows), "generated").loc[(MEAN, "prehoc", STORED)].budget == "preset or ≤1.4k or ≤2.1k"


def test_an_empty_store_has_empty_tables(tmp_path):
    none = cells(with_origin(Store(tmp_path).runs(), []), "generated")
    assert none.empty
    assert paper_layout(none, ERROR).shape == (len(TASKS), 0)
    assert facts_figures.by_task(none).data.startswith("Neither paper nor store has an F1")


def test_printed_tasks_average_to_the_printed_means():
    rows = published_facts()
    tasks, means = rows[rows.task.notna()], rows[rows.task.isna()].set_index(["table", "model"])
    assert set(tasks.groupby(["table", "model"]).task.nunique()) == {20}
    assert len(means) == 7
    averages = tasks.groupby(["table", "model"])[["error", "f1"]].mean().loc[means.index]
    for name in ("error", "f1"):
        assert averages[name].to_numpy() == pytest.approx(means[name].to_numpy(), abs=0.11, nan_ok=True)


def test_sentence_attention_gives_the_f1_of_the_record(store):
    """Every sentence is explained once, and its F1 is that of the record."""
    run = store.runs().query("model == 'prehoc' and task == 15").iloc[0]
    reader, test = load(run.id, str(store.outputs)), stories_of(15, 60, "test", "generated")[:20]
    sentences = sentence_attention(reader, test)
    expected = [(place, number) for place, asked in enumerate(test) for number in range(1, len(asked.story) + 1)]
    assert list(zip(sentences.question, sentences.sentence, strict=True)) == expected
    assert sentences.fact.tolist() == [number - 1 in test[place].supporting for place, number in expected]
    assert sentences.groupby("question").attention.sum().to_numpy() == pytest.approx(1, abs=1e-5)
    assert f1_by_threshold(sentences, [0.5]).attention.item() == pytest.approx(run.facts_f1_paper)
    assert f1_by_threshold(sentences, [run.facts_share]).share.item() == pytest.approx(run.facts_f1)


def test_the_chosen_share_is_the_best_on_what_its_seed_held(store):
    run = store.runs().query("model == 'prehoc' and task == 1 and seed == 1").iloc[0]
    reader = load(run.id, str(store.outputs))
    data = Data(stories_of(1, 60, source="generated"), stories_of(1, 60, "test", "generated")[:20])
    kept = validation_questions(reader, data, 1)
    assert 0 < len(kept) < 60
    assert kept != validation_questions(reader, data, 0)
    sentences = sentence_attention(reader, kept)
    said, fact = sentences.share > run.facts_share, sentences.fact
    assert 200 * (said & fact).sum() / (said.sum() + fact.sum()) >= f1_by_threshold(sentences).share.max() - 1e-9


def test_a_reader_without_temporal_attention_is_refused(store):
    reader = load(store.runs().query("model == 'entnet'").id.iloc[0], str(store.outputs))
    with pytest.raises(InputError, match="reader has no temporal attention"):
        sentence_attention(reader, stories_of(1, 60, "test", "generated")[:1])


def test_pictures_have_a_panel_for_what_is_there(store, told):
    run = store.runs().query("model == 'prehoc' and task == 15").iloc[0]
    sentences = sentence_attention(load(run.id, str(store.outputs)), stories_of(15, 60, "test", "generated")[:20])
    one = facts_figures.SentenceSet("prehoc, task 15", sentences, run.facts_share)
    above, _, below = facts_figures.alignment_histograms([one], "SentenceSet apart").axes
    assert sum(bar.get_height() for bar in above.containers[0]) == pytest.approx(100)
    assert (above.get_xlabel(), below.get_ylabel()) == ("sigmoid of the alignment", "F1 (percent)")
    stored = told.rename(index={HERE: STORED})
    picture = facts_figures.by_task(stored)
    assert [ax.get_title(loc="left") for ax in picture.axes] == [
        "in the store, paper's rule",
        "in the store, calibrated rule",
    ]
    assert picture.get_suptitle().endswith("published, paper's rule: none")
    (points,) = [line.get_ydata() for line in picture.axes[1].lines if line.get_label() == "prehoc"]
    assert points[14] == pytest.approx(told.loc[(15, "prehoc", HERE)][F1])
