"""The figure of renaming audits."""

import pandas as pd

from symshift.config import sort_presets
from symshift.results.generalisation.audit import COMMAND, CONTROL, RENAMINGS, ROLES, by_model
from symshift.results.picture import EmptyResultError, Picture, or_sentence, themed, titled, with_legend
from symshift.results.style import dodge_offsets, marker_styles


@or_sentence
@themed
def audit_figure(audits: pd.DataFrame) -> Picture:
    """Draw the alpha-covariance of each model by role and renaming, a mean over tasks; thin marks are single tasks.

    Args:
        audits: `comparable` audits.
    """
    if audits.empty:
        raise EmptyResultError(f"No audits of the store's runs are here; `{COMMAND}` makes them.")
    means = by_model(audits)
    models = sort_presets(means.model)
    looks = marker_styles(models)
    roles = [role for role in ROLES if role in set(means.role)]
    fig = titled(f"How many answers move with the names, {audits.task.nunique()} tasks", 3.1 * len(roles) + 1.5, 3.6)
    for ax, role in zip(fig.subplots(1, len(roles), sharey=True, squeeze=False)[0], roles, strict=True):
        for model, offset in zip(models, dodge_offsets(len(models), 0.38), strict=True):
            look = looks[model]
            tasks = audits[(audits.model == model) & (audits.role == role)]
            x = tasks.renaming.map(list(RENAMINGS).index) + offset
            ax.scatter(x, tasks.covariance, color=look["color"], marker=look["marker"], s=12, alpha=0.35)
            mean = means[(means.model == model) & (means.role == role)]
            x = mean.renaming.map(list(RENAMINGS).index).astype(float) + offset
            ax.plot(x, mean.covariance, **look | {"linestyle": ""}, markersize=9, label=model)
        ax.set_title(f"{role} (control)" if role == CONTROL else role, loc="left")
        ax.set_xticks(range(len(RENAMINGS)), list(RENAMINGS))
        ax.set(xlabel="words in their place", ylim=(-3, 103), xlim=(-0.5, len(RENAMINGS) - 0.5))
    fig.axes[0].set_ylabel("alpha-covariance (percent)")
    return with_legend(fig)
