"""One network that learns all twenty tasks at once: ours beside the printed one.

TPR-RNN, Schlag & Schmidhuber 2018, Table 1 and Appendix B; ours are from `training.conditions`.
"""

import pandas as pd

from symshift.data.babi.generator import BABI_TASKS
from symshift.results.papers.published import published
from symshift.results.style import FAILED
from symshift.runs.selection import budget, one_run_per_seed, seed_note
from symshift.training.conditions import ALL_TASKS

TASKS = {f"error_task {task}": task for task in BABI_TASKS}
MEAN, FAILURES = "mean", "failed tasks a seed"  # the rows below the tasks


def table(runs: pd.DataFrame) -> pd.DataFrame:
    """Tabulate mean errors by task.

    Args:
        runs: The runs of a store.

    Returns:
        One row per task (percent), then their mean and how many tasks a seed fails on average; one column per printed
        number, and one per preset and number of examples of ours, whose name has n and the budget.
    """
    rows = [*BABI_TASKS, MEAN, FAILURES]
    columns = _printed() | _ours(runs)
    return pd.DataFrame({name: errors.reindex(rows) for name, errors in columns.items()}).rename_axis("task")


def _printed() -> dict[str, pd.Series]:
    rows = published().query("paper == 'Schlag & Schmidhuber 2018' and table == 'Appendix B'")
    columns = {}
    for (model, examples, statistic), group in rows.groupby(["model", "examples", "statistic"], sort=False):
        kind = statistic.partition(" (")[0]
        errors = group.set_index(group.task.map(lambda task: MEAN if pd.isna(task) else int(task))).error
        columns[f"published: {model}, {examples:,} of each, {kind}"] = errors
    return columns


def _ours(runs: pd.DataFrame) -> dict[str, pd.Series]:
    """Average the networks that learnt all of the tasks; others learn a few."""
    together = runs[runs.stories == ALL_TASKS].reindex(columns=[*runs, *TASKS.keys() - {*runs}])
    complete = one_run_per_seed(together.dropna(subset=list(TASKS)))
    columns = {}
    for (model, examples), group in complete.groupby(["model", "examples"]):
        errors = group[list(TASKS)].rename(columns=TASKS)
        over_tasks = {MEAN: errors.mean(axis=1).mean(), FAILURES: (errors > FAILED).sum(axis=1).mean()}
        name = f"{model}, {examples // len(TASKS):,} of each ({seed_note(len(group), budget(group))})"
        columns[name] = pd.concat([errors.mean(), pd.Series(over_tasks)])
    return columns
