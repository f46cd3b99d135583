"""Figures of entity networks: gates over a story, walks on the grid, errors by length and by task."""

import numpy as np
import pandas as pd
import seaborn as sns

from symshift.data import Question
from symshift.data.world_model import SIZE
from symshift.results.entities.world_model import paths
from symshift.results.generalisation.figures import counted
from symshift.results.generalisation.tables import HERE, ORIGINS, PRINTED, STORED
from symshift.results.style import FAILED, Picture, canvas, dodge_offsets, legend_handles, sort_presets, style, themed

AGENTS = ("#1245C0", "#CC6A14")
MOST = 2  # panels side by side
BEST = ", best seed"


@themed
def opened(gates: pd.DataFrame, title: str) -> Picture:
    """How far each sentence opened each slot, from `entities.gates`."""
    rows, columns = gates.shape
    picture, ax = canvas(title, "key of the slot", "sentence", width=4.2 + 0.45 * columns, height=1.6 + 0.36 * rows)
    sns.heatmap(gates, ax=ax, cmap="Blues", vmin=0, vmax=1, linewidths=0.5, cbar_kws={"label": "gate (0 shut, 1 open)"})
    ax.set(xlabel="key of the slot", ylabel="sentence")
    ax.tick_params(axis="x", rotation=60)
    ax.tick_params(axis="y", rotation=0)
    return picture


@themed
def walk(asked: Question, title: str) -> Picture:
    """The paths of the agents of a walk on their grid: an open mark where they start, a filled one where they end."""
    picture, ax = canvas(title, "x (E is right)", "y (N is up)", width=6.0, height=4.6)
    for (agent, places), colour, marker in zip(paths(asked).items(), AGENTS, "os", strict=True):
        x, y = np.array(places).T
        ax.plot(x, y, color=colour, linewidth=2, linestyle="-" if marker == "o" else "--", label=agent)
        ax.plot(x[0], y[0], marker, color=colour, fillstyle="none", markersize=14)
        ax.plot(x[-1], y[-1], marker, color=colour, markersize=10)
    ticks = range(1, SIZE + 1)
    ax.set(xlim=(0.3, SIZE + 0.7), ylim=(0.3, SIZE + 0.7), xticks=ticks, yticks=ticks, aspect="equal")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return picture


@themed
def by_length(errors: pd.DataFrame, title: str) -> Picture:
    """Lines of `world_model.errors`, a panel each origin and training stories: means, and dotted the best seed; the
    title says what is missing."""
    ordered = errors.assign(origin=pd.Categorical(errors.origin, ORIGINS))
    groups = list(ordered.groupby(["origin", "stories"], observed=True))
    rows, columns = -(-len(groups) // MOST), min(MOST, len(groups))
    picture = Picture(figsize=(4.6 * columns + 1.8, 2.9 * rows + 0.4), layout="constrained")
    missing = [f"{origin}: none" for origin in (HERE, STORED) if origin not in set(errors.origin)]
    picture.suptitle("; ".join([title, *missing]), x=0.01, ha="left", weight="bold")
    axes = picture.subplots(rows, columns, squeeze=False).flatten()
    for place, (ax, ((origin, stories), mine)) in enumerate(zip(axes, groups, strict=False)):
        for model in sort_presets(mine.model):
            lengths, name = mine[mine.model == model].set_index("length").sort_index(), model.removesuffix("-world")
            ax.plot(lengths.error, **style(model), markersize=8, linewidth=2, label=name)
            if origin != PRINTED and lengths.n.max() > 1:
                ax.plot(lengths.best, color=style(model)["color"], linestyle=":", label=name + BEST)
        seeds = "best of 5" if origin == PRINTED else f"mean of {counted(mine)}"
        ax.set_title(f"{origin}, {seeds},\n{stories}", loc="left", fontsize=10)
        ax.set(ylim=(-3, 103), xticks=range(10, 90, 10), xlim=(5, 85))
        ax.set_xlabel("sentences of the walk (T)")
        ax.set_ylabel("test error (percent)" if place % columns == 0 else "")
    for ax in axes[len(groups) :]:
        ax.remove()
    drawn, names = (
        legend_handles(picture),
        dict.fromkeys(model.removesuffix("-world") for model in sort_presets(errors.model)),
    )
    labels = [name + which for which in ("", BEST) for name in names if name + which in drawn]
    picture.legend([drawn[label] for label in labels], labels, loc="outside right center", frameon=False)
    return picture


@themed
def by_task(errors: pd.DataFrame, title: str) -> Picture:
    """Marks of `world_model.by_task`."""
    picture, ax = canvas(title, "task", "test error (percent)", width=10.0, height=3.6)
    known = sorted(errors.label.unique(), key=lambda label: (PRINTED in label, label))
    for label, shift in zip(known, dodge_offsets(len(known), 0.2), strict=True):
        mine, printed = errors[errors.label == label], PRINTED in label
        look = style(mine.model.iloc[0]) | {"linestyle": "none"}
        look |= {"color": "0.35", "marker": "_"} if printed else {}
        ax.plot(mine.task.astype(int) + shift, mine.error, **look, markersize=10, markeredgewidth=2, label=label)
    ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")
    ax.set(xticks=range(1, 21), xlim=(0.4, 20.6), ylim=(-0.05 * max(10, errors.error.max()), None))
    ax.grid(axis="x", visible=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.12), frameon=False, ncols=2, fontsize=10)
    return picture
