"""Figures of the tables show the cells' numbers, and an empty store gets a sentence in place of each."""

import hashlib

import pandas as pd
import pytest
from IPython.display import Markdown

from symshift.config import configure
from symshift.results.papers import figures as comparison_figures
from symshift.results.papers.cells import cells
from symshift.runs.store import Store
from tests.helpers.rows import run

FOUND = cells(
    pd.DataFrame([run("mn", 16, 0, 1.0), run("mn", 16, 1, 2.0), run("gstpr", 3, 0, 4.0), run("mn", 1, 0, 9.0)])
)


def kept(store: Store, model: str, task: int, seed: int, errors: list[float]) -> None:
    """A finished run with this curve, validated each 250 updates."""
    config = configure({"model": model, "task": task, "source": "official"}).flat()
    record = {"config": config, "seed": seed, "error": {"valid": errors[-1], "test": 1.0}, "seconds": 1.0}
    record |= {
        "updates_per_second": 1.0,
        "restarts": 0,
        "chosen": {"update": 250},
        "provenance": {"stories": "official", "data": ""},
    }
    curve = pd.DataFrame({"update": [250 * (at + 1) for at in range(len(errors))], "valid_error": errors})
    store.write(hashlib.sha256(f"{model}{task}{seed}".encode()).hexdigest()[:12], record, curve, {}, {})


def test_heatmap_has_mean_and_n_in_each_cell():
    """A cell with runs has their mean and n, any other has nothing."""
    ax = comparison_figures.errors(FOUND, 1000).axes[0]
    written = [text.get_text() for text in ax.texts if text.get_text()]
    assert sorted(written) == ["1.5\nn=2", "4.0\nn=1", "9.0\nn=1"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mn", "gstpr"]


def test_ours_and_the_papers_marks_are_at_their_means():
    (ax,) = comparison_figures.paper_comparison(FOUND, 1000).axes
    paper, ours = (container.lines[0].get_ydata().tolist() for container in ax.containers)
    assert (paper, ours) == ([0.4, 52.1], [9.0, 1.5])
    assert "n=1 to 2" in ax.get_title(loc="left")


def test_front_page_has_printed_tasks_and_ours():
    """The front page has all printed tasks, and ours where there are any."""
    ax = comparison_figures.front_page(
        cells(pd.DataFrame([run("stpr-sm", 16, seed, 1.0 + seed, updates=24000) for seed in (0, 1)]))
    ).axes[0]
    paper, ours, missing = (container.lines[0].get_ydata().tolist() for container in ax.containers)
    assert len(paper) == 20
    assert paper[18] == 43.9
    assert (ours, missing) == ([1.5], [])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "stpr-sm, paper (n=10)", "stpr-sm, ours (n=2; 1 of 1 tasks on another budget)", "gstpr-sm, ours: none yet",
    ]  # fmt: skip


def test_learning_curves_are_means_over_shared_tasks(tmp_path):
    """Learning curves are means over the tasks that all models have."""
    store = Store(tmp_path)
    kept(store, "mn", 1, 0, [80.0, 40.0])
    kept(store, "mn", 2, 0, [60.0])  # solved: keeps its last value
    kept(store, "mn", 2, 1, [90.0])  # a seed that lacks task 1
    kept(store, "gstpr", 1, 0, [10.0, 0.0])
    kept(store, "gstpr", 2, 0, [30.0, 20.0])
    kept(store, "gstpr", 3, 0, [99.0, 99.0])
    ax = comparison_figures.learning(store, ["mn", "gstpr"], 1000).axes[0]
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert lines["mn (n=1)"] == [70.0, 50.0]
    assert lines["gstpr (n=1)"] == [20.0, 10.0]
    assert "mean over 2 of 20 tasks" in ax.get_title(loc="left")
    assert ax.get_xscale() == "log", "curves come down in the first tenth of the updates"


def test_learning_names_models_without_a_complete_seed(tmp_path):
    store = Store(tmp_path)
    kept(store, "mn", 1, 0, [80.0, 40.0])
    kept(store, "mn", 2, 1, [60.0])  # another seed
    for task in (1, 2):
        kept(store, "gstpr", task, 0, [10.0, 0.0])
    ax = comparison_figures.learning(store, ["mn", "gstpr"], 1000).axes[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["gstpr (n=1)"]
    assert ax.get_title(loc="left").endswith("; mn: none")
    sentence = comparison_figures.learning(store, ["mn"], 1000)
    assert sentence.data.startswith("The store has no seed of mn ")


@pytest.mark.parametrize("unit", ["names", "variables"])
def test_an_empty_store_gets_sentences(unit, tmp_path):
    store = Store(tmp_path)
    found = cells(store.runs())
    said = [
        comparison_figures.errors(found, 1000),
        comparison_figures.paper_comparison(found, 1000),
        comparison_figures.learning(store, ["mn"], 1000),
        comparison_figures.by_number(store.runs(), unit, "More"),
    ]
    assert all(isinstance(sentence, Markdown) and sentence.data.startswith("The store has no ") for sentence in said)
