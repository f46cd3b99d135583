"""The runs that can be asked: those whose weights are here."""

from pathlib import Path

import pandas as pd

from symshift.config import sort_presets
from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.runs.store import Store


def runs_with_weights(outputs: str | Path | None = None) -> pd.DataFrame:
    """The runs of single tasks that have weights, those that the repository carries and the store's own, by id, in the
    order of tasks, models and seeds. `store` is where a run lies, `label` how it is told from the others."""
    stores = [Store(place) for place in dict.fromkeys((ROOT / "outputs", Store(outputs).outputs))]
    runs = {
        row["id"]: row | {"store": store.outputs, "label": _label(row)}
        for store in stores
        for row in store.runs().to_dict("records")
        if row["task"] and store.has_weights(row["id"])
    }
    if not runs:
        raise InputError("no run here has weights; train one with notebook 05")
    order = sort_presets(run["model"] for run in runs.values())
    rows = sorted(runs.values(), key=lambda run: (run["task"], order.index(run["model"]), run["seed"]))
    return pd.DataFrame(rows).set_index("id")


def choose(runs: pd.DataFrame, model: str, task: int) -> str:
    """The first of these runs that is of this model and task."""
    found = runs.index[(runs["model"] == model) & (runs["task"] == task)]
    if found.empty:
        models, tasks = runs.model[runs.task == task].unique(), runs.task[runs.model == model].unique()
        of_task = f"on task {task} there are {', '.join(models)}" if len(models) else f"none on task {task}"
        of_model = f"{model} is there on {', '.join(map(str, tasks))}" if len(tasks) else f"none of {model}"
        raise InputError(f"no run of {model} on task {task} has weights here; {of_task}, and {of_model}")
    return found[0]


def _label(row: dict[str, object]) -> str:
    return "{model}, seed {seed}, {stories} stories, test error {error_test:.1f} %".format(**row)
