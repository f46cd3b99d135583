"""Every figure of the workbook: one theme, one colour and one place in the order for each model.

A function takes tidy data and returns a `Picture` with title, axis names with units and a description in words. Colours
keep apart for the three common forms of colour blindness (a test simulates them); markers and dashes repeat them.
"""

import io
from collections.abc import Callable
from functools import wraps

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from symshift.config import family, sort_presets
from symshift.models.registry import FAMILIES

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
    "prehoc": (0, (6, 2)),
    "posthoc": (0, (1, 2)),
}
OTHERS = (0, (2, 2))  # presets of one's own
FAILED = 5  # percent: a task is failed above
THEME = sns.axes_style("whitegrid") | sns.plotting_context("notebook") | {"axes.titleweight": "bold"}


class Picture(Figure):
    """A figure that shows itself in a notebook, with a description for those who cannot see it."""

    def __repr__(self) -> str:
        """The titles, and the axes of each panel; a panel that shares an axis has the name that stands beside it."""
        x = next((name for ax in reversed(self.axes) if (name := ax.get_xlabel())), "")
        y = next((name for ax in self.axes if (name := ax.get_ylabel())), "")
        panels: dict[str, list[str]] = {}
        for ax in self.axes:
            if title := " ".join(ax.get_title(loc="left").split()):
                panels.setdefault(f"{ax.get_ylabel() or y} by {ax.get_xlabel() or x}", []).append(title)
        said = [f"{'; '.join(titles)}: {axes}" for axes, titles in panels.items()]
        return ". ".join([self.get_suptitle(), *said] if self.get_suptitle() else said).replace("?.", "?")

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str | bytes], dict[str, dict[str, str]]]:
        image = io.BytesIO()
        self.savefig(image, dpi=100, bbox_inches="tight", metadata={"Software": None})
        return {"image/png": image.getvalue(), "text/plain": repr(self)}, {"image/png": {"alt": repr(self)}}


def style(model: str) -> dict[str, object]:
    """Colour and marker of a preset's model; a suffix shows as broken line and open marker."""
    name, suffix = family(model)
    look = {"color": FAMILIES[name].colour, "marker": FAMILIES[name].marker, "linestyle": DASHES.get(suffix, OTHERS)}
    return look | {"fillstyle": "none" if suffix else "full"}


def themed(draw: Callable[..., Picture]) -> Callable[..., Picture]:
    """Draws with the workbook's theme and leaves matplotlib's settings as they were."""

    @wraps(draw)
    def sample_split(*arguments: object, **options: object) -> Picture:
        with mpl.rc_context(THEME):
            return draw(*arguments, **options)

    return sample_split


def canvas(title: str, x: str, y: str, width: float = 8.0, height: float = 4.5) -> tuple[Picture, Axes]:
    """An empty picture with its words, so many inches wide and high."""
    picture = Picture(figsize=(width, height), layout="constrained")
    ax = picture.subplots()
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(title, loc="left")
    return picture, ax


def legend_handles(picture: Figure) -> dict[str, object]:
    """The labels of all panels, each once, with what is drawn for it."""
    sample_split = [ax.get_legend_handles_labels() for ax in picture.axes]
    return {name: handle for handles, names in sample_split for handle, name in zip(handles, names, strict=True)}


def dodge_offsets(count: int, width: float) -> np.ndarray:
    """Where so many stand around a place, from `width` before to `width` after it; one alone stands at it."""
    return np.linspace(-width, width, count) if count > 1 else np.zeros(count)


@themed
def learning_curves(curves: pd.DataFrame, title: str = "Learning curves") -> Picture:
    """Validation error over updates from columns model, seed, update, valid_error: thin lines are seeds, thick ones
    their mean; a run that stopped keeps its last value."""
    picture, ax = canvas(title, "updates", "validation error (percent)")
    for model in sort_presets(curves.model):
        seeds = curves[curves.model == model].pivot_table(index="update", columns="seed", values="valid_error").ffill()
        look = style(model)
        ax.plot(seeds.index, seeds, color=look["color"], linestyle=look["linestyle"], linewidth=0.8, alpha=0.5)
        ax.plot(
            seeds.index, seeds.mean(axis=1), **look, markevery=0.1, linewidth=2.5, label=f"{model} (n={seeds.shape[1]})"
        )
    ax.set(xlim=(0, 1.01 * curves["update"].max()), ylim=(-0.03 * curves.valid_error.max(), None))
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return picture


