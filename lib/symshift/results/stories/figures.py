"""Stories as pictures: supporting facts in colour, official beside generated, and what each set is made of."""

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from symshift.data import Question
from symshift.data.statistics import measure
from symshift.errors import InputError
from symshift.results.picture import Picture, panel_grid, themed, titled_figure
from symshift.runs.reader import Answer

SUPPORT = "#FFD966"
SETS = ("#1245C0", "#CC6A14", "#8ACE77")
LINE = 0.21  # inches
WRAP = 62  # characters
NAMED = 12  # words that find room below their bars
RARE = 0.5  # percent: values below are left out
BARS = 40  # values in a panel at most
ARROW = "\N{RIGHTWARDS ARROW}"


@themed
def stories(questions: Sequence[Sequence[Question]], title: str, names: Sequence[Sequence[str]] = ()) -> Picture:
    """Draw rows of questions side by side, each with its story; supporting facts are highlighted.

    Args:
        questions: Rows of as many questions each.
        title: What the figure shows.
        names: What stands above each question; by default its task and source.
    """
    heights = [max(len(_lines(question)) for question in row) + 2 for row in questions]
    fig = titled_figure(title, 5.6 * len(questions[0]), LINE * sum(heights) + 0.6)
    grid = fig.subplots(len(questions), len(questions[0]), squeeze=False, height_ratios=heights)
    above = names or [[_name(question) for question in row] for row in questions]
    for axes, row, row_names, height in zip(grid, questions, above, heights, strict=True):
        for ax, question, name in zip(axes, row, row_names, strict=True):
            _write(ax, name, _lines(question), height)
    return fig


@themed
def attention(answers: Sequence[tuple[Question, Answer]], title: str) -> Picture:
    """Draw stories side by side with the attention of each sentence, as in figure 4 of the temporal attention paper.

    Attention is that of the last hop, in percent and as a bar; supporting facts are highlighted. Below stand the
    question, the model's answer and the right one.

    Args:
        answers: Questions with answers that have attention.
        title: What the figure shows.

    Raises:
        InputError: An answer has no attention.
    """
    tables = [_attention(answer) for _, answer in answers]
    height = max(table.shape[1] for table in tables) + 2
    fig = titled_figure(title, 6.4 * len(answers), LINE * height + 0.6)
    axes = fig.subplots(1, len(answers), squeeze=False)[0]
    for ax, (question, answer), table in zip(axes, answers, tables, strict=True):
        percent = 100 * table.iloc[-1]
        first = len(question.story) - len(percent)
        lines = [(line, number in question.supporting) for number, line in enumerate(question.story) if number >= first]
        lines.append((f"{question.question}  {ARROW} {answer.word} ({question.answer})", False))
        _write(ax, _name(question), lines, height)
        ax.set_xlim(0, 1.4)
        ax.barh(percent.index + 0.5, 0.25 * percent / 100, 0.7, left=1.15, color=SETS[0])
        for row, value in percent.items():
            ax.text(1.13, row + 0.5, f"{value:.0f} %", fontsize=9, va="center", ha="right")
    return fig


@themed
def shares(sets: Mapping[str, Sequence[Question]], name: str, title: str, axis: str) -> Picture:
    """Draw the share of each value of a measure in sets of questions, one panel for each task.

    Rare values are left out. Words and answers are in order of frequency, and named where they are few.

    Args:
        sets: Questions by the name of their set.
        name: A measure of `symshift.data.statistics`.
        title: What the figure shows.
        axis: Name of the values.
    """
    tasks = sorted({question.task for questions in sets.values() for question in questions})
    columns = min(4, len(tasks))
    rows = math.ceil(len(tasks) / columns)
    fig = titled_figure(title, 2.6 * columns, 1.8 * rows + 0.8)
    for number, (task, ax) in enumerate(zip(tasks, panel_grid(fig, len(tasks), columns), strict=True)):
        _draw_shares(ax, {source: _count(questions, task, name) for source, questions in sets.items()})
        ax.set_title(f"task {task}", loc="left", fontsize=10)
        ax.set_xlabel(axis, fontsize=9, visible=number + columns >= len(tasks))
        ax.set_ylabel("share (percent)", fontsize=9, visible=number % columns == 0)
    handles, labels = fig.axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    return fig


def _attention(answer: Answer) -> pd.DataFrame:
    if answer.attention is None:
        raise InputError("the answer has no attention; ask a memory network or a model with temporal attention")
    return answer.attention


def _lines(question: Question) -> list[tuple[str, bool]]:
    """Return the lines of a story and its question, and whether each is a supporting fact."""
    story = [
        (part, number in question.supporting)
        for number, sentence in enumerate(question.story)
        for part in textwrap.wrap(f"{number + 1:>3}  {sentence}", WRAP, subsequent_indent=" " * 5)
    ]
    return [*story, (f"     {question.question}  {ARROW} {question.answer}", False)]


def _name(question: Question) -> str:
    return f"task {question.task}, {question.source}" if question.task else question.source


def _write(ax: Axes, name: str, lines: list[tuple[str, bool]], height: int) -> None:
    ax.set(xlim=(0, 1), ylim=(height, 0), xlabel="words", ylabel="sentences")
    ax.axis("off")
    ax.set_title(name, loc="left", fontsize=10)
    for row, (text, supports) in enumerate(lines):
        box = {"facecolor": SUPPORT if supports else "none", "edgecolor": "none", "pad": 1.5}
        weight = "bold" if row == len(lines) - 1 else "normal"
        ax.text(0, row + 0.5, text, family="monospace", fontsize=9, va="center", weight=weight, bbox=box)


def _count(questions: Sequence[Question], task: int, name: str) -> Counter:
    stories = measure(question for question in questions if question.task == task)
    return sum((story[name] for story in stories), Counter())


def _draw_shares(ax: Axes, counts: dict[str, Counter]) -> None:
    """Draw bars side by side for the values that are common in any set."""
    percent = pd.DataFrame(counts).fillna(0)
    percent = 100 * percent / percent.sum()
    numeric = pd.api.types.is_numeric_dtype(percent.index)
    percent = percent.sort_index() if numeric else percent.sort_values(percent.columns[0], ascending=False)
    percent = percent[percent.max(axis=1) >= RARE].head(BARS)
    width = 0.8 / len(counts)
    for number, source in enumerate(percent):
        x = np.arange(len(percent)) + (number - len(counts) / 2 + 0.5) * width
        ax.bar(x, percent[source], width, color=SETS[number], label=source, linewidth=0)
    ax.grid(axis="x", visible=False)
    step = max(1, len(percent) // 6) if numeric else 1
    names = percent.index if numeric or len(percent) <= NAMED else [""] * len(percent)
    ax.set_xticks(range(0, len(percent), step), names[::step], rotation=0 if numeric else 90)
    ax.tick_params(labelsize=8)
