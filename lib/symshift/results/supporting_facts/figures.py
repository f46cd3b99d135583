"""Figures of supporting facts: what separates them from other sentences, what each threshold selects, F1 by task."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from symshift.config import sort_presets
from symshift.results.generalisation.tables import PRINTED, STORED
from symshift.results.picture import (
    EmptyResultError,
    Picture,
    legend_handles,
    sentence_if_empty,
    themed,
    titled_figure,
    with_legend,
)
from symshift.results.style import dodge_offsets, style
from symshift.results.supporting_facts.sentences import RULES, f1_by_threshold
from symshift.results.supporting_facts.tables import F1, F1_PAPER, TASKS
from symshift.training.supporting_facts import f1_ceiling

FACTS: dict[str, Any] = {"color": "#EDBE2A", "hatch": "//", "edgecolor": "white", "linewidth": 1, "label": "facts"}
OTHERS: dict[str, Any] = {"color": "#1A1A1A", "histtype": "step", "linewidth": 2, "label": "other sentences"}
LINES = {"attention": ("#1245C0", "-"), "share": ("#630A02", "-."), "chance": ("#CC6A14", "--")}
BINS = np.linspace(0, 1, 26).tolist()
PANELS = {
    f"{PRINTED}, paper's rule": (PRINTED, F1_PAPER),
    f"{STORED}, paper's rule": (STORED, F1_PAPER),
    f"{STORED}, calibrated rule": (STORED, F1),
}


class SentenceSet(NamedTuple):
    """All sentences of a set of questions, for one model.

    Attributes:
        name: Title of its column.
        sentences: `sentences.sentence_attention`.
        share: The threshold on a sentence's share that was chosen for the model.
    """

    name: str
    sentences: pd.DataFrame
    share: float


@themed
def alignment_histograms(sets: list[SentenceSet], title: str) -> Picture:
    """Draw how well facts can be told from other sentences, one column for each set.

    Above, how both spread over the sigmoid of their alignment, and over their share of the story's largest attention;
    below, F1 by threshold on each number, with a dot where each rule has its threshold.
    """
    fig = titled_figure(title, 4.8 * len(sets), 7.6)
    columns = fig.subplots(3, len(sets), squeeze=False, sharex=True).T
    for axes, one in zip(columns, sets, strict=True):
        axes[0].set_title(one.name, loc="left", fontsize=11)
        for ax, rule in zip(axes, ("chance", "share"), strict=False):
            _draw_histograms(ax, one.sentences, rule)
        _draw_f1(axes[2], one)
    columns[0][0].legend(fontsize=9)
    handles, labels = columns[0][2].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return fig


@sentence_if_empty
@themed
def by_task(cells: pd.DataFrame, title: str = "F1 of supporting facts by task") -> Picture:
    """Draw F1 by task, one panel for each of PANELS with numbers; dotted lines are the ceiling of the paper's rule.

    Args:
        cells: `tables.cells` (percent).
        title: What the figure shows; what is missing is added.
    """
    rows = cells.reset_index()
    parts = {name: rows[rows.origin == origin].dropna(subset=measure) for name, (origin, measure) in PANELS.items()}
    shown = {name: part for name, part in parts.items() if len(part)}
    missing = [name for name in parts if name not in shown]
    if not shown:
        raise EmptyResultError("Neither paper nor store has an F1 of supporting facts on these stories: no figure.")
    fig = titled_figure(title, 11, 2.8 * len(shown) + 0.6, missing)
    panels = fig.subplots(len(shown), squeeze=False)[:, 0]
    for ax, (name, part) in zip(panels, shown.items(), strict=True):
        ax.set_title(name, loc="left", fontsize=11)
        _, measure = PANELS[name]
        _draw_models(ax, part, measure)
    panels[-1].set_xlabel("task")
    return with_legend(fig, ["ceiling", *sort_presets(legend_handles(fig).keys() - {"ceiling"})])


def _draw_histograms(ax: Axes, sentences: pd.DataFrame, rule: str) -> None:
    """Draw facts and other sentences, each in percent of their own number."""
    for part, look in ((sentences[sentences.fact], FACTS), (sentences[~sentences.fact], OTHERS)):
        weights = np.full(len(part), 100 / max(1, len(part)))
        ax.hist(part[rule], BINS, weights=weights, **look)
    ax.set(xlabel=RULES[rule], ylabel="sentences (percent)", xlim=(-0.02, 1.02))
    ax.tick_params(labelbottom=True)


def _draw_f1(ax: Axes, one: SentenceSet) -> None:
    f1 = f1_by_threshold(one.sentences)
    for rule, (color, linestyle) in LINES.items():
        ax.plot(f1.index, f1[rule], color=color, linestyle=linestyle, label=RULES[rule])
    for rule, threshold in (("attention", 0.5), ("share", one.share)):
        color, _ = LINES[rule]
        f1_there = f1_by_threshold(one.sentences, [threshold])[rule]
        ax.plot([threshold], f1_there, "o", color=color, markersize=9)
    best = f1_ceiling(one.sentences.question.nunique(), int(one.sentences.fact.sum()))
    ax.axhline(best, color="0.4", linestyle=":", label="ceiling of one fact a question")
    ax.set(xlabel="threshold", ylabel="F1 (percent)", ylim=(-3, 103))


def _draw_models(ax: Axes, rows: pd.DataFrame, measure: str) -> None:
    models = sort_presets(rows.model)
    x = np.arange(len(TASKS))
    ceilings = rows.drop_duplicates("task").set_index("task").ceiling.reindex(TASKS)
    ax.hlines(ceilings, x - 0.42, x + 0.42, color="0.2", linestyle=":", label="ceiling")
    for model, offset in zip(models, dodge_offsets(len(models), 0.25), strict=True):
        values = rows[rows.model == model].set_index("task")[measure].reindex(TASKS)
        ax.plot(x + offset, values, **style(model) | {"linestyle": "none"}, markersize=8, label=model)
    ax.set_xticks(x, TASKS)
    ax.set(xlim=(-0.6, 20.6), ylim=(-4, 104), ylabel="F1 (percent)")
    ax.grid(axis="x", visible=False)
