"""Our cells beside the numbers that papers print, table by table.

A printed number is a mean over seeds, or the best of several, or of all tasks learnt by one network; ours stands beside
it by the same convention. The temporal attention paper does not say of how many seeds a number is; ours beside it is a
mean. The symbol-shift paper's MN and SMN, without linear start and time noise, are our `-inputs` presets, and `-plain`
those with word order everywhere; `mn` and `smn` stand beside them too, and may differ for that reason. What TPR-sm and
STPR-sm drop is not said: `-sm`, `-hidden` and `-words` are three readings. `entnet-released` starts as the released
code of EntNet's authors does, `entnet` as validation wants it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from symshift.config import presets, sort_presets
from symshift.errors import InputError, suggest
from symshift.results.papers.cells import KEY, failed, official
from symshift.results.papers.published import means, published
from symshift.results.style import styled
from symshift.results.supporting_facts.tables import published_facts
from symshift.runs.selection import RUN_OF_SEED, largest_first, runs_any_budget, runs_with_changed_settings, seed_note
from symshift.training.conditions import BY_QUESTION

FAR = 5  # points: a deviation is larger
TEMPORAL = "Palma 2020"
UNSEEN = {"room": "unseen rooms", "object": "unseen objects", "people": "unseen people"}
ALL_TASKS = "all tasks"  # what the statistic of a network of all tasks says
FORMS = {  # presets and the printed model each may be
    "mn-plain": "mn",
    "mn-inputs": "mn",
    "smn-plain": "smn",
    "smn-inputs": "smn",
    "tpr-hidden": "tpr-sm",
    "tpr-words": "tpr-sm",
    "stpr-hidden": "stpr-sm",
    "stpr-words": "stpr-sm",
    "entnet-released": "entnet",
}


def with_printed(cells: pd.DataFrame) -> pd.DataFrame:
    """Add to cells the printed error of their model and its standard deviation in percent: `paper`, `paper_std`."""
    key = [name for name in KEY if name != "source"]
    lookup = cells[key].assign(model=cells.model.replace(FORMS))
    printed = lookup.merge(_comparable()[[*key, "error", "std"]], "left", key)
    comparable = (cells.source == "official").to_numpy()
    return cells.assign(paper=printed.error.where(comparable).array, paper_std=printed["std"].where(comparable).array)


def side_by_side(cells: pd.DataFrame, paper: str, table: str) -> Styler:
    """Lay out a paper's table of tasks with our numbers.

    Args:
        cells: `cells.cells` (percent).
        paper: Its name in `published`.
        table: The name of the table.

    Returns:
        One row per task (and test set); one column per printed model, and beside it one for each preset with a cell.

    Raises:
        InputError: No paper has such a table.
    """
    printed = all_printed().query("paper == @paper and table == @table and task.notna()")
    if printed.empty:
        by_task = all_printed().dropna(subset="task").drop_duplicates(["paper", "table"])
        names = [f"{row.paper}, {row.table}" for row in by_task.itertuples()]
        raise InputError(f"no paper has a table by task '{paper}, {table}'; {suggest(f'{paper}, {table}', names)}")
    rows = ["task"] if set(printed.test) == {"original"} else ["task", "test"]
    columns = {}
    for (model, statistic, examples), group in printed.groupby(["model", "statistic", "examples"], sort=False):
        columns[model, statistic] = group.set_index(rows).apply(_printed, axis=1)
        for preset in _presets(model, statistic):
            ours = cells[(cells.model == preset) & (cells.examples == examples) & (cells.source == "official")]
            ours = ours[ours.test.isin(group.test)].set_index(rows)
            if len(ours):
                columns[preset, _convention(statistic)] = ours.apply(_ours, axis=1, statistic=statistic)
    order = printed.drop_duplicates(rows).set_index(rows).index
    wide = pd.DataFrame(columns).reindex(order).fillna("").rename_axis(columns=["model", "number"])
    return styled(wide).set_properties(**{"white-space": "nowrap"}).set_sticky(axis="index")


def overall(paper: str, table: str) -> pd.DataFrame:
    """Return what a paper prints over all tasks: one row per model, one column per statistic and number of examples."""
    printed = published().query("paper == @paper and table == @table and task.isna()")
    written = printed.assign(number=printed.apply(_printed, axis=1))
    wide = written.pivot_table("number", "model", ["statistic", "examples"], aggfunc="first", sort=False)
    return wide.fillna("")


def aggregate(cells: pd.DataFrame, examples: int) -> pd.DataFrame:
    """Summarise each preset over the tasks that it has cells of.

    Args:
        cells: `cells.cells` (percent).
        examples: Number of training examples.

    Returns:
        One row per preset: number of `tasks`; `n at least`, the fewest seeds of a task; the tasks of an `other budget`
        than the preset's; `mean` and `best` errors; `failed` tasks; the paper's mean and failed tasks over the same
        tasks, and its mean over all tasks; mean errors with unseen words, over the tasks with such a test set.
    """
    ours = official(with_printed(cells), examples).reset_index()
    unseen = {name: official(cells, examples, test)["mean"].groupby("model").mean() for test, name in UNSEEN.items()}
    over_tasks = _comparable().query("examples == @examples and task.isna()").set_index("model").error
    rows = {}
    for model in sort_presets(ours.model):
        group = ours[ours.model == model]
        both = group.dropna(subset="paper")
        rows[model] = {
            "tasks": f"{len(group)} of 20",
            "n at least": group.n.min(),
            "other budget": (group.budget != "").sum(),
            "mean": group["mean"].mean(),
            "best": group.best.mean(),
            "failed": failed(group["mean"]),
            "paper, same tasks": both.paper.mean(),
            "paper failed": failed(both.paper) if len(both) else "",
            "paper, all tasks": over_tasks.get(FORMS.get(model, model), np.nan),
            **{name: errors.get(model, np.nan) for name, errors in unseen.items()},
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")


def deviations(cells: pd.DataFrame, experiments: pd.DataFrame) -> pd.DataFrame:
    """List the tasks whose mean is more than FAR points from the printed one, farthest first.

    Args:
        cells: `cells.cells` (percent).
        experiments: `explanations`: which experiment explains a deviation.
    """
    compared = with_printed(cells)
    compared = compared[compared.test == "original"].assign(difference=lambda rows: rows["mean"] - rows.paper)
    far = compared[compared.difference.abs() > FAR].sort_values("difference", key=abs, ascending=False)
    far = far.merge(experiments, "left", ["model", "task", "examples"]).fillna({"experiment": ""})
    return far[["model", "task", "examples", "n", "budget", "mean", "best", "paper", "difference", "experiment"]]


def budgets(runs: pd.DataFrame) -> pd.DataFrame:
    """List where the same seeds learnt the same official stories with two budgets, greatest fall first.

    Args:
        runs: The runs of a store.

    Returns:
        One row per model, task and examples: `n` seeds; the largest number of updates and the mean error in percent, of
        the smallest budget (`at most`, `error`) and of the largest (`then at most`, `then error`).
    """
    by = ["model", "task", "examples", "at most", "then at most"]
    columns = [*by[:3], "n", "at most", "error", "then at most", "then error"]
    official_runs = runs_any_budget(runs)
    official_runs = largest_first(official_runs[official_runs.stories == "official"])
    ends = {"at most": ("updates", "last"), "error": ("error_test", "last")}
    ends |= {"then at most": ("updates", "first"), "then error": ("error_test", "first")}
    seeds = official_runs.groupby(RUN_OF_SEED).agg(**ends).query("`at most` < `then at most`")
    figures = {"n": ("error", "size"), "error": ("error", "mean"), "then error": ("then error", "mean")}
    table = seeds.reset_index().groupby(by).agg(**figures).reset_index()
    return table.sort_values("then error", key=lambda then: then - table.error, ignore_index=True)[columns]


def experiments(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """List the experiments: official stories learnt with more changed of a preset than its budget, greatest fall first.

    Args:
        runs: The runs of a store.
        cells: `cells.cells` (percent).

    Returns:
        One row per model, task, examples and what was `changed`: `n` seeds, `at most` so many updates, mean `error`,
        the error `as the preset`, and the printed one, in percent.
    """
    by = ["model", "task", "examples"]
    figures = {"n": ("seed", "size"), "at most": ("updates", "max"), "error": ("error_test", "mean")}
    changed = (
        runs_with_changed_settings(runs)
        .query("stories == 'official'")
        .groupby([*by, "changed"])
        .agg(**figures)
        .reset_index()
    )
    changed = with_printed(changed.assign(source="official", test="original"))
    own = cells.rename(columns={"mean": "as the preset"})[[*KEY, "as the preset"]]
    table = changed.merge(own, "left", KEY)[[*by, "changed", *figures, "as the preset", "paper"]]
    return table.sort_values("error", key=lambda error: error - table["as the preset"], ignore_index=True)


def splits(cells: pd.DataFrame) -> pd.DataFrame:
    """Compare validation on a tenth of the questions with validation on a tenth of the stories.

    Returns:
        One row per model and task that has both: mean errors in percent, n and budgets, and the printed error.
    """
    columns = ["n", "budget", "mean"]
    by_story = official(with_printed(cells), 1000)
    by_question = cells[(cells.source == BY_QUESTION) & (cells.test == "original")].set_index(["model", "task"])
    both = [by_question[columns].add_suffix(", by question"), by_story.paper]
    return by_story[columns].add_suffix(", by story").join(both, how="inner")


def explanations() -> pd.DataFrame:
    """Return which experiment explains a deviation, written by hand: model, task, examples, experiment."""
    return pd.read_csv(Path(__file__).with_name("explanations.csv"))


def all_printed() -> pd.DataFrame:
    """Return the printed numbers, each table whole."""
    return pd.concat([published(), _temporal()], ignore_index=True)


def _comparable() -> pd.DataFrame:
    """Return the printed numbers comparable to a mean of ours; those over all tasks have no task."""
    over_tasks = published().query("statistic == 'mean of 10' and task.isna()")
    return pd.concat([means(), over_tasks, _temporal().drop_duplicates(["model", "task"])])  # EntNet is in both tables


def _temporal() -> pd.DataFrame:
    """Return the errors of answers in the temporal attention paper, from 1,000 examples."""
    facts = published_facts().dropna(subset="error").drop(columns="f1")
    return facts.assign(paper=TEMPORAL, examples=1000, test="original", statistic="not said")


def _convention(statistic: str) -> str:
    return "ours, best" if statistic.startswith("best") else "ours, mean"


def _presets(model: str, statistic: str) -> list[str]:
    """Return our presets that learn what the printed model learns."""
    forms = [*(preset for preset, printed in FORMS.items() if printed == model), model]
    return [] if ALL_TASKS in statistic else [name for name in forms if name in presets()]


def _printed(row: pd.Series) -> str:
    return str(row.error) if pd.isna(row["std"]) else f"{row.error} ± {row['std']}"


def _ours(cell: pd.Series, statistic: str) -> str:
    note = seed_note(cell.n, cell.budget)
    if statistic.startswith("best"):
        return f"{cell.best:.1f} ({note})"
    return f"{cell['mean']:.1f}" + (f" ± {cell['std']:.1f}" if cell.n > 1 else "") + f" ({note})"
