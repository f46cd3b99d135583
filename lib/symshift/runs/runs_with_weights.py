"""The runs that can answer questions: those whose weights are here."""

from pathlib import Path
from typing import Any

import pandas as pd

from symshift.config import sort_presets
from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.store import Store

LABEL = "{model}, seed {seed}, {stories} stories, test error {error_test:.1f} %"
NO_TASK = 0  # of runs on stories of several tasks, or of a file


def runs_with_weights(outputs: str | Path | None = None) -> pd.DataFrame:
    """List the runs that have weights, in the repository's store and in another one.

    Args:
        outputs: The folder of the other store, as in `Store`.

    Returns:
        Their rows of `Store.runs` by id, in the order of tasks, models and seeds, those of no single task last, with
        the folder of the `store` and the `label` that a list of runs shows, which ends in the id where two of a task
        would be equal.

    Raises:
        InputError: There are none.
    """
    runs: dict[str, dict[str, Any]] = {}
    for folder in dict.fromkeys((ROOT / "outputs", Store(outputs).outputs)):
        store = Store(folder)
        for row in store.runs().to_dict("records"):
            if store.has_weights(row["id"]):
                runs[row["id"]] = {**row, "store": folder, "label": LABEL.format(**row)}
    if not runs:
        raise InputError("no run here has weights; train one with notebook 05")
    order = sort_presets(run["model"] for run in runs.values())
    rows = sorted(runs.values(), key=lambda run: (run["task"], order.index(run["model"]), run["seed"]))
    rows.sort(key=lambda run: run["task"] == NO_TASK)
    table = pd.DataFrame(rows).set_index("id")
    twice = table.duplicated(["task", "label"], keep=False)
    table.loc[twice, "label"] += ", run " + table.index[twice]
    return table


def choose(runs: pd.DataFrame, model: str, task: int) -> str:
    """Return the id of the run of this model and task that has the least validation error, the first of equals.

    Raises:
        InputError: There is none; it says which there are.
    """
    matching = runs[(runs["model"] == model) & (runs["task"] == task)]
    if matching.empty:
        models, tasks = runs.model[runs.task == task].unique(), runs.task[runs.model == model].unique()
        task_note = f"on task {task} there are {', '.join(models)}" if len(models) else f"none on task {task}"
        model_note = f"{model} is there on {', '.join(map(str, tasks))}" if len(tasks) else f"none of {model}"
        raise InputError(f"no run of {model} on task {task} has weights here; {task_note}, and {model_note}")
    return str(matching.sort_values("error_valid", kind="stable").index[0])
