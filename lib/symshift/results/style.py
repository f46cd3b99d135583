"""Shared look of every figure and table: a colour and marker for each family, and figures that several notebooks draw.

Colours stay apart for the three common forms of colour blindness (a test simulates them); markers and dashes
repeat what colours say. A table that is shown goes through `styled`, which escapes its strings.
"""

from collections.abc import Sequence
from html import escape
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pandas.io.formats.style import Styler

from symshift.config import family, sort_presets
from symshift.models.registry import FAMILIES
from symshift.results.picture import OUTSIDE, Picture, draw_heatmap, single_panel, themed

DASHES = {
    "": "-",
    "sm": "--",
    "plain": (0, (6, 1, 1, 1, 1, 1)),
    "inputs": (0, (5, 1)),
    "bag": "--",
    "simple": ":",
    "released": (0, (6, 1, 1, 1, 1, 1)),
    "tied": "--",
    "bounded": "-.",
    "world": "-.",
    "cloze": (0, (3, 1, 1, 1)),
    "unseen": ":",
    "w": ":",
    "wm": (0, (1, 2)),
    "wb": (0, (3, 1, 1, 1)),
    "hidden": (0, (5, 1)),
    "words": (0, (3, 1, 1, 1, 1, 1)),
    "large": (0, (6, 1, 1, 1, 1, 1)),
    "window": (0, (4, 2)),
    "gated": (0, (4, 1, 1, 1)),
    "decay": (0, (2, 1)),
    "tuned": (0, (8, 2)),
    "recency": (0, (8, 1, 1, 1)),
    "nodrop": (0, (1, 1)),
    "prehoc": (0, (6, 2)),
    "posthoc": (0, (1, 2)),
}
USER_DASH = (0, (2, 2))  # presets of a user's own
DARK_EDGE = "0.15"  # of markers
HATCHES = ("", "//", "..", "xx", "++")  # bars of one colour in one figure
FAILED = 5  # percent: a task is failed above
MARKED = 12  # validations of a learning curve that all have a mark
LIKELIEST = 6  # answers in a figure of one distribution
SEMANTIC_BAR: dict[str, Any] = {"color": "#7F7F7F", "label": "semantic part"}
SYMBOLIC_BAR: dict[str, Any] = {"color": "#D55E00", "hatch": "//", "label": "symbolic part"}


def style(model: str) -> dict[str, Any]:
    """Return matplotlib's line properties for a preset.

    Colour and marker are those of its model's family; a suffix of the name shows as a broken line and an open marker.
    """
    name, suffix = family(model)
    return {
        "color": FAMILIES[name].colour,
        "marker": FAMILIES[name].marker,
        "linestyle": DASHES.get(suffix, USER_DASH),
        "fillstyle": "none" if suffix else "full",
    }


def bar_hatches(models: Sequence[str]) -> dict[str, str]:
    """Return a hatch for each preset, which tells apart bars of one colour; the first of a colour has none."""
    return {model: hatch for alike in _by_colour(models) for model, hatch in zip(alike, cycle(HATCHES))}


def marker_edges(models: Sequence[str]) -> dict[str, str]:
    """Return an edge colour for each preset's markers, where their filling says something else.

    The first of a colour has an edge of that colour, the others a dark one.
    """
    edges: dict[str, str] = {}
    for alike in _by_colour(models):
        edges |= {model: DARK_EDGE for model in alike} | {alike[0]: style(alike[0])["color"]}
    return edges


def _by_colour(models: Sequence[str]) -> list[list[str]]:
    """Return the presets that have one colour, in their order, for each colour."""
    return [
        [model for model in models if style(model)["color"] == colour]
        for colour in dict.fromkeys(style(model)["color"] for model in models)
    ]


def styled(table: pd.DataFrame | pd.Series) -> Styler:
    """Return a table as pandas' Styler with every string of its cells, index and columns escaped for HTML.

    Names of words and of stories come from files that others may have made, and Styler does not escape by itself.
    """
    frame = table.to_frame() if isinstance(table, pd.Series) else table.copy()
    for number, column in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(column):
            frame.isetitem(number, frame.iloc[:, number].map(_escaped))
    frame = frame.rename(_escaped, axis="index").rename(_escaped, axis="columns")
    frame.index.names = [_escaped(name) for name in frame.index.names]
    frame.columns.names = [_escaped(name) for name in frame.columns.names]
    return frame.style


