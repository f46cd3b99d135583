"""Our numbers beside printed ones: like beside like, and only tasks that both have."""

import numpy as np
import pandas as pd
import pytest

from symshift.config import configure, presets
from symshift.results.papers import tables as comparison
from symshift.results.papers.cells import cells
from symshift.results.papers.published import published
from symshift.runs.store import Store
from tests.helpers.rows import run

STPR, TPR = "Salinas & Elsahar 2021", "Schlag & Schmidhuber 2018"
FOUND = cells(
    pd.DataFrame(
        [
            run("stpr-sm", 1, 0, 1.0, valid=2.0),
            run("stpr-sm", 1, 1, 2.0, valid=0.0),
            run("stpr-sm", 10, 0, 4.0, updates=24000),
            run("stpr-sm", 19, 0, 10.0),
            run("mn", 16, 0, 0.0),
            run("mn-plain", 16, 0, 51.0),
            run("gstpr-sm", 19, 0, 1.0),
            run("stpr-sm", 17, 0, 99.0, stories="generated"),
            run("tpr", 3, 0, 1.0, valid=1.0, examples=10000),
            run("tpr", 3, 1, 3.0, valid=0.0, examples=10000),
        ]
    )
)
NOTHING = pd.DataFrame(columns=["model", "task", "examples", "experiment"])


def test_printed_mean_stands_beside_official_stories_alone():
    beside = comparison.with_printed(FOUND).set_index(["model", "task", "examples"])
    assert beside.paper.dropna().to_dict() == {
        ("mn", 16, 1000): 52.1,
        ("mn-plain", 16, 1000): 52.1,
        ("stpr-sm", 1, 1000): 0.0,
        ("stpr-sm", 10, 1000): 10.2,
        ("stpr-sm", 19, 1000): 43.9,
        ("tpr", 3, 10000): 1.4,
    }


def test_temporal_attention_numbers_stand_beside_its_models():
    """What the paper prints stands beside the models of the paper."""
    rows = [run("prehoc", 7, 0, 16.1), run("prehoc", 7, 0, 5.0, examples=10000), run("entnet", 1, 0, 0.0)]
    found = cells(pd.DataFrame(rows))
    beside = comparison.with_printed(found).set_index(["model", "examples"])
    assert beside.paper.dropna().to_dict() == {("prehoc", 1000): 17.1, ("entnet", 1000): 0.7}
    assert beside.paper_std.isna().all()
    plain = comparison.with_printed(cells(pd.DataFrame([run("entnet-released", 15, 0, 68.0)])))
    assert plain.paper.tolist() == [57.8]
    table = comparison.aggregate(found, 1000)
    assert (table.loc["prehoc"]["paper, same tasks"], table.loc["prehoc"]["paper, all tasks"]) == (17.1, 21.9)
    assert comparison.deviations(found, NOTHING).empty


def test_table_side_by_side_keeps_empty_cells():
    """Empty cells stay empty, and each other says n and budget."""
    table = comparison.side_by_side(FOUND, STPR, "Table 3").data
    assert table.index.tolist() == list(range(1, 21))
    assert table["stpr-sm", "mean of 10"][10] == "10.2 ± 3.3"
    ours = table["stpr-sm", "ours, mean"]
    assert (ours[1], ours[2], ours[10]) == ("1.5 ± 0.7 (n=2)", "", "4.0 (n=1, ≤24k)")
    assert ours[17] == ""  # there are generated stories only
    assert table["mn-plain", "ours, mean"][16] == "51.0 (n=1)"
    assert table["mn", "ours, mean"][16] == "0.0 (n=1)"
    assert ("gstpr-sm", "ours, mean") not in table


