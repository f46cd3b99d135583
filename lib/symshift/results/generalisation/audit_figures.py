"""The figure of renaming audits."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from symshift.config import sort_presets
from symshift.results.generalisation.audit import COMMAND, CONTROL, RENAMINGS, ROLES, by_model
from symshift.results.picture import EmptyResultError, Picture, sentence_if_empty, themed, titled_figure, with_legend
from symshift.results.style import DARK_EDGE, dodge_offsets, style

MARKERS = {"known": "o", "unseen": "X", "permuted": "^"}


@sentence_if_empty
@themed
def audit_figure(audits: pd.DataFrame) -> Picture:
    """Draw the alpha-covariance of each model by role and renaming, a mean over tasks; small marks are single runs.

    Args:
        audits: `comparable` audits.
    """
    if audits.empty:
        raise EmptyResultError(f"No audits of the store's runs are here; `{COMMAND}` makes them.")
    means = by_model(audits)
    models = sort_presets(means.model)
    roles = [role for role in ROLES if role in set(means.role)]
    title = f"How many answers move with the names, {audits.task.nunique()} tasks"
    fig = titled_figure(title, 3.1 * len(roles) + 1.5, 0.38 * len(models) + 1.4)
    for ax, role in zip(fig.subplots(1, len(roles), sharex=True, sharey=True, squeeze=False)[0], roles, strict=True):
        _draw_role(ax, audits[audits.role == role], means[means.role == role], models)
        ax.set_title(f"{role} (control)" if role == CONTROL else role, loc="left")
    return with_legend(fig)


def _draw_role(ax: Axes, audits: pd.DataFrame, means: pd.DataFrame, models: Sequence[str]) -> None:
    """Draw a row for each model, with a mark for each renaming, one below the other."""
    rows = {model: row for row, model in enumerate(models)}
    for renaming, offset in zip(RENAMINGS, dodge_offsets(len(RENAMINGS), 0.25), strict=True):
        look: dict[str, Any] = {"marker": MARKERS[renaming], "linewidth": 0}
        for table, size, alpha in ((audits, 9, 0.35), (means, 55, 1.0)):
            shown = table[table.renaming == renaming]
            colours = [style(model)["color"] for model in shown.model]
            ax.scatter(
                shown.covariance, shown.model.map(rows).astype(float) + offset, size, colours, alpha=alpha, **look
            )
        ax.scatter([], [], 55, DARK_EDGE, label=renaming, **look)  # for the legend, which is of no model
    ax.set_yticks(range(len(models)), models)
    ax.set(xlabel="alpha-covariance (percent)", xlim=(-3, 103), ylim=(len(models) - 0.5, -0.5))
    ax.grid(axis="y", visible=False)
