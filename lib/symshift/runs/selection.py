"""Which runs of a store may stand for a preset.

Those that changed nothing of it do. So do, in tables, those that changed only its budget (how many updates at most, how
many without progress, and when validation counts as solved); every table that holds them says so. Of several runs of
one seed on the same stories the largest budget stands, whatever came out of it. A run of few updates, beside other
seeds that had twenty times as many, is a trial and does not count.
"""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import pandas as pd

from symshift.config import configure, presets
from symshift.errors import InputError
from symshift.runs.store import report_left_out

STORIES = {"task", "examples", "source"}  # what a preset leaves open
TASK_WITH_LISTS = 8  # of bAbI's tasks the one whose answers list words of their story
BUDGET = ["updates", "patience", "solved"]
# of several runs that agree in all of these, one counts
RUN_OF_SEED = ["model", "task", "examples", "stories", "data", "seed"]
TRIAL_SHARE = 0.05  # of the updates of the largest budget on the same stories; a run of no more is a trial


def preset_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that changed nothing of their preset, on whatever stories."""
    with_preset = _with_preset(runs)
    return with_preset.loc[[not changed for changed in _changes(with_preset)]]


def runs_any_budget(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that changed at most the budget of their preset."""
    with_preset = _with_preset(runs)
    return with_preset.loc[[changed.keys() <= set(BUDGET) for changed in _changes(with_preset)]]


def one_run_per_seed(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one of `runs_any_budget` for each seed on the same stories, that of the largest budget, without trials."""
    return without_trials(largest_first(runs_any_budget(runs)).drop_duplicates(RUN_OF_SEED).sort_index())


def without_trials(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs but for trials: those of few updates beside others of the preset on the same stories."""
    largest = runs.groupby(RUN_OF_SEED[:-1]).updates.transform("max")
    return runs[runs.updates > TRIAL_SHARE * largest]


def largest_first(runs: pd.DataFrame) -> pd.DataFrame:
    """Sort runs by budget: more updates, then more patience, then less at which a validation counts as solved."""
    return runs.sort_values(BUDGET, ascending=[False, False, True], kind="stable")


def runs_with_changed_settings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that changed more of their preset than its budget.

    Returns:
        Their rows with what they `changed`, as in *dim 30, dropout 0.2*; of those that changed the same, one for each
        seed on the same stories.
    """
    sized = largest_first(_with_preset(runs))
    sized = sized.assign(changed=[_text(changed) for changed in _changes(sized)])
    return sized[sized.changed != ""].drop_duplicates([*RUN_OF_SEED, "changed"]).sort_index()


def budget(runs: pd.DataFrame) -> str:
    """Say how the budgets of these runs differ from their preset's.

    Returns:
        A note such as *≤24k*, at most 24,000 updates; empty where they do not differ.
    """
    return join_notes(budget_notes(runs))


def budget_notes(runs: pd.DataFrame) -> pd.Series:
    """Say of each run how its budget differs from its preset's; `join_notes` makes one note of those of many runs."""
    settings = pd.MultiIndex.from_frame(runs[["model", *BUDGET]])
    notes = {setting: _note(*setting) for setting in settings.unique()}
    return pd.Series([notes[setting] for setting in settings], runs.index, str)


def join_notes(notes: Iterable[str]) -> str:
    """Join the different notes among these, as in *preset or ≤24k*; empty where no run differs from its preset."""
    different = set(notes)
    return "" if different == {""} else " or ".join(note or "preset" for note in sorted(different))


def with_budget(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Add to each run the `budget` of all runs that are alike in these columns."""
    noted = runs.assign(budget=budget_notes(runs))
    return noted.assign(budget=noted.groupby(by).budget.transform(join_notes))


def seed_range(n: pd.Series) -> str:
    """Say how many seeds are behind each of several numbers, as in `3 to 5`."""
    fewest, largest = n.min(), n.max()
    return str(fewest) if fewest == largest else f"{fewest} to {largest}"


def seed_note(n: int, budget: str) -> str:
    """Say what stands behind a number: so many seeds, on this budget."""
    return f"n={n}, {budget}" if budget else f"n={n}"


def _with_preset(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of a preset that is known here, and of the code that its network has now."""
    known = runs[runs.model.isin(presets())]
    if "code" not in known:
        return known
    foreign = known[known.code != ""]
    code = {model: _code(model) for model in foreign.model.unique()}
    return known.drop(foreign.index[foreign.code != foreign.model.map(code)])


def _code(model: str) -> str | None:
    """Return the fingerprint of the code of a preset's network; None where it is not here, which is reported."""
    try:
        return configure({"model": model}).code
    except InputError as error:
        report_left_out(InputError(f"runs of {model}: {error}"))
        return None


def _changes(runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Return of each run the settings in which it differs from its preset, with the values that it has."""
    changes: list[dict[str, Any]] = [{} for _ in range(len(runs))]
    for model, positions in runs.groupby("model").indices.items():
        group, preset = runs.iloc[positions], configure({"model": model})
        defaults = preset.defaults()
        for name, right in preset.settings().items():
            if name in STORIES:
                continue
            for position, value, task in zip(positions, _values(group, name, defaults), group.task, strict=True):
                if value != right and (name != "answers" or _answers_matter(value, task)):
                    changes[position][name] = value
    return changes


def _answers_matter(answers: str, task: int) -> bool:
    """Return whether the setting `answers` may have changed a run: a record has `items` only where there are lists."""
    return answers == "items" or task == TASK_WITH_LISTS


def _values(runs: pd.DataFrame, name: str, defaults: dict[str, Any]) -> list[Any]:
    """Return a setting of each run; where a record leaves it out, its default."""
    values = runs[name] if name in runs else pd.Series(None, runs.index, object)
    return [defaults[name] if name in defaults and pd.isna(value) else value for value in values]


def _note(model: str, updates: int, patience: int, solved: float) -> str:
    preset = configure({"model": model}).training
    if updates != preset.updates:
        return f"≤{_thousands(updates)}"
    if patience != preset.patience:
        return f"patience {_thousands(patience)}"
    return f"solved {solved:g}" if solved != preset.solved else ""


def _thousands(number: int) -> str:
    return f"{number / 1000:g}k" if number >= 1000 else str(number)


def _text(changed: dict[str, Any]) -> str:
    """Say what a run changed but its budget."""
    values = {name: changed[name] for name in sorted(changed.keys() - set(BUDGET))}
    return ", ".join(f"{name} {x:g}" if isinstance(x, Real) else f"{name} {x}" for name, x in values.items())