def test_budgets_are_compared_over_the_same_seeds():
    """Two budgets are compared on official stories, seed by seed."""
    few, some, many = ({"updates": updates} for updates in (2000, 12000, 24000))
    rows = [run("mn", 1, seed, 9.0, **few) for seed in (0, 1, 2)]
    rows += [run("mn", 1, 0, 1.0, **many), run("mn", 1, 1, 2.0, **many), run("mn", 1, 1, 99.0, **some)]
    rows += [run("mn", 4, 0, 3.0, **few), run("mn", 4, 0, 4.0, **some), run("mn", 4, 1, 0.0, **some)]
    rows += [run("mn", 5, 0, 3.0, stories="generated", **few), run("mn", 5, 0, 0.0, stories="generated", **many)]
    rows += [run("mn", 6, 0, 3.0, **few), run("mn", 6, 0, 0.0, dropout=0.1, **many)]
    table = comparison.budgets(pd.DataFrame(rows))
    assert table.to_dict("split", index=False)["data"] == [
        ["mn", 1, 1000, 2, 2000, 9.0, 24000, 1.5],
        ["mn", 4, 1000, 1, 2000, 3.0, 12000, 4.0],
    ]


def test_changed_preset_stands_beside_preset_and_paper():
    """What changed more than a budget stands beside its preset and the printed error."""
    rows = [run("mn", 1, seed, 9.0) for seed in (0, 1)] + [run("mn", 4, 0, 3.0), run("mn", 6, 0, 1.0)]
    rows += [run("mn", 1, seed, 6.0 + seed, dim=30, dropout=0.2) for seed in (0, 1)]
    rows += [run("mn", 1, 0, 99.0, dim=30, dropout=0.2, updates=2000), run("mn", 4, 0, 4.0, dim=30)]
    rows += [run("mn", 4, 0, 0.0, updates=2000), run("mn", 6, 0, 0.0, dim=30, stories="generated")]
    rows += [run("mn", 5, 0, 2.0, dim=30)]
    runs = pd.DataFrame(rows)
    table = comparison.experiments(runs, cells(runs))
    assert table.columns.tolist() == [
        "model", "task", "examples", "changed", "n", "at most", "error", "as the preset", "paper"
    ]  # fmt: skip
    most = configure({"model": "mn"}).training.updates
    assert table.astype(object).fillna("").to_dict("split", index=False)["data"] == [
        ["mn", 1, 1000, "dim 30, dropout 0.2", 2, most, 6.5, 9.0, 0.4],
        ["mn", 4, 1000, "dim 30", 1, most, 4.0, 3.0, 21.6],
        ["mn", 5, 1000, "dim 30", 1, most, 2.0, "", 22.3],
    ]


def test_a_split_by_question_stands_beside_the_split_by_story():
    rows = [run("tpr-hidden", 17, seed, 40.0 + seed) for seed in (0, 1)] + [run("tpr-hidden", 18, 0, 9.0)]
    rows += [run("tpr-hidden", 17, 0, 37.0, examples=900, updates=12000, stories="split by question")]
    table = comparison.splits(cells(pd.DataFrame(rows)))
    assert table.index.tolist() == [("tpr-hidden", 17)]
    assert table.loc["tpr-hidden", 17].to_dict() == {
        "n, by story": 2, "budget, by story": "", "mean, by story": 40.5, "paper": 32.6,
        "n, by question": 1, "budget, by question": "≤12k", "mean, by question": 37.0,
    }  # fmt: skip


def test_best_stands_beside_best_and_mean_beside_mean():
    """A printed best stands beside our best by validation, a printed mean beside our mean."""
    row = comparison.side_by_side(FOUND, TPR, "Table 2").data.loc[3]
    assert (row["tpr", "best"], row["tpr", "ours, best"]) == ("1.2", "3.0 (n=2)")
    assert (row["tpr", "mean"], row["tpr", "ours, mean"]) == ("1.78 ± 0.58", "2.0 ± 1.4 (n=2)")


