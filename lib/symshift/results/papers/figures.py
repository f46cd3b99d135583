"""Figures of the papers' tables: every cell as a colour, ours beside the printed mean, and the papers' own figures.

Where a store has nothing to draw, a function returns a sentence that says so; `front_page` draws the paper's numbers.
"""

from collections.abc import Collection
from typing import Any

import pandas as pd

from symshift.config import sort_presets
from symshift.data.babi.generator import BABI_TASKS
from symshift.results.generalisation import figures as generalisation_figures
from symshift.results.generalisation import tables as generalisation
from symshift.results.papers.cells import official
from symshift.results.papers.published import means
from symshift.results.papers.tables import with_printed
from symshift.results.picture import (
    OUTSIDE,
    EmptyResultError,
    Picture,
    draw_heatmap,
    name_missing,
    sentence_if_empty,
    single_panel,
    themed,
)
from symshift.results.style import FAILED, draw_failed_line, learning_curves, style
from symshift.runs.selection import one_run_per_seed, seed_range
from symshift.runs.store import Store

OURS = ("stpr-sm", "gstpr-sm")  # on the front page
PAPER: dict[str, Any] = {
    "color": "0.45",
    "marker": "o",
    "fillstyle": "none",
    "linestyle": "none",
    "markersize": 8,
}
FILLED: dict[str, Any] = {"linestyle": "none", "fillstyle": "full", "markersize": 8}


@sentence_if_empty
@themed
def errors(cells: pd.DataFrame, examples: int) -> Picture:
    """Draw mean test errors on the official stories, one row per model and one column per task, with n below each.

    Args:
        cells: `cells.cells` (percent).
        examples: Number of training examples.
    """
    table = official(cells, examples)
    if table.empty:
        raise EmptyResultError(
            f"The store has no run of {examples:,} official examples, so there is no figure of errors."
        )
    wide = table.pivot_table(["mean", "n"], "model", "task")
    shown = wide["mean"].reindex(index=sort_presets(wide.index), columns=BABI_TASKS)
    seeds = wide["n"].reindex_like(shown)
    labels = shown.map("{:.1f}".format) + seeds.map("\nn={:.0f}".format)
    title = f"Test errors, {examples:,} training examples"
    fig, ax = single_panel(title, "task", "model", width=14.0, height=1.6 + 0.6 * len(shown))
    unit = {"label": "mean test error (percent)"}
    labels = labels.mask(shown.isna(), "")
    draw_heatmap(ax, shown, cmap="Blues", vmin=0, vmax=100, annot=labels, fmt="", linewidths=1, cbar_kws=unit)
    ax.grid(visible=False)
    return fig


@sentence_if_empty
@themed
def paper_comparison(cells: pd.DataFrame, examples: int) -> Picture:
    """Draw our errors by task beside the printed ones, one panel for each model that a paper prints.

    Ours are filled, the paper's open and grey; bars are standard deviations over seeds.

    Args:
        cells: `cells.cells` (percent).
        examples: Number of training examples.
    """
    table = official(with_printed(cells), examples).dropna(subset="paper").reset_index()
    if table.empty:
        raise EmptyResultError(f"The store has no run of {examples:,} examples beside which a paper prints a number.")
    models = sort_presets(table.model)
    fig = Picture(figsize=(10.0, 1.2 + 2.1 * len(models)), layout="constrained")
    panels = fig.subplots(len(models), sharex=True, squeeze=False)[:, 0]
    for ax, model in zip(panels, models, strict=True):
        ours = table[table.model == model]
        ax.errorbar(ours.task + 0.15, ours.paper, ours.paper_std, **PAPER, label="paper")
        ax.errorbar(ours.task - 0.15, ours["mean"], ours["std"].fillna(0), **style(model) | FILLED, label="ours")
        draw_failed_line(ax)
        ax.set_title(f"{model}, {examples:,} examples, {_seeds(ours)}, and the paper's", loc="left")
        ax.set(xlim=(0.4, 20.6), xticks=BABI_TASKS, ylabel="error (percent)", ylim=(-4, 104))
        ax.grid(axis="x", visible=False)
        ax.legend(**OUTSIDE)
    panels[-1].set_xlabel("task")
    return fig


