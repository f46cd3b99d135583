"""Figures of entity networks: gates over a story, walks on the grid, errors by length and by task."""

import math

import numpy as np
import pandas as pd

from symshift.config import sort_presets
from symshift.data import Question
from symshift.data.babi.generator import BABI_TASKS
from symshift.data.world_model import SIZE
from symshift.results.entities.world_model import paths
from symshift.results.generalisation.figures import missing_origins
from symshift.results.generalisation.tables import ORIGINS, PRINTED
from symshift.results.picture import (
    OUTSIDE,
    Picture,
    draw_heatmap,
    legend_handles,
    panel_grid,
    single_panel,
    themed,
    titled_figure,
    with_legend,
)
from symshift.results.style import dodge_offsets, draw_failed_line, style
from symshift.runs.selection import seed_range

AGENT_LOOKS = (
    {"color": "#1245C0", "marker": "o", "linestyle": "-"},
    {"color": "#CC6A14", "marker": "s", "linestyle": "--"},
)
COLUMNS = 2  # panels side by side at most
BEST = ", best seed"


@themed
def write_gates(gates: pd.DataFrame, title: str) -> Picture:
    """Draw how far each sentence opened each slot.

    Args:
        gates: `tables.gates`: one row per sentence, one column per slot, values from 0 to 1.
        title: What the figure shows.
    """
    rows, columns = gates.shape
    fig, ax = single_panel(title, "key of the slot", "sentence", width=4.2 + 0.45 * columns, height=1.6 + 0.36 * rows)
    bar = {"label": "gate (0 shut, 1 open)"}
    draw_heatmap(ax, gates, cmap="Blues", vmin=0, vmax=1, linewidths=0.5, cbar_kws=bar)
    ax.tick_params(axis="x", rotation=60)
    return fig


@themed
def walk(question: Question, title: str) -> Picture:
    """Draw the paths of the agents of a walk on their grid: open marks are starts, filled marks are ends."""
    fig, ax = single_panel(title, "x (E is right)", "y (N is up)", width=6.0, height=4.6)
    for (agent, path), look in zip(paths(question).items(), AGENT_LOOKS, strict=True):
        color, marker = look["color"], look["marker"]
        x, y = np.array(path).T
        ax.plot(x, y, color=color, linewidth=2, linestyle=look["linestyle"], label=agent)
        ax.plot(x[0], y[0], marker, color=color, fillstyle="none", markersize=14)
        ax.plot(x[-1], y[-1], marker, color=color, markersize=10)
    ticks = range(1, SIZE + 1)
    ax.set(xlim=(0.3, SIZE + 0.7), ylim=(0.3, SIZE + 0.7), xticks=ticks, yticks=ticks, aspect="equal")
    ax.legend(**OUTSIDE)
    return fig


@themed
def by_length(errors: pd.DataFrame, title: str) -> Picture:
    """Draw errors by the length of a walk, one panel for each origin and training stories.

    Lines with markers are means over seeds, dotted ones without are the best seed; the title names an origin without
    runs.

    Args:
        errors: `world_model.errors_by_length` (percent).
        title: What the figure shows.
    """
    ordered = errors.assign(origin=pd.Categorical(errors.origin, ORIGINS))
    groups = list(ordered.groupby(["origin", "stories"], observed=True))
    columns = min(COLUMNS, len(groups))
    rows = math.ceil(len(groups) / COLUMNS)
    fig = titled_figure(title, 4.6 * columns + 1.8, 2.9 * rows + 0.4, missing_origins(errors))
    axes = panel_grid(fig, len(groups), columns)
    for panel, (ax, ((origin, stories), group)) in enumerate(zip(axes, groups, strict=True)):
        for model in sort_presets(group.model):
            lengths = group[group.model == model].set_index("length").sort_index()
            name = _short(model)
            look = style(name)
            ax.plot(lengths.error, **look, markersize=8, linewidth=2, label=name)
            if origin != PRINTED and lengths.n.max() > 1:
                ax.plot(lengths.best, color=look["color"], linestyle=":", label=name + BEST)
        seeds = "best of 5" if origin == PRINTED else f"mean of n={seed_range(group.n)}"
        ax.set_title(f"{origin}, {seeds},\n{stories}", loc="left", fontsize=10)
        ax.set(ylim=(-3, 103), xticks=range(10, 90, 10), xlim=(5, 85))
        ax.set_xlabel("sentences of the walk (T)")
        ax.set_ylabel("test error (percent)" if panel % columns == 0 else "")
    handles = legend_handles(fig)
    names = dict.fromkeys(map(_short, sort_presets(errors.model)))
    labels = [name + suffix for suffix in ("", BEST) for name in names if name + suffix in handles]
    return with_legend(fig, labels)


@themed
def by_task(errors: pd.DataFrame, title: str) -> Picture:
    """Draw errors of entity networks on bAbI by task, ours in colour and published ones in grey.

    Args:
        errors: `world_model.errors_by_task` (percent).
        title: What the figure shows.
    """
    fig, ax = single_panel(title, "task", "test error (percent)", width=10.0, height=3.6)
    labels = sorted(errors.label.unique(), key=lambda label: (PRINTED in label, label))
    for label, offset in zip(labels, dodge_offsets(len(labels), 0.2), strict=True):
        series = errors[errors.label == label]
        look = style(series.model.iloc[0]) | {"linestyle": "none"}
        if PRINTED in label:
            look |= {"color": "0.35", "marker": "_"}
        ax.plot(series.task.astype(int) + offset, series.error, **look, markersize=10, markeredgewidth=2, label=label)
    draw_failed_line(ax)
    ax.set(xticks=BABI_TASKS, xlim=(0.4, 20.6), ylim=(-0.05 * max(10, errors.error.max()), None))
    ax.grid(axis="x", visible=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.12), frameon=False, ncols=2, fontsize=10)
    return fig


def _short(model: str) -> str:
    return model.removesuffix("-world")
