"""Stories as pictures: supporting facts in colour, official beside generated, and what each set is made of."""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from symshift.data import Question
from symshift.data.statistics import measure
from symshift.results.style import Picture, themed
from symshift.runs.reader import Answer

SUPPORT = "#FFD966"
SETS = ("#1245C0", "#CC6A14", "#8ACE77")
LINE = 0.21  # inches
WRAP = 62  # characters
FEW = 12  # words that find room below their bars
ARROW = "\N{RIGHTWARDS ARROW}"


@themed
def stories(questions: Sequence[Sequence[Question]], title: str) -> Picture:
    """Rows of questions side by side, each with its story; the facts that support the answer stand on colour."""
    rows = [max(len(_lines(asked)) for asked in row) + 2 for row in questions]
    picture = Picture(figsize=(5.6 * len(questions[0]), LINE * sum(rows) + 0.6), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    grid = picture.subplots(len(questions), len(questions[0]), squeeze=False, height_ratios=rows)
    for axes, row, height in zip(grid, questions, rows, strict=True):
        for ax, asked in zip(axes, row, strict=True):
            _write(ax, asked, _lines(asked), height)
    return picture


@themed
def attended(told: Sequence[tuple[Question, Answer]], title: str) -> Picture:
    """Stories side by side, as they were read, each sentence with its attention (of the last hop) in percent and as a
    bar; the facts that support the answer stand on colour. Below, the question, the answer given and the right one, as
    in figure 4 of the temporal attention paper."""
    rows = max(answer.attention.shape[1] for _, answer in told) + 2
    picture = Picture(figsize=(6.4 * len(told), LINE * rows + 0.6), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    for ax, (asked, answer) in zip(picture.subplots(1, len(told), squeeze=False)[0], told, strict=True):
        attention = 100 * answer.attention.iloc[-1]
        left_out = len(asked.story) - len(attention)
        lines = [(asked.story[left_out + n], left_out + n in asked.supporting) for n in range(len(attention))]
        _write(ax, asked, [*lines, (f"{asked.question}  {ARROW} {answer.word} ({asked.answer})", False)], rows)
        ax.set_xlim(0, 1.4)
        ax.barh(attention.index + 0.5, 0.25 * attention / 100, 0.7, left=1.15, color=SETS[0])
        for row, percent in attention.items():
            ax.text(1.13, row + 0.5, f"{percent:.0f} %", fontsize=9, va="center", ha="right")
    return picture


@themed
def shares(sets: Mapping[str, Sequence[Question]], name: str, title: str, axis: str) -> Picture:
    """One panel a task: the share of each value of a measure (`symshift.data.statistics`) in sets of questions; values
    that are rare are left out, and words and answers stand the commonest first, named where they are few."""
    tasks = sorted({asked.task for questions in sets.values() for asked in questions})
    columns = min(5, len(tasks))
    height = -(-len(tasks) // columns)
    picture = Picture(figsize=(2.9 * columns, 1.9 * height + 0.8), layout="constrained")
    picture.suptitle(title, x=0.01, ha="left", weight="bold")
    grid = picture.subplots(height, columns, squeeze=False)
    for number, (task, ax) in enumerate(zip(tasks, grid.flat, strict=False)):
        _panel(ax, {source: _count(questions, task, name) for source, questions in sets.items()})
        ax.set_title(f"task {task}", loc="left", fontsize=10)
        ax.set_xlabel(axis, fontsize=9, visible=number + columns >= len(tasks))
        ax.set_ylabel("share (percent)", fontsize=9, visible=number % columns == 0)
    for ax in grid.flat[len(tasks) :]:
        ax.remove()
    picture.legend(*picture.axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
    return picture


def _lines(asked: Question) -> list[tuple[str, bool]]:
    """What is written of a question, with what stands on colour."""
    story = [
        (part, number in asked.supporting)
        for number, sentence in enumerate(asked.story)
        for part in textwrap.wrap(f"{number + 1:>3}  {sentence}", WRAP, subsequent_indent=" " * 5)
    ]
    return [*story, (f"     {asked.question}  {ARROW} {asked.answer}", False)]


def _write(ax: Axes, asked: Question, lines: list[tuple[str, bool]], height: int) -> None:
    ax.set(xlim=(0, 1), ylim=(height, 0), xlabel="words", ylabel="sentences")
    ax.axis("off")
    ax.set_title(f"task {asked.task}, {asked.source}" if asked.task else asked.source, loc="left", fontsize=10)
    for place, (text, supports) in enumerate(lines):
        box = {"facecolor": SUPPORT if supports else "none", "edgecolor": "none", "pad": 1.5}
        weight = "bold" if place == len(lines) - 1 else "normal"
        ax.text(0, place + 0.5, text, family="monospace", fontsize=9, va="center", weight=weight, bbox=box)


def _count(questions: Sequence[Question], task: int, name: str) -> Counter:
    return sum((story[name] for story in measure(asked for asked in questions if asked.task == task)), Counter())


def _panel(ax: Axes, counts: dict[str, Counter]) -> None:
    """Bars side by side for the values that are common in any set."""
    percent = pd.DataFrame(counts).fillna(0)
    percent = 100 * percent / percent.sum()
    ordered = pd.api.types.is_numeric_dtype(percent.index)
    percent = percent.sort_index() if ordered else percent.sort_values(percent.columns[0], ascending=False)
    percent = percent[percent.max(axis=1) >= 0.5].head(40)
    width = 0.8 / len(counts)
    for number, source in enumerate(percent):
        place = np.arange(len(percent)) + (number - len(counts) / 2 + 0.5) * width
        ax.bar(place, percent[source], width, color=SETS[number], label=source, linewidth=0)
    ax.grid(axis="x", visible=False)
    every = max(1, len(percent) // 6) if ordered else 1
    names = percent.index if ordered or len(percent) <= FEW else [""] * len(percent)
    ax.set_xticks(range(0, len(percent), every), names[::every], rotation=0 if ordered else 90)
    ax.tick_params(labelsize=8)