@themed
def front_page(cells: pd.DataFrame) -> Picture:
    """Draw the README's figure: mean errors of OURS with their standard deviations, beside the paper's of stpr-sm.

    Args:
        cells: `cells.cells` (percent).
    """
    title = "Test error by task, 1,000 training examples; bars are standard deviations over seeds"
    fig, ax = single_panel(title, "task", "test error (percent)", width=10.0, height=4.0)
    paper = means().query("model == 'stpr-sm' and examples == 1000 and test == 'original'")
    ax.errorbar(paper.task, paper.error, _bars(paper.error, paper["std"]), **PAPER, label="stpr-sm, paper (n=10)")
    table = official(cells, 1000).reset_index()
    for model, offset in zip(OURS, (-0.2, 0.2), strict=True):
        ours = table[table.model == model]
        label = f"{model}, ours ({_seeds(ours)})" if len(ours) else f"{model}, ours: none yet"
        bars = _bars(ours["mean"], ours["std"].fillna(0))
        ax.errorbar(ours.task + offset, ours["mean"], bars, **style(model) | FILLED, label=label)
    draw_failed_line(ax)
    ax.annotate("failed above", (1, FAILED), xycoords=("axes fraction", "data"), va="bottom", ha="right", color="0.4")
    ax.set(xlim=(0.4, 20.6), xticks=BABI_TASKS, ylim=(-2, 100))
    ax.grid(axis="x", visible=False)
    ax.legend(loc="upper left")
    return fig


@sentence_if_empty
def learning(store: Store, models: Collection[str], examples: int) -> Picture:
    """Draw figure 4 of the symbol-shift paper: validation error over updates, mean over the tasks that all models have.

    A curve is of the seeds that have learnt all of these tasks; the title names the models that have no such seed.

    Args:
        store: Where the runs are.
        models: Presets.
        examples: Number of training examples.
    """
    runs = one_run_per_seed(store.runs())
    runs = runs[(runs.stories == "official") & (runs.examples == examples) & runs.model.isin(models)]
    tasks = [set(group.task) for _, group in runs.groupby("model")]
    common = sorted(set.intersection(*tasks)) if tasks else []
    if not common:
        raise EmptyResultError(
            f"The store has no task of {examples:,} examples that all of {', '.join(models)} have learnt."
            " So there are no curves."
        )
    runs = runs[runs.task.isin(common)]
    curves = pd.concat([_mean_curves(store, group) for _, group in runs.groupby("model")])
    if curves.empty:
        raise EmptyResultError(
            f"The store has no seed of {', '.join(models)} that has learnt all of the {len(common)} tasks of"
            f" {examples:,} examples that they share. So there are no curves."
        )
    title = f"Learning curves, {examples:,} examples, mean over {len(common)} of 20 tasks"
    fig = learning_curves(curves, name_missing(title, [name for name in models if name not in {*curves.model}]))
    ax = fig.axes[0]
    ax.set(xscale="log", xlim=(0.9 * curves["update"].min(), None))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return fig


@sentence_if_empty
def by_number(runs: pd.DataFrame, unit: str, title: str) -> Picture:
    """Draw figures 1 and 7 of the symbol-shift paper: errors by the number of names or variables.

    Args:
        runs: The runs of a store.
        unit: `names` or `variables`.
        title: What the figure shows.
    """
    errors = generalisation.by_number(generalisation.with_origin(runs, [], one_run_per_seed), unit)
    if errors.empty:
        raise EmptyResultError(f"The store has no run on other numbers of {unit}.")
    return generalisation_figures.by_number(errors, unit, title)


def _bars(errors: pd.Series, deviations: pd.Series) -> list[pd.Series]:
    """Return how far bars reach below and above these errors: a standard deviation, but not below 0 percent."""
    return [deviations.clip(upper=errors), deviations]


def _seeds(cells: pd.DataFrame) -> str:
    """Describe the number of seeds, and how many tasks have another budget than the preset's."""
    seeds = f"n={seed_range(cells.n)}"
    others = (cells.budget != "").sum()
    return f"{seeds}; {others} of {len(cells)} tasks on another budget" if others else seeds


def _mean_curves(store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """Average the curves of each seed over its tasks; a run that has stopped keeps its last value."""
    curves = [store.curve(run.id).assign(task=run.task, seed=run.seed) for run in runs.itertuples()]
    wide = pd.concat(curves).pivot_table(index="update", columns=["seed", "task"], values="valid_error").ffill()
    complete = [seed for seed, group in wide.T.groupby(level="seed") if len(group) == runs.task.nunique()]
    means = wide[complete].T.groupby(level="seed").mean().T.dropna()
    tidy = means.melt(ignore_index=False, var_name="seed", value_name="valid_error").reset_index()
    return tidy.assign(model=runs.model.iloc[0])
