"""Pictures of what is inside a trained model (`analysis`): clusters of sentences, words that are alike, words that
became symbols, the mixture over training, a memory over time."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn as sns
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

from symshift.errors import InputError
from symshift.models.registry import FAMILIES
from symshift.results.style import Picture, canvas, sort_presets, style, themed

SIMILAR = {"cmap": "vlag", "vmin": -1, "vmax": 1}
LINE, SMALL = 0.18, 10  # inches a sentence, points
MARKS = "osD^vP"
DASHES = {"lstm": ":", "gstpr": "-", "mn": "--", "tpr": "-.", "posthoc": (0, (1, 3))}


def clustered(similarity: pd.DataFrame) -> np.ndarray:
    """The hierarchical clustering of a table of similarities by mean distance, 1 - similarity, as scipy writes it."""
    if len(similarity) < 2:
        raise InputError(f"{len(similarity)} sentence: at least two are needed to be clustered")
    distance = squareform(1 - similarity.to_numpy(), checks=False).clip(min=0)
    return linkage(distance, "average", optimal_ordering=True)


@themed
def clusters(similarities: Mapping[str, pd.DataFrame], title: str) -> Picture:
    """A panel each head: how alike sentences are, in the order of their clusters, with the tree of the clusters."""
    count, rows = len(next(iter(similarities.values()))), -(-len(similarities) // 2)
    picture = Picture(figsize=(12, rows * (LINE * count + 1.0) + 0.4), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    grid = picture.subplots(rows, 4, squeeze=False, width_ratios=[6, 1, 6, 1]).reshape(-1, 2)
    for (ax, beside), (head, similarity) in zip(grid, similarities.items(), strict=False):
        tree = dendrogram(clustered(similarity), orientation="right", ax=beside, no_labels=True, link_color_func=_grey)
        ordered = similarity.iloc[tree["leaves"], tree["leaves"]]
        image = ax.pcolormesh(ordered, **SIMILAR)
        ax.set_title(head, loc="left")
        ax.set(xticks=[], xlabel="the same sentences", ylabel="sentence")
        ax.set_yticks(np.arange(count) + 0.5, ordered.index, fontsize=SMALL)
        beside.set(xlim=(0, 1.5), xticks=[0, 1], xlabel="1 - cosine")
        beside.grid(visible=False)
        sns.despine(ax=beside, left=True)
    for ax in grid[len(similarities) :].flat:
        ax.remove()
    picture.colorbar(image, ax=picture.axes, label="cosine", shrink=0.3, aspect=30)
    return picture


@themed
def correlated(correlations: pd.DataFrame, title: str) -> Picture:
    """How alike words are, in the order of the table; where there are many, not every one is named."""
    picture, ax = canvas(title, "word", "word", width=8.5, height=7.0)
    words = len(correlations)
    every = -(-words // 40)
    image = ax.pcolormesh(correlations.to_numpy(), **SIMILAR)
    places = np.arange(0, words, every)
    ax.set_xticks(places + 0.5, correlations.columns[places], fontsize=SMALL, rotation=90)
    ax.set_yticks(places + 0.5, correlations.index[places], fontsize=SMALL)
    ax.set(aspect="equal")
    ax.invert_yaxis()
    ax.grid(visible=False)
    picture.colorbar(image, ax=ax, label="correlation")
    return picture


@themed
def symbols(alphas: Mapping[str, pd.DataFrame], title: str) -> Picture:
    """A panel each model: how much each word is a symbol, a mark each table; the line is where all words started."""
    models = sort_presets(alphas)
    words = pd.concat([alphas[model].mean(axis=1) for model in models], axis=1).mean(axis=1)
    words = words.sort_values(ascending=False).index
    picture = Picture(figsize=(max(6.0, 0.42 * len(words) + 2), 2.1 * len(models) + 1), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    for ax, model in zip(picture.subplots(len(models), 1, squeeze=False, sharex=True)[:, 0], models, strict=True):
        for mark, (table, values) in zip(MARKS, alphas[model].reindex(words).items(), strict=False):
            ax.plot(range(len(words)), values, mark, color=style(model)["color"], fillstyle="none", label=table)
        ax.axhline(0.5, color="0.4", linewidth=1, linestyle=":")
        ax.set(ylim=(-0.05, 1.05), ylabel="alpha (0 to 1)")
        ax.set_xlabel("word", visible=model == models[-1])
        ax.set_title(model, loc="left")
        if alphas[model].shape[1] > 1:
            ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, title="table")
    ax.set_xticks(range(len(words)), words, rotation=60, ha="right", rotation_mode="anchor")
    return picture


@themed
def mixture(shares: pd.DataFrame, title: str) -> Picture:
    """The symbolic half over training, from columns update, seed, beta, test, symbolic: its weight 1 - beta, and its
    share in the answers to each test set; thin lines are seeds, thick ones their mean."""
    picture, ax = canvas(title, "updates", "share of the symbolic half (0 to 1)")
    weight = shares.assign(test="its weight, 1 - beta", symbolic=1 - shares.beta)
    drawn = pd.concat([weight, shares.assign(test="in answers: " + shares.test)])
    for (test, part), (model, dash) in zip(drawn.groupby("test", sort=False), DASHES.items(), strict=False):
        seeds, look = (
            part.pivot_table(index="update", columns="seed", values="symbolic"),
            {"color": FAMILIES[model].colour},
        )
        ax.plot(seeds.index, seeds, linestyle=dash, linewidth=0.8, alpha=0.5, **look)
        ax.plot(seeds.index, seeds.mean(axis=1), linestyle=dash, linewidth=2.5, marker="o", label=test, **look)
    ax.set(ylim=(-0.03, 1.03), xlim=(0, None))
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return picture


@themed
def unroll(told: pd.DataFrame, title: str) -> Picture:
    """What each slot would answer after each sentence, and what is answered, from columns sentence, slot, word,
    probability."""
    cells = told.set_index(["sentence", "slot"])
    order = {"index": told.sentence.unique(), "columns": told.slot.unique()}
    chances, words = (
        cells[name].unstack().reindex(**order)  # noqa: PD010, a table of words has no mean
        for name in ("probability", "word")
    )
    picture, ax = canvas(title, "slot", "sentences told until then", 3.5 + chances.shape[1], 1.6 + 0.4 * len(chances))
    blues = {"cmap": "Blues", "vmin": 0, "vmax": 1, "linewidths": 1, "cbar_kws": {"label": "probability"}}
    ax.grid(visible=False)
    sns.heatmap(chances, ax=ax, annot=words.fillna(""), fmt="", annot_kws={"size": SMALL}, **blues)
    ax.set(xlabel="slot", ylabel="sentences told until then")
    ax.tick_params(axis="y", rotation=0)
    return picture


def _grey(_: int) -> str:
    return "0.3"
