"""Figures of supporting facts: what tells them from other sentences, what each threshold names, and F1 by task."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from symshift.results.generalisation.tables import PRINTED, STORED
from symshift.results.style import Picture, dodge_offsets, legend_handles, sort_presets, style, themed
from symshift.results.supporting_facts.sentences import RULES, by_threshold
from symshift.results.supporting_facts.tables import F1, F1_PAPER, TASKS
from symshift.training.supporting_facts import best_of_one

FACT, OTHER = "#EDBE2A", "#1A1A1A"
LINES = {"attention": ("#1245C0", "-"), "share": ("#630A02", "-."), "chance": ("#CC6A14", "--")}
BINS = np.linspace(0, 1, 26)
PANELS = {
    f"{PRINTED}, paper's rule": (PRINTED, F1_PAPER),
    f"{STORED}, paper's rule": (STORED, F1_PAPER),
    f"{STORED}, calibrated rule": (STORED, F1),
}


class Told(NamedTuple):
    """All sentences of a set of questions, as `explained` has them, and the share that was chosen for the model."""

    name: str
    sentences: pd.DataFrame
    share: float


@themed
def told_apart(told: list[Told], title: str) -> Picture:
    """A column each set: how facts and other sentences spread over the sigmoid of their alignment, and over their share
    of the story's largest attention; below, F1 by threshold on each number, a dot where each rule has its threshold."""
    picture = Picture(figsize=(4.8 * len(told), 7.6), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    columns = picture.subplots(3, len(told), squeeze=False, sharex=True).T
    for axes, one in zip(columns, told, strict=True):
        axes[0].set_title(one.name, loc="left", fontsize=11)
        for ax, rule in zip(axes, ("chance", "share"), strict=False):
            _spread(ax, one.sentences, rule)
        _scores(axes[2], one)
    columns[0][0].legend(fontsize=9)
    picture.legend(*columns[0][2].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return picture


@themed
def by_task(cells: pd.DataFrame, title: str = "F1 of supporting facts by task") -> Picture:
    """A panel for each of PANELS that `facts_tables.cells` has F1 of; dots are the ceiling of the paper's rule."""
    rows = cells.reset_index()
    known = {name: rows[rows.origin == origin].dropna(subset=measure) for name, (origin, measure) in PANELS.items()}
    shown = {name: part for name, part in known.items() if len(part)}
    picture = Picture(figsize=(11, 2.8 * max(1, len(shown)) + 0.6), layout="constrained")
    missing = [f"{name}: none" for name in known if name not in shown]
    picture.suptitle("; ".join([title, *missing]), x=0.01, ha="left", weight="bold", fontsize=13)
    for ax, (name, part) in zip(
        picture.subplots(len(shown), squeeze=False).flat if shown else [], shown.items(), strict=True
    ):
        ax.set_title(name, loc="left", fontsize=11)
        _models(ax, part, PANELS[name][1])
    if shown:
        drawn = legend_handles(picture)
        order = ["ceiling", *sort_presets(drawn.keys() - {"ceiling"})]
        picture.legend([drawn[name] for name in order], order, loc="outside right center", frameon=False)
        ax.set_xlabel("task")
    return picture


def _spread(ax: Axes, sentences: pd.DataFrame, rule: str) -> None:
    """Facts and other sentences, each in percent of their own number."""
    looks = {True: {"color": FACT, "hatch": "//", "edgecolor": "white"}, False: {"color": OTHER, "histtype": "step"}}
    for kind, look in looks.items():
        values = sentences[rule][sentences.fact == kind]
        share = np.full(len(values), 100 / max(1, len(values)))
        ax.hist(values, BINS, weights=share, linewidth=2 - kind, label="facts" if kind else "other sentences", **look)
    ax.set(xlabel=RULES[rule], ylabel="sentences (percent)", xlim=(-0.02, 1.02))
    ax.tick_params(labelbottom=True)


def _scores(ax: Axes, told: Told) -> None:
    f1 = by_threshold(told.sentences)
    for rule, (colour, dash) in LINES.items():
        ax.plot(f1.index, f1[rule], color=colour, linestyle=dash, label=RULES[rule])
    for rule, at in (("attention", 0.5), ("share", told.share)):
        ax.plot([at], by_threshold(told.sentences, [at])[rule], "o", color=LINES[rule][0], markersize=9)
    best = best_of_one(told.sentences.question.nunique(), int(told.sentences.fact.sum()))
    ax.axhline(best, color="0.4", linestyle=":", label="ceiling of one fact a question")
    ax.set(xlabel="threshold", ylabel="F1 (percent)", ylim=(-3, 103))


def _models(ax: Axes, rows: pd.DataFrame, measure: str) -> None:
    models = sort_presets(rows.model)
    ceilings = rows.drop_duplicates("task").set_index("task").ceiling.reindex(TASKS)
    ax.hlines(ceilings, np.arange(21) - 0.42, np.arange(21) + 0.42, color="0.2", linestyle=":", label="ceiling")
    for model, shift in zip(models, dodge_offsets(len(models), 0.25), strict=True):
        values = rows[rows.model == model].set_index("task")[measure].reindex(TASKS)
        ax.plot(np.arange(21) + shift, values, **style(model) | {"linestyle": "none"}, markersize=8, label=model)
    ax.set_xticks(range(21), TASKS)
    ax.set(xlim=(-0.6, 20.6), ylim=(-4, 104), ylabel="F1 (percent)")
    ax.grid(axis="x", visible=False)
