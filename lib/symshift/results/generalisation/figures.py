"""Figures of the generalisation experiments: one panel for each origin and number of training examples."""

import math
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from symshift.config import sort_presets
from symshift.data.new_people import TRAINED
from symshift.results.generalisation.tables import HERE, ORIGINS, SEEN, SOURCES, STORED, TESTS
from symshift.results.papers.published import published
from symshift.results.picture import (
    OUTSIDE,
    EmptyResultError,
    Picture,
    draw_heatmap,
    legend_handles,
    panel_grid,
    sentence_if_empty,
    single_panel,
    themed,
    titled_figure,
    with_legend,
)
from symshift.results.stories.figures import SETS
from symshift.results.style import FAILED, dodge_offsets, draw_failed_line, marker_edges, style
from symshift.runs.selection import seed_range

TEST_LABELS = {"original": "none", "room": "rooms", "object": "objects", "people": "people"}
SHADES: dict[str, Any] = {
    "cmap": "Blues",
    "vmin": 0,
    "vmax": 100,
    "annot": True,
    "fmt": ".1f",
    "linewidths": 1,
    "cbar": False,
}
WIDTH, HEIGHT, TALL, LEGEND, CELL = 3.8, 2.7, 4.6, 2.2, 0.32  # inches
COLUMNS = 3  # panels side by side at most


@themed
def unseen_words(errors: pd.DataFrame, title: str = "Words never seen in training") -> Picture:
    """Draw errors by which words are new to the model, a row of panels for each task; an empty square was not run.

    Args:
        errors: `tables.unseen_words` (percent).
        title: What the figure shows.
    """
    tasks = [(sort_presets(group.model), _panel_groups(group)) for _, group in errors.groupby("task")]
    columns = max((len(groups) for _, groups in tasks), default=1)
    heights = [len(models) + 2 for models, _ in tasks] or [1]
    fig = titled_figure(title, WIDTH * columns + LEGEND, CELL * sum(heights) + 0.6, missing_origins(errors))
    axes = fig.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
    for row, (models, groups) in zip(axes, tasks, strict=False):
        for ax, group in zip_longest(row, groups):
            if group is None:
                ax.remove()
                continue
            means = group.pivot_table("error", "model", "test").reindex(index=models, columns=TESTS)
            draw_heatmap(ax, means, **SHADES, yticklabels=ax is row[0])
            ax.set_title(_panel_title(group), loc="left", fontsize=10)
            ax.set_xticklabels(TEST_LABELS.values(), rotation=0)
            ax.set(xlabel="words never seen in training", ylabel="model" if ax is row[0] else "")
            ax.grid(visible=False)
    if tasks:
        fig.colorbar(axes[0, 0].collections[0], ax=fig.axes, label="test error (percent)", aspect=40)
    return fig


@themed
def by_number(errors: pd.DataFrame, unit: str, title: str) -> Picture:
    """Draw errors by the number of names or variables.

    Args:
        errors: `tables.by_number` (percent).
        unit: `names` or `variables`; with names comes the bound that the paper states for its symbolic models.
        title: What the figure shows.
    """
    fig, panels = _panels(errors, title, f"number of {unit}")
    bounds = published().query("table == 'Figure 1'")
    for ax, group in panels:
        _draw_models(ax, group, "number")
        if unit == "names":
            label = f"published bound:\n{', '.join(bounds.model)}"
            ax.axhline(bounds.error.max(), color="0.3", linestyle="--", linewidth=1.5, label=label)
    models = sort_presets(errors.model)
    return with_legend(fig, [*models, *(label for label in legend_handles(fig) if label not in models)])


@sentence_if_empty
@themed
def by_examples(errors: pd.DataFrame) -> Picture:
    """Draw errors by the number of training examples, a panel for each test.

    Args:
        errors: `tables.by_examples` (percent).
    """
    if errors.empty:
        raise EmptyResultError("The store has no task with all models at all numbers of examples: no figure.")
    tests = [test for test in TEST_LABELS if test in set(errors.test)]
    columns = min(2, len(tests))
    rows = math.ceil(len(tests) / columns)
    fig = titled_figure("Fewer and fewer training examples", WIDTH * columns + LEGEND, HEIGHT * rows + 0.6)
    panels = panel_grid(fig, len(tests), columns, sharey=True)
    for number, (ax, test) in enumerate(zip(panels, tests, strict=True)):
        group = errors[errors.test == test]
        _draw_models(ax, group, "examples")
        tasks = group.tasks.iloc[0]
        numbers = f"task{'s' * (len(tasks) > 1)} {', '.join(map(str, tasks))}"
        words = "original test" if test == "original" else f"unseen {TEST_LABELS[test]}"
        ax.set_title(f"{words}, n={seed_range(group.n)},\n{numbers}", loc="left", fontsize=10)
        _scale_errors(ax)
        ax.set_xlabel("training examples of a task", visible=number + columns >= len(tests))
        ax.set_ylabel("mean test error (percent)", visible=number % columns == 0)
    return with_legend(fig)


