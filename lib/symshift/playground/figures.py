"""Views side by side as one static figure: the text with what the network attended to, and the answer below."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from symshift.playground.view import ANSWERS, View
from symshift.results.picture import Picture, themed, titled_figure
from symshift.results.style import SYMBOLIC_BAR, draw_answer_parts

LINE = 0.3  # inches
LETTER = 0.082  # inches for a monospaced letter of 9 points
STEP = 6  # letters that a share takes
BLUE = "#3C82F6"
ORANGE = SYMBOLIC_BAR["color"]


@themed
def view_panels(views: Sequence[View], title: str) -> Picture:
    """Draw what each reader made of its question.

    The background of a sentence is the stronger blue the larger its largest share over hops or reads; the shares in
    percent are to its left. The bar under a word is the stronger orange the larger its alpha. Facts have a star, words
    never seen in training are bold. Below are the likeliest answers.
    """
    rows = 1 + max(len(view.lines) for view in views)
    letters = max(_indent(view) + sum(len(word.text) + 1 for word in line) for view in views for line in view.lines)
    fig = titled_figure(title, (1 + LETTER * letters) * len(views), LINE * (rows + ANSWERS) + 1.6)
    grid = fig.subplots(2, len(views), squeeze=False, height_ratios=(rows, ANSWERS))
    for view, story_ax, answer_ax in zip(views, *grid, strict=True):
        story_ax.set(xlim=(0, letters), ylim=(rows, 0), xlabel="words", ylabel="sentences")
        story_ax.set_title(f"{view.name}: {view.answer}", loc="left", fontsize=11)
        story_ax.axis("off")
        _write(story_ax, view)
        draw_answer_parts(answer_ax, view.answer.distribution, ANSWERS)
        answer_ax.tick_params(labelsize=9)
    grid[1, 0].legend(loc="lower right", fontsize=8)
    return fig


def _indent(view: View) -> int:
    return 2 + (STEP * len(view.shares) if view.shares is not None else 0)


def _write(ax: Axes, view: View) -> None:
    if view.shares is not None:
        _write_shares(ax, view)
    for row, line in enumerate(view.lines, 1):
        if row - 1 in view.facts:
            _text(ax, 0, row, "*", weight="bold")
        x = _indent(view)
        for word in line:
            _text(ax, x, row, word.text, weight="bold" if word.unseen else "normal")
            if word.alpha is not None:
                _box(ax, x, row + 0.8, len(word.text), 0.15, ORANGE, word.alpha)
            x += len(word.text) + 1


def _write_shares(ax: Axes, view: View) -> None:
    """Write the shares of each sentence and shade it; the question, the last line, has none."""
    assert view.shares is not None
    ends = [2 + STEP * (column + 1) - 1 for column in range(len(view.shares))]
    for end, step in zip(ends, view.shares.index, strict=True):
        _text(ax, end, 0, f"{view.shares.index.name}{step}", ha="right", color="0.4")
    for row, line in enumerate(view.lines[:-1], 1):
        shares = view.shares[row - 1]
        length = sum(len(word.text) + 1 for word in line)
        _box(ax, _indent(view) - 0.5, row + 0.05, length, 0.9, BLUE, 0.6 * shares.max())
        for end, share in zip(ends, shares, strict=True):
            _text(ax, end, row, f"{share:.0%}", ha="right", color="0.4")


def _text(ax: Axes, x: int, row: int, text: str, **look: Any) -> None:
    ax.text(x, row + 0.45, text, family="monospace", fontsize=9, va="center", **look)


def _box(ax: Axes, x: float | int, y: float, width: int, height: float, colour: str, strength: float) -> None:
    ax.add_patch(Rectangle((x, y), width, height, facecolor=colour, alpha=strength, linewidth=0))
