"""Views side by side as one static picture: the text with what the network looked at, and the answer below."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from symshift.playground.view import View
from symshift.results.style import Picture, themed

LINE = 0.3  # inches
LETTER = 0.082  # inches for a monospaced letter of 9 points
STEP = 6  # letters that a share takes
BLUE, ORANGE, GREY = "#3C82F6", "#D55E00", "#8A8A8A"
ANSWERS = 4


@themed
def compared(views: Sequence[View], title: str) -> Picture:
    """Each sentence stands on blue as strong as its largest share over hops or reads, with the shares in percent left
    of it, and each word on a bar as strong as its alpha; facts have a star, words never seen are bold. Below, the
    likeliest answers."""
    rows = 1 + max(len(view.lines) for view in views)
    letters = max(_indent(view) + sum(len(word.text) + 1 for word in line) for view in views for line in view.lines)
    width = 1 + LETTER * letters
    picture = Picture(figsize=(width * len(views), LINE * (rows + ANSWERS) + 1.6), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    grid = picture.subplots(2, len(views), squeeze=False, height_ratios=(rows, ANSWERS))
    for view, story, answer in zip(views, *grid, strict=True):
        story.set(xlim=(0, letters), ylim=(rows, 0), xlabel="words", ylabel="sentences")
        story.set_title(f"{view.name}: {view.answer}", loc="left", fontsize=11)
        story.axis("off")
        _write(story, view)
        _answers(answer, view)
    grid[1, 0].legend(loc="lower right", fontsize=8)
    return picture


def _indent(view: View) -> int:
    return 2 + (STEP * len(view.shares) if view.shares is not None else 0)


def _write(ax: Axes, view: View) -> None:
    steps = [] if view.shares is None else view.shares.index
    for column, step in enumerate(steps):
        _text(ax, 2 + STEP * (column + 1) - 1, 0, f"{view.shares.index.name}{step}", ha="right", color="0.4")
    for row, line in enumerate(view.lines, 1):
        told = row < len(view.lines)
        if row - 1 in view.facts:
            _text(ax, 0, row, "*", weight="bold")
        if told and len(steps):
            shares = view.shares[row - 1]
            length = sum(len(word.text) + 1 for word in line)
            _box(ax, _indent(view) - 0.5, row + 0.05, length, 0.9, BLUE, 0.6 * shares.max())
            for column, share in enumerate(shares):
                _text(ax, 2 + STEP * (column + 1) - 1, row, f"{share:.0%}", ha="right", color="0.4")
        place = _indent(view)
        for word in line:
            _text(ax, place, row, word.text, weight="bold" if word.unseen else "normal")
            if word.alpha is not None:
                _box(ax, place, row + 0.8, len(word.text), 0.15, ORANGE, word.alpha)
            place += len(word.text) + 1


def _text(ax: Axes, x: int, row: int, text: str, **look: object) -> None:
    ax.text(x, row + 0.45, text, family="monospace", fontsize=9, va="center", **look)


def _box(ax: Axes, x: float | int, y: float, width: int, height: float, colour: str, strength: float) -> None:
    ax.add_patch(Rectangle((x, y), width, height, facecolor=colour, alpha=strength, linewidth=0))


def _answers(ax: Axes, view: View) -> None:
    top = view.answer.distribution.head(ANSWERS)[::-1]
    ax.barh(top.word, top.semantic, color=GREY, label="semantic part")
    ax.barh(top.word, top.symbolic, left=top.semantic, color=ORANGE, hatch="//", label="symbolic part")
    ax.set(xlim=(0, 1), xlabel="probability", ylabel="answer")
    ax.grid(axis="y", visible=False)
    ax.tick_params(labelsize=9)
