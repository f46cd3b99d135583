"""Figures of the papers' tables: every cell as a colour, ours beside the printed mean, and the papers' own figures.

Where a store has nothing to draw, a function returns a sentence that says so."""

from collections.abc import Collection

import pandas as pd
import seaborn as sns
from IPython.display import Markdown

from symshift.results import style as figures
from symshift.results.generalisation import figures as generalisation_figures
from symshift.results.generalisation import tables as generalisation
from symshift.results.papers.cells import official
from symshift.results.papers.published import means
from symshift.results.papers.tables import with_printed
from symshift.results.style import FAILED, Picture, canvas, sort_presets, style, themed
from symshift.runs.selection import one_run_per_seed
from symshift.runs.store import Store

TASKS = range(1, 21)
OURS = ("stpr-sm", "gstpr-sm")  # on the front page
PAPER = {"color": "0.45", "marker": "o", "fillstyle": "none", "linestyle": "none", "markersize": 8}


def errors(cells: pd.DataFrame, examples: int) -> Picture | Markdown:
    """Mean test errors on the official stories, a row each model and a column each task, with n below each."""
    found = official(cells, examples)
    if found.empty:
        return Markdown(f"The store has no run of {examples:,} official examples, so there is no figure of errors.")
    return _errors(found, examples)


@themed
def _errors(found: pd.DataFrame, examples: int) -> Picture:
    wide = found.pivot_table(["mean", "n"], "model", "task")
    means = wide["mean"].reindex(index=sort_presets(wide.index), columns=TASKS)
    seeds = wide["n"].reindex_like(means)
    labels = means.map("{:.1f}".format).mask(means.isna(), "") + seeds.map("\nn={:.0f}".format).mask(means.isna(), "")
    title = f"Test errors, {examples:,} training examples"
    picture, ax = canvas(title, "task", "model", width=14.0, height=1.6 + 0.6 * len(means))
    unit = {"label": "mean test error (percent)"}
    sns.heatmap(means, ax=ax, cmap="Blues", vmin=0, vmax=100, annot=labels, fmt="", linewidths=1, cbar_kws=unit)
    ax.set(xlabel="task", ylabel="model")
    ax.grid(visible=False)
    ax.tick_params(axis="y", rotation=0)
    return picture


def beside_papers(cells: pd.DataFrame, examples: int) -> Picture | Markdown:
    """A panel each model with a printed number: ours filled, the paper's open and grey, with standard deviations."""
    found = official(with_printed(cells), examples).dropna(subset="paper").reset_index()
    if found.empty:
        return Markdown(f"The store has no run of {examples:,} examples beside which a paper prints a number.")
    return _beside_papers(found, examples)


@themed
def _beside_papers(found: pd.DataFrame, examples: int) -> Picture:
    models = sort_presets(found.model)
    picture = Picture(figsize=(10.0, 1.2 + 2.1 * len(models)), layout="constrained")
    for ax, model in zip(picture.subplots(len(models), sharex=True, squeeze=False)[:, 0], models, strict=True):
        mine, look = found[found.model == model], style(model) | {"linestyle": "none", "fillstyle": "full"}
        ax.errorbar(mine.task + 0.15, mine.paper, mine.paper_std, **PAPER, label="paper")
        ax.errorbar(mine.task - 0.15, mine["mean"], mine["std"].fillna(0), **look, markersize=8, label="ours")
        ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")
        ax.set_title(f"{model}, {examples:,} examples, {_seeds(mine)}, and the paper's", loc="left")
        ax.set(xlim=(0.4, 20.6), xticks=TASKS, ylabel="error (percent)", ylim=(-4, 104))
        ax.grid(axis="x", visible=False)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    ax.set_xlabel("task")
    return picture


@themed
def front_page(cells: pd.DataFrame, title: str = "Test error by task, 1,000 training examples") -> Picture:
    """The README's figure: mean errors of OURS with their standard deviations, beside the printed ones of stpr-sm."""
    picture, ax = canvas(title, "task", "test error (percent)", width=10.0, height=4.0)
    printed = means().query("model == 'stpr-sm' and examples == 1000 and test == 'original'")
    ax.errorbar(printed.task, printed.error, printed["std"], **PAPER, label="stpr-sm, paper (n=10)")
    found = official(cells, 1000).reset_index()
    for model, shift in zip(OURS, (-0.2, 0.2), strict=True):
        mine = found[found.model == model]
        look = style(model) | {"linestyle": "none", "fillstyle": "full"}
        label = f"{model}, ours ({_seeds(mine)})" if len(mine) else f"{model}, ours: none yet"
        ax.errorbar(mine.task + shift, mine["mean"], mine["std"].fillna(0), **look, markersize=8, label=label)
    ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")
    ax.annotate("failed above", (1, FAILED), xycoords=("axes fraction", "data"), va="bottom", ha="right", color="0.4")
    ax.set(xlim=(0.4, 20.6), xticks=TASKS, ylim=(-2, 100))
    ax.grid(axis="x", visible=False)
    ax.legend(loc="upper left")
    return picture


def learning(store: Store, models: Collection[str], examples: int) -> Picture | Markdown:
    """Figure 4 of the symbol-shift paper: validation error over updates, the mean over the tasks that all of these
    models have."""
    runs = one_run_per_seed(store.runs())
    runs = runs[(runs.stories == "official") & (runs.examples == examples) & runs.model.isin(models)]
    tasks = [set(mine.task) for _, mine in runs.groupby("model")]
    common = sorted(set.intersection(*tasks)) if tasks else []
    if not common:
        said = f"The store has no task of {examples:,} examples that all of {', '.join(models)} have learnt."
        return Markdown(said + " So there are no curves.")
    curves = pd.concat(_of_model(store, mine[mine.task.isin(common)]) for _, mine in runs.groupby("model"))
    return figures.learning_curves(
        curves, f"Learning curves, {examples:,} examples, mean over {len(common)} of 20 tasks"
    )


def by_number(runs: pd.DataFrame, unit: str, title: str) -> Picture | Markdown:
    """Figures 1 and 7 of the symbol-shift paper: errors of presets as they are by the number of names or variables."""
    errors = generalisation.by_number(generalisation.with_origin(runs, []), unit)
    if errors.empty:
        return Markdown(f"The store has no run of full length on other numbers of {unit}.")
    return generalisation_figures.by_number(errors, unit, title)


def _seeds(cells: pd.DataFrame) -> str:
    seeds, others = generalisation_figures.counted(cells), (cells.budget != "").sum()
    return f"{seeds}; {others} of {len(cells)} tasks on another budget" if others else seeds


def _of_model(store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """The curve of each seed over its tasks; a run that has stopped keeps its last value."""
    kept = [store.curve(run.id).assign(task=run.task, seed=run.seed) for run in runs.itertuples()]
    wide = pd.concat(kept).pivot_table(index="update", columns=["seed", "task"], values="valid_error").ffill()
    complete = [seed for seed, mine in wide.T.groupby(level="seed") if len(mine) == runs.task.nunique()]
    means = wide[complete].T.groupby(level="seed").mean().T.dropna()
    return (
        means.melt(ignore_index=False, var_name="seed", value_name="valid_error")
        .reset_index()
        .assign(model=runs.model.iloc[0])
    )