@themed
def errors_by_seed(runs: pd.DataFrame, title: str = "Test error of each seed") -> Picture:
    """Test error a seed from columns model, seed, error_test, with the mean as a bar and the line above which a task
    counts as failed."""
    picture, ax = canvas(title, "model", "test error (percent)", width=max(5.0, 1.6 * runs.model.nunique()))
    models = sort_presets(runs.model)
    for place, model in enumerate(models):
        errors = runs[runs.model == model].sort_values("seed").error_test.to_numpy()
        look = style(model)
        ax.scatter(
            place + dodge_offsets(len(errors), 0.15), errors, color=look["color"], marker=look["marker"], s=60, zorder=3
        )
        ax.hlines(errors.mean(), place - 0.3, place + 0.3, color=look["color"], linewidth=3)
        ax.annotate(f"{errors.mean():.1f}", (place + 0.32, errors.mean()), va="center")
    ax.axhline(FAILED, color="0.4", linewidth=1, linestyle=":")
    ax.annotate("failed above", (0.01, FAILED), xycoords=("axes fraction", "data"), va="bottom", color="0.4")
    ax.set_xticks(range(len(models)), models)
    ax.set_xlim(-0.8, len(models) - 0.2)
    top = max(1.15 * runs.error_test.max(), 2.0 * FAILED)
    ax.set_ylim(-0.03 * top, top)
    ax.grid(axis="x", visible=False)
    return picture


@themed
def confusion(answers: pd.DataFrame, title: str = "What is answered for what") -> Picture:
    """How often each right answer gets each answer, from columns right and given; without answers a picture of none."""
    if answers.empty:
        return canvas(f"{title}: none", "answer given (number of questions)", "right answer", height=1.5)[0]
    counts = pd.crosstab(answers.right, answers.given)
    labels = sorted(set(counts.index) | set(counts.columns))
    counts = counts.reindex(index=labels, columns=labels, fill_value=0)
    size = max(4.5, 0.45 * len(labels) + 2)
    picture, ax = canvas(title, "answer given (number of questions)", "right answer", width=size + 1, height=size)
    sns.heatmap(counts, ax=ax, cmap="Blues", annot=len(labels) <= 12, fmt="d", square=True, cbar=False, linewidths=0.5)
    ax.set(xlabel="answer given (number of questions)", ylabel="right answer")
    ax.tick_params(axis="x", rotation=45)
    return picture


@themed
def errors_by_test(runs: pd.DataFrame, title: str = "Test error with unseen words") -> Picture:
    """Mean test error on the original test set and with words never seen in training, from columns model, error_test,
    error_room, error_people, error_object."""
    tests = {"error_test": "original", "error_room": "rooms", "error_people": "people", "error_object": "objects"}
    means = runs.dropna(axis=1, how="all").groupby("model").mean(numeric_only=True)
    errors = means[[name for name in tests if name in means]].rename(columns=tests)
    picture, ax = canvas(title, "words never seen in training", "test error (percent, mean of seeds)")
    models = sort_presets(errors.index)
    for model, shift in zip(models, np.linspace(-0.3, 0.3, len(models) + 1)[:-1], strict=True):
        place, width = np.arange(errors.shape[1]) + shift, 0.55 / len(models)
        bars = ax.bar(place, errors.loc[model], width, align="edge", color=style(model)["color"], label=model)
        ax.bar_label(bars, fmt="%.0f", fontsize=10)
    ax.set_xticks(range(errors.shape[1]), ["none (original)", *errors.columns[1:]])
    ax.margins(y=0.08)
    ax.grid(axis="x", visible=False)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return picture


@themed
def answer_parts(distribution: pd.DataFrame, title: str) -> Picture:
    """The likeliest answers, each split into its semantic and its symbolic part, from columns word, semantic,
    symbolic, likeliest first."""
    top = distribution.head(6)[::-1]
    picture, ax = canvas(title, "probability", "answer", height=3.2)
    ax.barh(top.word, top.semantic, color="#7F7F7F", label="semantic part")
    ax.barh(top.word, top.symbolic, left=top.semantic, color="#D55E00", hatch="//", label="symbolic part")
    ax.set_xlim(0, 1)
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower right")
    return picture


@themed
def heatmap(values: pd.DataFrame, title: str, x: str, y: str, unit: str) -> Picture:
    """A table of numbers as colours: sentences by hops, words by symbols; signed values around white."""
    labels = max(len(str(label)) for label in values.index)
    rows, columns = values.shape
    picture, ax = canvas(title, x, y, width=3.0 + 0.1 * labels + 0.75 * columns, height=1.8 + 0.4 * rows)
    colours = _colours(values.to_numpy())
    sns.heatmap(values, ax=ax, annot=True, fmt=".2f", annot_kws={"size": 10}, cbar_kws={"label": unit}, **colours)
    ax.set(xlabel=x, ylabel=y)
    ax.tick_params(axis="y", rotation=0)
    return picture


def _colours(values: np.ndarray) -> dict[str, object]:
    """From white up to 1 at least, or around white where there are negative values."""
    bound = max(1.0, float(np.nanmax(np.abs(values))))
    if np.nanmin(values) < 0:
        return {"cmap": "vlag", "vmin": -bound, "vmax": bound}
    return {"cmap": "Blues", "vmin": 0, "vmax": bound}
