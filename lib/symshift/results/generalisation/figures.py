"""Figures of the generalisation experiments: a panel for each origin and number of training examples, side by side."""

from itertools import zip_longest

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from symshift.data.new_people import TRAINED
from symshift.results.generalisation.tables import HERE, ORIGINS, SEEN, STORED, TESTS
from symshift.results.papers.published import published
from symshift.results.style import FAILED, Picture, dodge_offsets, legend_handles, sort_presets, style, themed

WORDS = {"original": "none", "room": "rooms", "object": "objects", "people": "people"}
SHADES = {"cmap": "Blues", "vmin": 0, "vmax": 100, "annot": True, "fmt": ".1f", "linewidths": 1, "cbar": False}
WIDTH, HEIGHT, LEGEND, CELL = 3.8, 2.7, 2.2, 0.32  # inches
MOST = 3  # panels side by side


@themed
def unseen_words(errors: pd.DataFrame, title: str = "Words never seen in training") -> Picture:
    """Errors of `generalisation.unseen_words`, a row of panels for each task: models by which words are new to them; a
    square without a number was not run."""
    tasks = [(sort_presets(mine.model), _groups(mine)) for _, mine in errors.groupby("task")]
    columns = max((len(groups) for _, groups in tasks), default=1)
    heights = [len(models) + 2 for models, _ in tasks] or [1]
    picture = _titled(errors, title, (WIDTH * columns + LEGEND, CELL * sum(heights) + 0.6))
    axes = picture.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
    for row, (models, groups) in zip(axes, tasks, strict=False):
        for ax, mine in zip_longest(row, groups):
            if mine is None:
                ax.remove()
                continue
            means = mine.pivot_table("error", "model", "test").reindex(index=models, columns=TESTS)
            sns.heatmap(means, ax=ax, **SHADES, yticklabels=ax is row[0])
            ax.set_title(_named(mine), loc="left", fontsize=10)
            ax.set_xticklabels(WORDS.values(), rotation=0)
            ax.set(xlabel="words never seen in training", ylabel="model" if ax is row[0] else "")
            ax.grid(visible=False)
    if tasks:
        picture.colorbar(axes[0, 0].collections[0], ax=picture.axes, label="test error (percent)", aspect=40)
    return picture


@themed
def by_number(errors: pd.DataFrame, unit: str, title: str) -> Picture:
    """Lines of `generalisation.by_number`; of names with the bound that the paper states for its symbolic models."""
    picture, panels = _panels(errors, title, f"number of {unit}")
    bounds = published().query("table == 'Figure 1'")
    for ax, mine in panels:
        for model in sort_presets(mine.model):
            means = mine[mine.model == model].set_index("number").error.sort_index()
            ax.plot(means, **style(model), markersize=8, linewidth=2, label=model)
        if unit == "names":
            said = f"published bound:\n{', '.join(bounds.model)}"
            ax.axhline(bounds.error.max(), color="0.3", linestyle="--", linewidth=1.5, label=said)
        ax.set_xscale("log")
        ax.set_xticks(sorted(mine.number.unique()), [f"{number:,}" for number in sorted(mine.number.unique())])
        ax.minorticks_off()
    return _with_legend(picture)


@themed
def by_person(errors: pd.DataFrame, title: str = "New people") -> Picture:
    """Pairs of `generalisation.by_person`: open, tasks trained with that person; filled, tasks new to them."""
    picture, panels = _panels(
        errors, title, "new person, trained in fewer and fewer tasks;\nopen: in these tasks, filled: in the others"
    )
    models = sort_presets(errors.model)
    for ax, mine in panels:
        for model, shift in zip(models, dodge_offsets(len(models), 0.3), strict=True):
            pairs = mine[mine.model == model].pivot_table(index="person", columns="seen", values="error")
            pairs = pairs.reindex(index=list(TRAINED), columns=SEEN)
            look, places = style(model) | {"linestyle": "none"}, np.arange(len(pairs)) + shift
            ax.vlines(places, pairs.min(axis=1), pairs.max(axis=1), color=look["color"], linewidth=1.5)
            ax.plot(places, pairs.trained, **look | {"fillstyle": "none"}, markersize=8)
            ax.plot(places, pairs.new, **look | {"fillstyle": "full"}, markersize=8, label=model)
        ax.set_xticks(range(len(TRAINED)), TRAINED)
        ax.set_xlim(-0.5, len(TRAINED) - 0.5)
        ax.grid(axis="x", visible=False)
    return _with_legend(picture)


def _panels(errors: pd.DataFrame, title: str, x: str) -> tuple[Picture, list[tuple[Axes, pd.DataFrame]]]:
    """A picture, and its panels with the errors of each."""
    groups = _groups(errors)
    columns = min(MOST, max(1, len(groups)))
    rows = -(-len(groups) // columns) or 1
    picture = _titled(errors, title, (WIDTH * columns + LEGEND, HEIGHT * rows + 0.4))
    axes = picture.subplots(rows, columns, squeeze=False, sharey=True).flatten().tolist()
    for place, (ax, mine) in enumerate(zip(axes, groups, strict=False)):
        ax.set_title(_named(mine), loc="left", fontsize=10)
        ax.set_ylim(-3, 103)
        ax.set_ylabel("test error (percent)", visible=place % columns == 0)
        ax.set_xlabel(x, visible=place + columns >= len(groups))
        ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")
    for ax in axes[len(groups) :]:
        ax.remove()
    return picture, list(zip(axes, groups, strict=False))


def _groups(errors: pd.DataFrame) -> list[pd.DataFrame]:
    """The errors of each panel: an origin and number of examples."""
    ordered = errors.assign(origin=pd.Categorical(errors.origin, ORIGINS))
    return [part for _, part in ordered.groupby(["origin", "examples"], observed=True)]


def _titled(errors: pd.DataFrame, title: str, size: tuple[float, float]) -> Picture:
    """An empty picture of so many inches; the title says what is missing."""
    picture = Picture(figsize=size, layout="constrained")
    missing = [f"{origin}: none" for origin in (HERE, STORED) if origin not in set(errors.origin)]
    picture.suptitle("; ".join([title, *missing]), x=0.01, ha="left", weight="bold")
    return picture


def _named(mine: pd.DataFrame) -> str:
    """Task, origin, number of training examples and of seeds of a panel."""
    row = mine.iloc[0]
    task = f"task {row.task}, " if "task" in mine else ""
    return f"{task}{row.origin},\n{row.examples:,} examples, {counted(mine)}"


def counted(mine: pd.DataFrame) -> str:
    """How many seeds the means of a panel are of."""
    fewest, most = mine.n.min(), mine.n.max()
    return f"n={fewest}" if fewest == most else f"n={fewest} to {most}"


def _with_legend(picture: Picture) -> Picture:
    """Every label of every panel once."""
    drawn = legend_handles(picture)
    picture.legend(drawn.values(), drawn.keys(), loc="outside right center", frameon=False)
    return picture