def _escaped(value: Any) -> Any:
    return escape(value, quote=False) if isinstance(value, str) else value


def dodge_offsets(count: int, width: float) -> np.ndarray:
    """Return where `count` marks stand around one position, from -`width` to `width`; a single one stands at 0."""
    return np.linspace(-width, width, count) if count > 1 else np.zeros(count)


def draw_failed_line(ax: Axes) -> None:
    """Draw the test error above which a task is failed as a line across the axes."""
    ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")


def draw_answer_parts(ax: Axes, distribution: pd.DataFrame, count: int) -> None:
    """Draw the `count` likeliest answers as bars, each split into its semantic and its symbolic part."""
    top = distribution.head(count)[::-1]
    ax.barh(top.word, top.semantic, **SEMANTIC_BAR)
    ax.barh(top.word, top.symbolic, left=top.semantic, **SYMBOLIC_BAR)
    ax.set(xlim=(0, 1), xlabel="probability", ylabel="answer")
    ax.grid(axis="y", visible=False)


@themed
def learning_curves(curves: pd.DataFrame, title: str = "Learning curves") -> Picture:
    """Draw validation error over updates; thin lines are seeds, thick ones their mean.

    Args:
        curves: Columns model, seed, update and valid_error (percent). A run that stopped keeps its last value.
        title: What the figure shows.
    """
    fig, ax = single_panel(title, "updates", "validation error (percent)")
    for model in sort_presets(curves.model):
        seeds = curves[curves.model == model].pivot_table(index="update", columns="seed", values="valid_error").ffill()
        look = style(model)
        label = f"{model} (n={seeds.shape[1]})"
        ax.plot(seeds.index, seeds, color=look["color"], linestyle=look["linestyle"], linewidth=0.8, alpha=0.5)
        every = 0.1 if len(seeds) > MARKED else None  # a share of the line's length
        ax.plot(seeds.index, seeds.mean(axis=1), **look, markevery=every, linewidth=2.5, label=label)
    highest = max(curves.valid_error.max(), FAILED)
    ax.set(xlim=(0, 1.01 * curves["update"].max()), ylim=(-0.03 * highest, max(ax.get_ylim()[1], highest)))
    ax.legend(**OUTSIDE)
    return fig


@themed
def errors_by_seed(runs: pd.DataFrame, title: str = "Test error of each seed") -> Picture:
    """Draw the test error of each seed, with the mean as a bar and the line above which a task counts as failed.

    Args:
        runs: Columns model, seed and error_test (percent).
        title: What the figure shows.
    """
    fig, ax = single_panel(title, "model", "test error (percent)", width=max(5.0, 1.6 * runs.model.nunique()))
    models = sort_presets(runs.model)
    for x, model in enumerate(models):
        errors = runs[runs.model == model].sort_values("seed").error_test.to_numpy()
        color, marker = style(model)["color"], style(model)["marker"]
        ax.scatter(x + dodge_offsets(len(errors), 0.15), errors, color=color, marker=marker, s=60, zorder=3)
        ax.hlines(errors.mean(), x - 0.3, x + 0.3, color=color, linewidth=3)
        ax.annotate(f"{errors.mean():.1f}", (x + 0.32, errors.mean()), va="center")
    draw_failed_line(ax)
    ax.annotate("failed above", (0.01, FAILED), xycoords=("axes fraction", "data"), va="bottom", color="0.4")
    ax.set_xticks(range(len(models)), models)
    ax.set_xlim(-0.8, len(models) - 0.2)
    top = max(1.15 * runs.error_test.max(), 2.0 * FAILED)
    ax.set_ylim(-0.03 * top, top)
    ax.grid(axis="x", visible=False)
    return fig


