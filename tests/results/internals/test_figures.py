"""Pictures of inner values: what belongs together stands together, and every axis has its name."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from symshift.errors import InputError
from symshift.results.internals import figures as analysis_figures

LINES = [f"{who} went to the {where}." for who in ("Mary", "John", "Sandra") for where in ("attic", "barn", "yard")]
MADE = np.random.default_rng(0)


def alike(place: int) -> pd.DataFrame:
    """Similarities of sentences by the word at this place."""
    words = [line.split()[place] for line in LINES]
    values = [[0.9 if one == other else 0.1 for other in words] for one in words]
    return pd.DataFrame(np.where(np.eye(len(LINES)), 1, values), LINES, LINES)


def words(prefix: str, columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(MADE.uniform(size=(4, len(columns))), [f"{prefix}{n}" for n in range(4)], columns)


TOLD = pd.DataFrame(
    [("1  a", "slot 1", "x", 0.5), ("2  b", "slot 1", "y", 0.9), ("2  b", "slot 2", "z", 0.1)],
    columns=["sentence", "slot", "word", "probability"],
)
SHARES = pd.DataFrame(
    [(u, s, 0.5 - u / 1000, test, u / 100) for u in (10, 20) for s in (0, 1) for test in ("original", "rooms")],
    columns=["update", "seed", "beta", "test", "symbolic"],
)
PICTURES = {
    "clusters": lambda: analysis_figures.clusters({"e1": alike(0), "e2": alike(-1), "r1": alike(0)}, "Clusters"),
    "correlated": lambda: analysis_figures.correlations(alike(0), "Words"),
    "symbols": lambda: analysis_figures.symbols(
        {"stpr": words("w", ["alpha"]), "smn": words("w", ["A0", "A1"])}, "Symbols"
    ),
    "mixture": lambda: analysis_figures.mixture(SHARES, "gstpr", "Mixture"),
    "over_time": lambda: analysis_figures.slot_answers(TOLD, "Memory"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_words_that_can_be_read(name):
    picture = PICTURES[name]()
    assert any(ax.get_xlabel() for ax in picture.axes)
    assert picture.axes[0].get_ylabel()
    assert repr(picture)
    picture.draw_without_rendering()
    assert all(text.get_fontsize() >= 9 for text in picture.findobj(mpl.text.Text) if text.get_text())
    assert mpl.rcParams["axes.titleweight"] != "bold"


def test_sentences_that_are_alike_stand_together():
    picture = PICTURES["clusters"]()
    shown = {ax.get_title(loc="left"): [label.get_text() for label in ax.get_yticklabels()] for ax in picture.axes}
    for head, place in (("e1", 0), ("e2", -1)):
        order = [line.split()[place] for line in shown[head]]
        assert sorted(shown[head]) == sorted(LINES)
        assert sum(one != other for one, other in pairwise(order)) == 2
    assert sum(title != "" for title in shown) == 3


def test_one_sentence_is_no_cluster():
    with pytest.raises(InputError, match=r"^1 sentence: at least two"):
        analysis_figures.cluster_linkage(pd.DataFrame([[1.0]]))


def test_models_keep_their_order_and_words_stand_by_their_alpha():
    picture = PICTURES["symbols"]()
    assert [ax.get_title(loc="left") for ax in picture.axes] == ["smn", "stpr"]
    assert [len(ax.lines) - 1 for ax in picture.axes] == [2, 1]
    assert [ax.get_legend() is None for ax in picture.axes] == [False, True]


def test_the_mixture_has_its_weight_and_each_test_set_once():
    (ax,) = PICTURES["mixture"]().axes
    assert ax.get_legend_handles_labels()[1] == [
        "its weight, 1 - beta", "in answers: original", "in answers: rooms",
    ]  # fmt: skip
    thick = {line.get_label(): line.get_ydata().tolist() for line in ax.lines if line.get_linewidth() == 2.5}
    assert thick["its weight, 1 - beta"] == pytest.approx([0.51, 0.52])
    assert thick["in answers: rooms"] == pytest.approx([0.1, 0.2])


def test_a_slot_that_is_not_there_yet_stays_empty():
    ax = PICTURES["over_time"]().axes[0]
    assert [text.get_text() for text in ax.texts] == ["x", "y", "z"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1  a", "2  b"]
