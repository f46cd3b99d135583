"""What an update costs, as tables and figures.

By the length of a story, its symbols and the number of models; against the loop, as `make bench` measured it; and
against what the machine can do.
"""

from collections.abc import Iterable
from pathlib import Path

import matplotlib.ticker as ticker
import pandas as pd
from matplotlib.axes import Axes

from symshift.config import RunConfig, sort_presets
from symshift.results.picture import OUTSIDE, Picture, single_panel, themed
from symshift.results.style import style
from symshift.sweeps.estimate import BENCH
from symshift.training.profiling import GPU_TIMES, Limits, Size, work

FORMS = {"loop_ms": "loop", "alone_ms": "alone", "stacked10_ms": "stacked by ten"}
LOOKS = {"loop": ("X", "#A6A6A6"), "alone": ("o", "#5AAEF0"), "stacked by ten": ("D", "#0B3C8C")}
AXES = {"sentences": "sentences a story", "symbols": "context symbols a story", "stack": "models in the stack"}
PARTS = {"measured": ("D", "#0B3C8C"), "memory": ("s", "#EDBE2A"), "arithmetic": ("o", "#A6A6A6")}


def bench(file: Path = BENCH) -> pd.DataFrame:
    """Read the table of `make bench`.

    Returns:
        One row per case: milliseconds a model-update in each form, and `times`, how many times faster than the loop the
        ensemble is; NaN where a case has no loop.
    """
    table = pd.read_csv(file).set_index("case")
    return table[[*FORMS]].rename(columns=FORMS).assign(times=table.loop_ms / table.stacked10_ms)


def gpu_bench() -> pd.DataFrame:
    """Read the table of `python -m benchmarks.stacks`.

    Returns:
        One row per model and stack: milliseconds a model-update in `ms`, the `device`, and versions.
    """
    return pd.read_csv(GPU_TIMES)


def distances(scanned: pd.DataFrame, configs: Iterable[RunConfig], size: Size, machine: Limits) -> pd.DataFrame:
    """Compare measured updates with the machine's limits.

    Args:
        scanned: `profiling.scan`.
        configs: One config per model.
        size: The size at which models are compared.
        machine: What the machine can do.

    Returns:
        One row per model: milliseconds `measured`; milliseconds that its `arithmetic` and its `memory` traffic would
        take at the limits; and `share`, the larger of both in percent of what was measured.
    """
    updates = scanned[(scanned[list(vars(size))] == pd.Series(vars(size))).all(axis=1)]
    milliseconds = updates.set_index("model").ms
    rows = {}
    for config in configs:
        arithmetic, memory = machine.milliseconds(work(config, size))
        measured = milliseconds[config.model]
        share = 100 * max(arithmetic, memory) / measured
        rows[config.model] = {"measured": measured, "memory": memory, "arithmetic": arithmetic, "share": share}
    return pd.DataFrame(rows).T.rename_axis("model")


@themed
def forms(table: pd.DataFrame) -> Picture:
    """Draw `bench` as points on a logarithmic scale, one line for each case."""
    x = "milliseconds a model-update (one CPU thread)"
    fig, ax = single_panel("The loop, and what replaces it", x, "", height=1.2 + 0.32 * len(table))
    rows = table[::-1]
    ax.set_ylabel("case: model, sentences, sizes")
    _draw_points(ax, rows, LOOKS)
    return fig


@themed
def costs(scanned: pd.DataFrame, by: str, title: str) -> Picture:
    """Draw the cost of an update against one size, on logarithmic scales.

    Args:
        scanned: `profiling.scan`, with milliseconds in `ms`.
        by: One of AXES. The dotted line is proportional to it, or inversely proportional to `stack`.
        title: What the figure shows.
    """
    fig, ax = single_panel(title, AXES[by], "milliseconds a model-update")
    for model in sort_presets(scanned.model):
        line = scanned[scanned.model == model].groupby(by).ms.median()
        ax.plot(line, **style(model), markersize=8, linewidth=2, label=model)
    ends = scanned[by].agg(["min", "max"]).to_numpy()
    slope = -1 if by == "stack" else 1
    start = scanned.ms.max() if by == "stack" else scanned.ms.min()
    label = "in inverse proportion" if by == "stack" else "in proportion"
    ax.plot(ends, start * (ends / ends[0]) ** slope, ":", color="0.5", label=label)
    ax.set(xscale="log", yscale="log")
    ax.set_xticks(sorted(scanned[by].unique()), sorted(scanned[by].unique()))
    ax.minorticks_off()
    ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    ax.legend(**OUTSIDE)
    return fig


@themed
def limits(table: pd.DataFrame, title: str = "How far from the machine's limits") -> Picture:
    """Draw `distances` as three points for each model on a logarithmic scale."""
    rows = table.loc[sort_presets(table.index)[::-1]]
    fig, ax = single_panel(title, "milliseconds a model-update", "model", height=1.4 + 0.4 * len(rows))
    _draw_points(ax, rows, PARTS)
    ax.margins(y=0.15)
    return fig


def _draw_points(ax: Axes, rows: pd.DataFrame, looks: dict[str, tuple[str, str]]) -> None:
    """Draw columns of a table as points on a logarithmic scale, one line for each row; `looks`: marker and colour."""
    ax.hlines(range(len(rows)), rows[[*looks]].min(axis=1), rows[[*looks]].max(axis=1), color="0.8", linewidth=2)
    for name, (marker, colour) in looks.items():
        ax.scatter(rows[name], range(len(rows)), marker=marker, color=colour, s=60, zorder=3, label=name)
    ax.set_yticks(range(len(rows)), rows.index)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:,g}"))
    ax.grid(axis="y", visible=False)
    ax.legend(**OUTSIDE)