@themed
def confusion(answers: pd.DataFrame, title: str = "What is answered for what") -> Picture:
    """Draw how often each right answer gets each answer.

    Args:
        answers: One row per question, columns right and given. Without rows the title says `none`.
        title: What the figure shows.
    """
    x, y = "answer given (number of questions)", "right answer"
    if answers.empty:
        fig, _ = single_panel(f"{title}: none", x, y, height=1.5)
        return fig
    counts = pd.crosstab(answers.right, answers.given)
    labels = sorted(set(counts.index) | set(counts.columns))
    counts = counts.reindex(index=labels, columns=labels, fill_value=0)
    size = max(4.5, 0.45 * len(labels) + 2)
    fig, ax = single_panel(title, x, y, width=size + 1, height=size)
    draw_heatmap(ax, counts, cmap="Blues", annot=len(labels) <= 12, fmt="d", square=True, cbar=False, linewidths=0.5)
    ax.tick_params(axis="x", rotation=45)
    return fig


@themed
def errors_by_test(runs: pd.DataFrame, title: str = "Test error with unseen words") -> Picture:
    """Draw the mean test error on the original test set and with words never seen in training.

    Args:
        runs: One row per run: model, error_test and, where measured, error_room, error_people, error_object (percent).
        title: What the figure shows.
    """
    tests = {"error_test": "original", "error_room": "rooms", "error_people": "people", "error_object": "objects"}
    means = runs.dropna(axis=1, how="all").groupby("model").mean(numeric_only=True)
    errors = means[[name for name in tests if name in means]].rename(columns=tests)
    fig, ax = single_panel(title, "words never seen in training", "test error (percent, mean of seeds)")
    models = sort_presets(errors.index)
    width, hatches = 0.55 / len(models), bar_hatches(models)
    for model, offset in zip(models, np.linspace(-0.3, 0.3, len(models) + 1)[:-1], strict=True):
        x = np.arange(errors.shape[1]) + offset
        look = {"color": style(model)["color"], "hatch": hatches[model]}
        bars = ax.bar(x, errors.loc[model], width, align="edge", label=model, **look)
        ax.bar_label(bars, fmt="%.0f", fontsize=10, padding=2, rotation=90 if errors.size > 12 else 0)
    ax.set_xticks(range(errors.shape[1]), ["none (original)", *errors.columns[1:]])
    ax.margins(y=0.08)
    ax.grid(axis="x", visible=False)
    ax.legend(**OUTSIDE)
    return fig


@themed
def answer_parts(distribution: pd.DataFrame, title: str) -> Picture:
    """Draw the likeliest answers, each split into its semantic and its symbolic part.

    Args:
        distribution: Columns word, semantic and symbolic (probabilities), likeliest first.
        title: What the figure shows.
    """
    fig, ax = single_panel(title, "probability", "answer", height=3.2)
    draw_answer_parts(ax, distribution, LIKELIEST)
    ax.legend(loc="lower right")
    return fig


@themed
def heatmap(values: pd.DataFrame, title: str, x: str, y: str, unit: str) -> Picture:
    """Draw a table of numbers as colours, for example sentences by hops or words by symbols.

    Args:
        values: Numbers in `unit`. Where some are negative, white is 0.
        title: What the figure shows.
        x: Name of the columns.
        y: Name of the rows.
        unit: Label of the colour bar.
    """
    label_width = max(len(str(label)) for label in values.index)
    rows, columns = values.shape
    fig, ax = single_panel(title, x, y, width=3.0 + 0.1 * label_width + 0.75 * columns, height=1.8 + 0.4 * rows)
    colours = _colour_range(values.to_numpy())
    draw_heatmap(ax, values, annot=True, fmt=".2f", annot_kws={"size": 10}, cbar_kws={"label": unit}, **colours)
    return fig


def _colour_range(values: np.ndarray) -> dict[str, Any]:
    """Range from white up to 1 at least, or around white where there are negative values."""
    bound = max(1.0, float(np.nanmax(np.abs(values))))
    if np.nanmin(values) < 0:
        return {"cmap": "vlag", "vmin": -bound, "vmax": bound}
    return {"cmap": "Blues", "vmin": 0, "vmax": bound}