@themed
def by_person(errors: pd.DataFrame) -> Picture:
    """Draw errors for each new person: open marks for tasks trained with them, filled marks for tasks new to them.

    Args:
        errors: `tables.by_person` (percent).
    """
    x_label = "new person, trained in fewer and fewer tasks;\nopen: in these tasks, filled: in the others"
    fig, panels = _panels(errors, "New people", x_label, TALL)
    models = sort_presets(errors.model)
    edges = marker_edges(models)
    for ax, group in panels:
        for model, offset in zip(models, dodge_offsets(len(models), 0.35), strict=True):
            pairs = group[group.model == model].pivot_table(index="person", columns="seen", values="error")
            pairs = pairs.reindex(index=list(TRAINED), columns=SEEN)
            look = style(model) | {"linestyle": "none", "markeredgecolor": edges[model], "markersize": 8}
            x = np.arange(len(pairs)) + offset
            ax.vlines(x, pairs.min(axis=1), pairs.max(axis=1), color=look["color"], linewidth=1.5)
            ax.plot(x, pairs.trained, **look | {"fillstyle": "none"})
            ax.plot(x, pairs.new, **look | {"fillstyle": "full"}, label=model)
        ax.set_xticks(range(len(TRAINED)), TRAINED)
        ax.set_xlim(-0.5, len(TRAINED) - 0.5)
        ax.set_ylim(top=max(1.05 * errors.error.max(), 2.0 * FAILED))
        ax.grid(axis="x", visible=False)
    return with_legend(fig)


@sentence_if_empty
@themed
def cross_source_errors(errors: pd.DataFrame, title: str) -> Picture:
    """Draw one point per run of `tables.cross_source_errors`; on the dotted line the errors on both tests are equal."""
    if errors.empty:
        raise EmptyResultError("The store has no such run with its weights, so there is no figure of errors on both.")
    x, y = errors.columns[-2:]
    fig, ax = single_panel(title, f"error on {x} (percent)", f"error on {y} (percent)", width=6.6)
    maximum = 1.1 * errors[[x, y]].max(axis=None)
    ax.plot([0, maximum], [0, maximum], color="0.5", linewidth=1, linestyle=":")
    colours: dict[str, Any] = {"hue": "learnt", "hue_order": SOURCES, "palette": list(SETS[:2])}
    marks: dict[str, Any] = {"style": "learnt", "style_order": SOURCES, "markers": ["o", "s"], "s": 70}
    sns.scatterplot(errors, x=x, y=y, ax=ax, **colours, **marks)
    ax.set(xlim=(0, maximum), ylim=(0, maximum), aspect="equal")
    ax.legend(**OUTSIDE, title="learnt from stories")
    return fig


def missing_origins(errors: pd.DataFrame) -> list[str]:
    """Return which of our own origins have no rows."""
    return [origin for origin in (HERE, STORED) if origin not in set(errors.origin)]


def _panels(
    errors: pd.DataFrame, title: str, x: str, height: float = HEIGHT
) -> tuple[Picture, list[tuple[Axes, pd.DataFrame]]]:
    """Create a figure, and return its panels with the errors of each.

    The title of a panel has its stories, where these are named, and its budget: *≤20k updates* is 20,000 at most.
    """
    groups = _panel_groups(errors)
    columns = min(COLUMNS, max(1, len(groups)))
    rows = max(1, math.ceil(len(groups) / columns))
    fig = titled_figure(title, WIDTH * columns + LEGEND, height * rows + 0.4, missing_origins(errors))
    panels = list(zip(panel_grid(fig, len(groups), columns, sharey=True), groups, strict=True))
    for number, (ax, group) in enumerate(panels):
        notes = [group[column].iloc[0] for column in ("stories", "budget") if column in group]
        if "budget" in group and "≤" in notes[-1]:
            notes[-1] += " updates"
        ax.set_title(",\n".join([_panel_title(group), *filter(None, notes)]), loc="left", fontsize=10)
        _scale_errors(ax)
        ax.set_ylabel("test error (percent)", visible=number % columns == 0)
        ax.set_xlabel(x, visible=number + columns >= len(groups))
    return fig, panels


def _draw_models(ax: Axes, errors: pd.DataFrame, size: str) -> None:
    """Draw a line for each model, by a column of sizes on a logarithmic axis."""
    for model in sort_presets(errors.model):
        means = errors[errors.model == model].set_index(size).error.sort_index()
        ax.plot(means, **style(model), markersize=8, linewidth=2, label=model)
    sizes = sorted(errors[size].unique())
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{number:,}" for number in sizes])
    ax.minorticks_off()


def _scale_errors(ax: Axes) -> None:
    """Show errors from 0 to 100 percent, and above which a task is failed."""
    ax.set_ylim(-3, 103)
    draw_failed_line(ax)


def _panel_groups(errors: pd.DataFrame) -> list[pd.DataFrame]:
    """Split errors by origin, number of examples and stories, where these are named, one part for each panel."""
    in_order = errors.assign(origin=pd.Categorical(errors.origin, ORIGINS))
    by = [column for column in ("origin", "examples", "stories") if column in errors]
    return [part for _, part in in_order.groupby(by, observed=True)]


def _panel_title(group: pd.DataFrame) -> str:
    row = group.iloc[0]
    task = f"task {row.task}, " if "task" in group else ""
    return f"{task}{row.origin},\n{row.examples:,} examples, n={seed_range(group.n)}"