def test_temporal_attention_s_tables_are_of_a_thousand_examples():
    found = cells(pd.DataFrame([run("prehoc", 7, 0, 5.0), run("prehoc", 8, 0, 5.0, examples=10000)]))
    table = comparison.side_by_side(found, comparison.TEMPORAL, "Table 1").data
    assert table.loc[7, ("prehoc", "not said")] == "17.1"
    assert table.loc[7, ("entnet", "not said")] == "22.3"
    assert table["prehoc", "ours, mean"].loc[[7, 8]].tolist() == ["5.0 (n=1)", ""]


def test_zero_shot_rows_are_a_task_and_a_test_set():
    table = comparison.side_by_side(FOUND, STPR, "Table 2").data
    assert table["stpr", "mean of 10"][(5, "object")] == "14.4 ± 2.8"


def test_a_table_over_all_tasks_is_as_printed():
    table = comparison.overall(STPR, "Table 1")
    assert table.loc["stpr-sm"].tolist() == ["5.6 ± 0.8", "3.1 ± 0.4", "1.79", "1.82"]
    assert table.loc["mn"].tolist() == ["27.3 ± 1.1", "15.6 ± 0.3", "", ""]


def test_network_of_one_task_is_not_beside_one_of_all():
    """Networks of one task do not stand beside a network of all."""
    table = comparison.side_by_side(FOUND, TPR, "Appendix B").data
    assert {number.rpartition(" (")[2] for _, number in table} == {"all tasks at once)"}


def test_aggregate_compares_the_same_tasks():
    """An aggregate compares the same tasks, and says how many there are."""
    table = comparison.aggregate(FOUND, 1000)
    row = table.loc["stpr-sm"]
    assert (row.tasks, row["n at least"], row.failed) == ("3 of 20", 1, "1 of 3")
    assert (row["mean"], row.best) == (pytest.approx(15.5 / 3), pytest.approx(16 / 3))
    assert row["paper, same tasks"] == pytest.approx((0.0 + 10.2 + 43.9) / 3)
    assert (row["paper failed"], row["paper, all tasks"]) == ("2 of 3", 5.6)
    assert table.loc["mn-plain"]["paper, all tasks"] == 27.3
    assert np.isnan(table.loc["gstpr-sm"]["paper, all tasks"])
    assert table.loc["gstpr-sm"]["paper failed"] == ""


def test_deviations_are_farthest_first_and_explained():
    """Deviations are of more than five points, the farthest first, and explained where an explanation exists."""
    explained = pd.DataFrame([("mn", 16, 1000, "mn-plain")], columns=NOTHING.columns)
    far = comparison.deviations(FOUND, explained)
    assert far.set_index(["model", "task"]).experiment.to_dict() == {
        ("mn", 16): "mn-plain", ("stpr-sm", 19): "", ("stpr-sm", 10): "",
    }  # fmt: skip
    assert far.difference.round(1).tolist() == [-52.1, -33.9, -6.2]


def test_no_cells_make_empty_comparisons(tmp_path):
    runs = Store(tmp_path).runs()
    found = cells(runs)
    assert comparison.budgets(runs).empty
    assert comparison.splits(found).empty
    assert comparison.experiments(runs, found).empty
    assert comparison.aggregate(found, 1000).empty
    assert comparison.deviations(found, comparison.explanations()).empty
    columns = comparison.side_by_side(found, STPR, "Table 4").data.columns
    assert set(columns.get_level_values("number")) == {"mean of 10"}


def test_explanations_are_of_presets_and_printed_tasks():
    explained = comparison.explanations()
    assert set(explained.model) <= set(presets())
    assert set(explained.task) <= set(range(1, 21))


def test_every_printed_table_of_tasks_can_stand_side_by_side():
    rows = published().query("task.notna() and examples.notna()")
    for paper, table in rows[["paper", "table"]].drop_duplicates().itertuples(index=False):
        assert len(comparison.side_by_side(FOUND, paper, table).data), f"{paper} {table}"
