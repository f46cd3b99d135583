"""A figure of the workbook: how it begins, its theme, its legend, how it is shown, and what stands in its place.

A function that draws takes tidy data and returns a `Picture` with a title, axis names with units and a description in
words.
"""

import io
import math
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, ParamSpec

import matplotlib as mpl
import pandas as pd
import seaborn as sns
from IPython.display import Markdown
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from seaborn.utils import relative_luminance

WIDEST = 960  # pixels: what a page has room for
PALETTE = 128  # colours of a picture's file, which make it a third as large; enough for a smooth colour bar
OUTSIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1, 1), "frameon": False}  # a legend beside its axes
THEME = sns.axes_style("whitegrid") | sns.plotting_context("notebook") | {"axes.titleweight": "bold"}
LIGHT = 0.18  # relative luminance, above which dark text has more contrast than white
P = ParamSpec("P")


class Picture(Figure):
    """A figure that shows itself in a notebook, with a description for those who cannot see it."""

    def __repr__(self) -> str:
        """Return the titles and the axes of each panel; a panel that shares an axis has its neighbour's name for it."""
        x = next((name for ax in reversed(self.axes) if (name := ax.get_xlabel())), "")
        y = next((name for ax in self.axes if (name := ax.get_ylabel())), "")
        panels: dict[str, list[str]] = {}
        for ax in self.axes:
            if title := " ".join(ax.get_title(loc="left").split()):
                panels.setdefault(f"{ax.get_ylabel() or y} by {ax.get_xlabel() or x}", []).append(title)
        sentences = [f"{'; '.join(titles)}: {axes}" for axes, titles in panels.items()]
        if self.get_suptitle():
            sentences.insert(0, self.get_suptitle())
        return ". ".join(sentences).replace("?.", "?")

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str | bytes], dict[str, dict[str, str]]]:
        image_file, small = io.BytesIO(), io.BytesIO()
        self.savefig(image_file, dpi=min(100, WIDEST / self.get_figwidth()), bbox_inches="tight")
        image = Image.open(image_file).convert("RGB")
        image = image.quantize(PALETTE, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
        image.save(small, "PNG", optimize=True)
        return {"image/png": small.getvalue(), "text/plain": repr(self)}, {"image/png": {"alt": repr(self)}}


def themed(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """Draw with the workbook's theme; matplotlib's own settings stay as they were."""

    @wraps(draw)
    def draw_with_theme(*args: P.args, **kwargs: P.kwargs) -> Picture:
        with mpl.rc_context(THEME):
            return draw(*args, **kwargs)

    return draw_with_theme


class EmptyResultError(Exception):
    """The store has nothing to draw; the message is what a reader is shown in place of a figure."""


def sentence_if_empty(draw: Callable[P, Picture]) -> Callable[P, Picture | Markdown]:
    """Draw, or return the sentence of an `EmptyResultError` where there is nothing to draw."""

    @wraps(draw)
    def draw_or_return_sentence(*args: P.args, **kwargs: P.kwargs) -> Picture | Markdown:
        try:
            return draw(*args, **kwargs)
        except EmptyResultError as error:
            return Markdown(str(error))

    return draw_or_return_sentence


def single_panel(title: str, x: str, y: str, width: float = 8.0, height: float = 4.5) -> tuple[Picture, Axes]:
    """Create a figure of one panel.

    Args:
        title: What the figure shows.
        x: Name of the horizontal axis, with its unit.
        y: Name of the vertical axis, with its unit.
        width: inches.
        height: inches.

    Returns:
        The figure and its axes.
    """
    fig = Picture(figsize=(width, height), layout="constrained")
    ax = fig.subplots()
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(title, loc="left")
    return fig, ax


def draw_heatmap(ax: Axes, table: pd.DataFrame, **options: Any) -> None:
    """Draw a table as colours by seaborn's heatmap.

    The axes keep their names, the names of rows stand upright, and a number is dark or white, whichever its square
    contrasts with more.
    """
    x, y = ax.get_xlabel(), ax.get_ylabel()
    sns.heatmap(table, ax=ax, **options)
    ax.set(xlabel=x, ylabel=y)
    ax.tick_params(axis="y", rotation=0)
    colours = ax.collections[0].get_facecolor()
    for text in ax.texts:
        column, row = map(int, text.get_position())
        luminance = relative_luminance(colours[row * table.shape[1] + column])
        text.set_color("0.1" if luminance > LIGHT else "white")


def titled_figure(title: str, width: float | int, height: float | int, missing: Collection[str] = ()) -> Picture:
    """Create a figure without panels, `width` by `height` inches; its title names what is `missing`."""
    fig = Picture(figsize=(width, height), layout="constrained")
    fig.suptitle(name_missing(title, missing), x=0.01, ha="left", weight="bold")
    return fig


def panel_grid(fig: Figure, count: int, columns: int, sharey: bool = False) -> list[Axes]:
    """Add `count` panels to a figure, in rows of so many `columns`, all with one vertical scale if `sharey`."""
    rows = max(1, math.ceil(count / columns))
    panels = fig.subplots(rows, columns, squeeze=False, sharey=sharey).flatten().tolist()
    for ax in panels[count:]:
        ax.remove()
    return panels[:count]


def name_missing(title: str, missing: Collection[str]) -> str:
    """Return a title that says of what there is nothing to show, as in `New people; trained here: none`."""
    return "; ".join([title, *(f"{name}: none" for name in missing)])


def legend_handles(fig: Figure) -> dict[str, Artist]:
    """Return the labels of all panels, each once, with what is drawn for it."""
    panels = [ax.get_legend_handles_labels() for ax in fig.axes]
    return {label: handle for handles, labels in panels for handle, label in zip(handles, labels, strict=True)}


def with_legend(fig: Picture, labels: Sequence[str] = ()) -> Picture:
    """Add one legend of all panels beside them, with these labels in their order, by default all; return the figure."""
    handles = legend_handles(fig)
    shown = list(labels or handles)
    fig.legend([handles[label] for label in shown], shown, loc="outside right center", frameon=False)
    return fig
