"""Figures of what is inside a trained model (`internals.tables`).

Clusters of sentences, words with similar vectors, words that became symbols, the mixture over training, a memory over
time.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

from symshift.config import sort_presets
from symshift.errors import InputError
from symshift.results.picture import OUTSIDE, Picture, draw_heatmap, single_panel, themed, titled_figure
from symshift.results.style import style

SIMILARITY: dict[str, Any] = {"cmap": "vlag", "vmin": -1, "vmax": 1}
PROBABILITY: dict[str, Any] = {"cmap": "Blues", "vmin": 0, "vmax": 1, "linewidths": 1}
LINE = 0.18  # inches for a sentence
SMALL = 10  # points
TICKS = 40  # words named on an axis at most
MARKS = "osD^vP"
DASHES = (":", "-", "--", "-.", (0, (1, 3)))  # of the curves of `mixture`


def cluster_linkage(similarity: pd.DataFrame) -> np.ndarray:
    """Cluster rows hierarchically by mean distance, 1 - similarity.

    Args:
        similarity: A square table of cosines.

    Returns:
        scipy's linkage matrix.

    Raises:
        InputError: There are fewer than two rows.
    """
    if len(similarity) < 2:
        raise InputError(f"{len(similarity)} sentence: at least two are needed to be clustered")
    distance = squareform(1 - similarity.to_numpy(), checks=False).clip(min=0)
    return linkage(distance, "average", optimal_ordering=True)


@themed
def clusters(similarities: Mapping[str, pd.DataFrame], title: str) -> Picture:
    """Draw how similar sentences are to each head, in the order of their clusters, with the tree of the clusters.

    Args:
        similarities: `tables.similarities`: a square table of cosines for each head.
        title: What the figure shows.
    """
    count = len(next(iter(similarities.values())))
    rows = math.ceil(len(similarities) / 2)
    fig = titled_figure(title, 12, rows * (LINE * count + 1.0) + 0.4)
    grid = fig.subplots(rows, 4, squeeze=False, width_ratios=[6, 1, 6, 1]).reshape(-1, 2)
    for (ax, tree_ax), (head, similarity) in zip(grid, similarities.items(), strict=False):
        links = cluster_linkage(similarity)
        tree = dendrogram(links, orientation="right", ax=tree_ax, no_labels=True, link_color_func=lambda _: "0.3")
        ordered = similarity.iloc[tree["leaves"], tree["leaves"]]
        image = ax.pcolormesh(ordered, **SIMILARITY)
        ax.set_title(head, loc="left")
        ax.set(xticks=[], xlabel="the same sentences", ylabel="sentence")
        ax.set_yticks(np.arange(count) + 0.5, ordered.index, fontsize=SMALL)
        tree_ax.set(xlim=(0, 1.5), xticks=[0, 1], xlabel="1 - cosine")
        tree_ax.grid(visible=False)
        sns.despine(ax=tree_ax, left=True)
    for ax in grid[len(similarities) :].flat:
        ax.remove()
    fig.colorbar(image, ax=fig.axes, label="cosine", shrink=0.3, aspect=30)
    return fig


@themed
def correlations(table: pd.DataFrame, title: str) -> Picture:
    """Draw how similar words are, in the order of `tables.correlations`; of many words only some are named."""
    fig, ax = single_panel(title, "word", "word", width=8.5, height=7.0)
    count = len(table)
    named = np.arange(0, count, math.ceil(count / TICKS))
    image = ax.pcolormesh(table.to_numpy(), **SIMILARITY)
    ax.set_xticks(named + 0.5, table.columns[named], fontsize=SMALL, rotation=90)
    ax.set_yticks(named + 0.5, table.index[named], fontsize=SMALL)
    ax.set(aspect="equal")
    ax.invert_yaxis()
    ax.grid(visible=False)
    fig.colorbar(image, ax=ax, label="correlation")
    return fig


@themed
def symbols(alphas: Mapping[str, pd.DataFrame], title: str) -> Picture:
    """Draw how much each word is a symbol, one panel for each model; the line is where all words started.

    Args:
        alphas: `tables.alpha` for each model: one row per word, one column per embedding table, from 0 to 1.
        title: What the figure shows.
    """
    models = sort_presets(alphas)
    means = pd.concat([alphas[model].mean(axis=1) for model in models], axis=1).mean(axis=1)
    words = means.sort_values(ascending=False).index
    fig = titled_figure(title, max(6.0, 0.42 * len(words) + 2), 2.1 * len(models) + 1)
    for ax, model in zip(fig.subplots(len(models), 1, squeeze=False, sharex=True)[:, 0], models, strict=True):
        color = style(model)["color"]
        for mark, (table, values) in zip(MARKS, alphas[model].reindex(words).items(), strict=False):
            ax.plot(range(len(words)), values, mark, color=color, fillstyle="none", label=table)
        ax.axhline(0.5, color="0.4", linewidth=1, linestyle=":")
        ax.set(ylim=(-0.05, 1.05), ylabel="alpha (0 to 1)")
        ax.set_xlabel("word", visible=model == models[-1])
        ax.set_title(model, loc="left")
        if alphas[model].shape[1] > 1:
            ax.legend(**OUTSIDE, title="table")
    ax.set_xticks(range(len(words)), words, rotation=60, ha="right", rotation_mode="anchor")
    return fig


@themed
def mixture(shares: pd.DataFrame, model: str, title: str) -> Picture:
    """Draw the weight of the symbolic half over training, and its share in the answers to each test set.

    Thin lines are seeds, thick ones their mean. All are in the colour of the model.

    Args:
        shares: Columns update, seed, beta (weight of the semantic half), test and symbolic (share in the answers).
        model: The preset.
        title: What the figure shows.
    """
    fig, ax = single_panel(title, "updates", "share of the symbolic half (0 to 1)")
    weight = shares.assign(test="its weight, 1 - beta", symbolic=1 - shares.beta)
    lines = pd.concat([weight, shares.assign(test="in answers: " + shares.test)])
    for (test, part), dash, mark in zip(lines.groupby("test", sort=False), DASHES, MARKS, strict=False):
        seeds = part.pivot_table(index="update", columns="seed", values="symbolic")
        look: dict[str, Any] = {"color": style(model)["color"], "linestyle": dash}
        ax.plot(seeds.index, seeds, **look, linewidth=0.8, alpha=0.5)
        ax.plot(seeds.index, seeds.mean(axis=1), **look, linewidth=2.5, marker=mark, label=test)
    ax.set(ylim=(-0.03, 1.03), xlim=(0, None))
    ax.legend(**OUTSIDE)
    return fig


@themed
def slot_answers(table: pd.DataFrame, title: str) -> Picture:
    """Draw what each slot alone would answer after each sentence, and what the model answers.

    Args:
        table: `tables.slot_answers`: columns sentence, slot, word and probability.
        title: What the figure shows.
    """
    cells = table.pivot_table(index="sentence", columns="slot", aggfunc="first")
    order = {"index": table.sentence.unique(), "columns": table.slot.unique()}
    probabilities = cells["probability"].reindex(**order)
    words = cells["word"].reindex(**order).fillna("")
    width, height = 3.5 + probabilities.shape[1], 1.6 + 0.4 * len(probabilities)
    fig, ax = single_panel(title, "slot", "sentences told until then", width, height)
    ax.grid(visible=False)
    bar = {"label": "probability"}
    draw_heatmap(ax, probabilities, annot=words, fmt="", annot_kws={"size": SMALL}, cbar_kws=bar, **PROBABILITY)
    return fig
