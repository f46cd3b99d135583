"""Audits of stored runs: their file, the means over tasks, and the figure."""

from pathlib import Path

import pandas as pd
import pytest
from IPython.display import Markdown

from symshift.config import sort_presets
from symshift.results.generalisation import audit
from symshift.results.generalisation.audit import by_model, comparable, stored_audits, summary
from symshift.results.generalisation.audit_figures import audit_figure
from symshift.results.papers import cells, results_page
from symshift.runs.store import Store
from tests.helpers.rows import run

ROOT = Path(__file__).parents[3]


def audits(models=("tpr", "gstpr"), tasks=range(1, 11), covariance=50.0) -> pd.DataFrame:
    """An audit of each model and task, in which unseen words halve the covariance."""
    return pd.DataFrame(
        [
            {
                "run": f"{model}{task}", "model": model, "task": task, "role": role, "renaming": renaming,
                "error": 0.0, "error_renamed": 10.0, "increase": 10.0,
                "covariance": covariance / (2 if renaming == "unseen" else 1),
            }
            for model in models for task in tasks for role in ("people", "verbs")
            for renaming in ("known", "unseen", "permuted")
        ]
    )  # fmt: skip


def test_committed_audits_are_of_published_runs():
    committed = stored_audits(ROOT / "outputs")
    records = Store(ROOT / "outputs").runs().set_index("id")
    assert len(committed)
    assert not committed.duplicated(["run", "role", "renaming"]).any()
    assert (records.loc[committed.run, ["model", "task"]].to_numpy() == committed[["model", "task"]].to_numpy()).all()
    for name in ("error", "increase", "covariance"):
        assert committed[name].between(committed[f"{name}_low"] - 0.01, committed[f"{name}_high"] + 0.01).all()


def test_command_on_a_store_without_runs_is_one_line(tmp_path, capsys):
    assert audit.main(["--outputs", str(tmp_path / "nowhere")]) == 2
    error = capsys.readouterr().err
    assert "nowhere' has no finished run; name the folder that holds runs/" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()


def test_summary_is_a_mean_over_names_and_tasks():
    rows = pd.concat([audits(["tpr"], [1], 100.0), audits(["tpr"], [2], 50.0), audits(["mn"], [1], 10.0)])
    table = summary(rows).set_index("model")
    assert list(table.index) == ["mn", "tpr"]
    assert table.loc["tpr", "tasks"] == 2
    assert table.loc["tpr", "covariance, known"] == pytest.approx(75)
    assert table.loc["tpr", "covariance, unseen verbs"] == pytest.approx(37.5)
    assert table.loc["tpr", "error increase, unseen (points)"] == pytest.approx(10)


def test_by_model_counts_each_task_once():
    twice = pd.concat([audits(["tpr"], [1], 100.0), audits(["tpr"], [1], 50.0), audits(["tpr"], [2], 25.0)])
    first = by_model(twice).iloc[0]
    assert (first.role, first.renaming, first.tasks, first.covariance) == ("people", "known", 2, 50.0)


def test_comparable_keeps_common_tasks_of_models_with_many():
    rows = pd.concat([audits(["tpr"], range(1, 12)), audits(["gstpr"], range(2, 13)), audits(["mn"], [1])])
    kept = comparable(rows)
    assert set(kept.model) == {"tpr", "gstpr"}
    assert set(kept.task) == set(range(2, 12))


def test_figure_has_a_panel_for_each_role():
    figure = audit_figure(audits())
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["people", "verbs (control)"]
    assert "10 tasks" in figure.get_suptitle()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == sort_presets(set(audits().model))
    assert isinstance(audit_figure(audits().head(0)), Markdown)


def test_results_page_has_a_section_where_there_are_audits():
    runs = pd.DataFrame([run("tpr", 1, 0, 1.0)])
    arguments = runs, cells.cells(runs), cells.cells(runs)
    assert "## What other names change\n" in results_page.page(*arguments, audits())
    assert "What other names change" not in results_page.page(*arguments)
