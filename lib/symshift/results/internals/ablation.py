"""What each part of a network is for: a preset as it is, beside runs of the store that changed a setting of it."""

import pandas as pd

from symshift.results.generalisation.tables import TEST_OF_COLUMN
from symshift.runs.selection import one_run_per_seed, runs_with_changed_settings, with_budget, without_trials

AS_IT_IS = "as it is"
UNSEEN = [column for column, test in TEST_OF_COLUMN.items() if test != "original"]


def ablation(runs: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return the errors of a preset and of its changed forms, each on the official 1,000 examples of a task.

    Args:
        runs: The runs of a store.
        model: The preset.

    Returns:
        A row for the preset as it is and for each change, which says the budget of its runs where that is not the
        preset's. For each task that a changed form has learnt, the mean over seeds of the error on its test set and of
        the errors with unseen people, rooms and objects (percent), and the number of seeds. Trials of few updates do
        not count. No row where the store has no changed form.
    """
    trained = without_trials(runs[(runs.model == model) & (runs.examples == 1000) & (runs.stories == "official")])
    changed = runs_with_changed_settings(trained)
    if changed.empty:
        return pd.DataFrame()
    as_it_is = one_run_per_seed(trained).assign(changed=AS_IT_IS)
    rows = with_budget(pd.concat([as_it_is[as_it_is.task.isin(changed.task)], changed]), ["changed"])
    rows["changed"] += rows.budget.map(lambda budget: f" ({budget})" if budget else "")
    rows["unseen"] = rows.reindex(columns=UNSEEN).mean(axis=1)
    columns = rows.rename(columns={"error_test": "test", "seed": "seeds"})
    figures = {"test": "mean", "unseen": "mean", "seeds": "size"}
    table = columns.pivot_table([*figures], "changed", "task", figures, dropna=False).swaplevel(axis="columns")
    order = sorted(table.index, key=lambda form: (not form.startswith(AS_IT_IS), form))
    return table.loc[order, [(task, figure) for task in sorted(set(changed.task)) for figure in figures]]
