"""Renaming audits of the runs whose weights the repository carries: a file of them, a table and a figure.

`python -m symshift.results.generalisation.audit` audits each run with weights on its official test set, and writes
audits.csv beside the published runs. Runs that the file has are not audited again.
"""

import sys
from pathlib import Path

import pandas as pd

from symshift.command_line import Parser
from symshift.config import sort_presets
from symshift.data import load
from symshift.data.alpha_renaming import RENAMINGS, AuditQuestions
from symshift.errors import InputError
from symshift.paths import ROOT, write_atomically
from symshift.runs import reader
from symshift.runs.audit import MEASURES, answer_all, summarize
from symshift.runs.selection import runs_any_budget
from symshift.runs.store import Store

COMMAND = "python -m symshift.results.generalisation.audit"
FILE = "audits.csv"
CONTROL = "verbs"
MIN_TASKS = 10  # of a model in the figure
QUESTIONS = 50  # of each test set
LONG = {3}  # tasks whose stories take longest
ROLES = ("people", "rooms", "objects", "verbs")
KEY = ["run", "model", "task", "role", "renaming"]


def stored_audits(outputs: str | Path | None = None) -> pd.DataFrame:
    """Return the audits of the published runs: the columns of `symshift.audit`, with `run`, `model` and `task`.

    Args:
        outputs: The folder of the store; where it has no audits, those of the repository are returned.
    """
    paths = [folder / "published" / FILE for folder in (Store(outputs).outputs, ROOT / "outputs")]
    return next((pd.read_csv(path) for path in paths if path.exists()), pd.DataFrame(columns=[*KEY, *MEASURES]))


def audit_runs(outputs: str | Path | None = None) -> Path:
    """Audit the official runs with weights that have no audit, and add them to the file; return its path.

    Raises:
        InputError: The store has no run, or its files or the official stories cannot be read.
    """
    store = Store(outputs)
    path = store.outputs / "published" / FILE
    audits = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=[*KEY, *MEASURES])
    runs = store.require_runs()
    runs = runs_any_budget(runs[(runs.stories == "official") & (runs.task > 0)])
    runs = runs[~runs.id.isin(audits.run)]
    runs = runs.loc[[store.has_weights(run) for run in runs.id]]
    for task in sorted(set(runs.task), key=lambda task: (task in LONG, task)):
        audit_questions = AuditQuestions(load(task, split="test", source="official"), sample=QUESTIONS)
        for run in runs[runs.task == task].itertuples():
            table = summarize(audit_questions, answer_all(reader.load(run.id, outputs), audit_questions))
            about = pd.DataFrame({"run": run.id, "model": run.model, "task": task}, index=table.index)
            audits = pd.concat([audits, about.join(table)] if len(audits) else [about.join(table)])
            audits = audits.sort_values(["task", "model", "run"], kind="stable")
            write_atomically(path, audits.to_csv(index=False, float_format="%.2f").encode())
    return path


def by_model(audits: pd.DataFrame) -> pd.DataFrame:
    """Average audits over the tasks of each model, each task once.

    Args:
        audits: `stored_audits`.

    Returns:
        One row per model, role and renaming: the number of `tasks`, and the mean of each measure (percent).
    """
    measures = list(MEASURES)
    tasks = audits.groupby(["model", "role", "renaming", "task"], as_index=False)[measures].mean()
    means = tasks.groupby(["model", "role", "renaming"], as_index=False).agg(
        tasks=("task", "size"), **{name: (name, "mean") for name in measures}
    )
    orders = {"model": sort_presets(means.model), "role": ROLES, "renaming": list(RENAMINGS)}
    ordered = means.assign(**{name: pd.Categorical(means[name], order) for name, order in orders.items()})
    return ordered.sort_values(list(orders), ignore_index=True)


def summary(audits: pd.DataFrame) -> pd.DataFrame:
    """Summarize audits, a row for each model.

    Args:
        audits: `stored_audits`.

    Returns:
        The model, its number of `tasks`, the alpha-covariance with each renaming of people, rooms and objects, the
        increase of the error with unseen ones in points, and the covariance with unseen verbs, the control.
    """
    rows = []
    for model in sort_presets(audits.model):
        group = audits[audits.model == model]
        names = group[group.role != CONTROL]
        covariance = {f"covariance, {kind}": _mean_over_tasks(names, kind, "covariance") for kind in RENAMINGS}
        increase = {"error increase, unseen (points)": _mean_over_tasks(names, "unseen", "increase")}
        control = {"covariance, unseen verbs": _mean_over_tasks(group[group.role == CONTROL], "unseen", "covariance")}
        rows.append({"model": model, "tasks": names.task.nunique(), **covariance, **increase, **control})
    return pd.DataFrame(rows)


def comparable(audits: pd.DataFrame) -> pd.DataFrame:
    """Return the audits of the models with at least MIN_TASKS tasks, on the tasks that all of them have."""
    tasks = {model: set(group.task) for model, group in audits.groupby("model") if group.task.nunique() >= MIN_TASKS}
    common = set.intersection(*tasks.values()) if tasks else set()
    return audits[audits.model.isin(tasks) & audits.task.isin(common)]


def _mean_over_tasks(audits: pd.DataFrame, renaming: str, measure: str) -> float:
    """Average a measure over the roles and runs of each task, then over tasks."""
    return float(audits[audits.renaming == renaming].groupby("task")[measure].mean().mean())


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0: done, 2: there is no run to audit, or its stories are not to be had."""
    parser = Parser(prog=COMMAND, description=__doc__.partition("\n")[0])
    parser.add_argument("--outputs", help="the folder of the store; by default SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_args(arguments)
    try:
        print(audit_runs(options.outputs))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
