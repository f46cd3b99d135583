"""Our cells beside the numbers that papers print, table by table.

A printed number is a mean over seeds, or the best of several, or of all tasks learnt by one network; ours stands beside
it by the same convention. The temporal attention paper does not say of how many seeds a number is; ours beside it is a
mean. The symbol-shift paper's MN and SMN, without linear start and time noise, are our `-inputs` presets, and `-plain`
those with word order everywhere; `mn` and `smn` stand beside them too, and may differ for that reason. What TPR-sm and
STPR-sm drop is not said: `-sm`, `-hidden` and `-words` are three readings. `entnet-released` starts as the released
code of EntNet's authors does, `entnet` as validation wants it."""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from symshift.config import presets
from symshift.results.papers.cells import KEY, failed, official
from symshift.results.papers.published import means, published
from symshift.results.style import sort_presets
from symshift.results.supporting_facts.tables import published_facts
from symshift.runs.selection import SAME, changed_settings, largest_first, runs_any_budget, seed_note
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
    """The cells with the printed error of their model, where there is one, and its deviation: `paper`, `paper_std`."""
    place = [name for name in KEY if name != "source"]
    wanted = cells[place].assign(model=cells.model.replace(FORMS))
    printed = wanted.merge(_comparable()[[*place, "error", "std"]], "left", place)
    official = (cells.source == "official").to_numpy()
    return cells.assign(paper=printed.error.where(official).array, paper_std=printed["std"].where(official).array)


def side_by_side(cells: pd.DataFrame, paper: str, table: str) -> Styler:
    """A paper's table of tasks: a column each printed model, and beside it one for each preset of ours with a cell."""
    printed = _all_printed().query("paper == @paper and table == @table and task.notna()")
    rows = ["task"] if set(printed.test) == {"original"} else ["task", "test"]
    columns = {}
    for (model, statistic, examples), mine in printed.groupby(["model", "statistic", "examples"], sort=False):
        columns[model, statistic] = mine.set_index(rows).apply(_printed, axis=1)
        for preset in _presets(model, statistic):
            ours = cells[(cells.model == preset) & (cells.examples == examples) & (cells.source == "official")]
            ours = ours[ours.test.isin(mine.test)].set_index(rows)
            if len(ours):
                columns[preset, _convention(statistic)] = ours.apply(_ours, axis=1, statistic=statistic)
    order = printed.drop_duplicates(rows).set_index(rows).index
    wide = pd.DataFrame(columns).reindex(order).fillna("").rename_axis(columns=["model", "number"])
    return wide.style.set_properties(**{"white-space": "nowrap"}).set_sticky(axis="index")


def overall(paper: str, table: str) -> pd.DataFrame:
    """What a paper prints over all tasks: a row each model, a column each statistic and number of examples."""
    printed = published().query("paper == @paper and table == @table and task.isna()")
    written = printed.assign(number=printed.apply(_printed, axis=1))
    wide = written.pivot_table("number", "model", ["statistic", "examples"], aggfunc="first", sort=False)
    return wide.fillna("")


def aggregate(cells: pd.DataFrame, examples: int) -> pd.DataFrame:
    """A row each preset: over the tasks with cells, how many these are, the fewest seeds of a task, both means of
    errors and how many tasks are failed; of the printed means over the same tasks the same, and the printed mean; last,
    mean errors with words never seen in training, over the tasks that have such a test set."""
    ours = official(with_printed(cells), examples).reset_index()
    unseen = {name: official(cells, examples, test)["mean"].groupby("model").mean() for test, name in UNSEEN.items()}
    overall = _comparable().query("examples == @examples and task.isna()").set_index("model").error
    rows = {}
    for model in sort_presets(ours.model):
        mine = ours[ours.model == model]
        both = mine.dropna(subset="paper")
        rows[model] = {
            "tasks": f"{len(mine)} of 20",
            "n at least": mine.n.min(),
            "mean": mine["mean"].mean(),
            "best": mine.best.mean(),
            "failed": failed(mine["mean"]),
            "paper, same tasks": both.paper.mean(),
            "paper failed": failed(both.paper) if len(both) else "",
            "paper, all tasks": overall.get(FORMS.get(model, model), np.nan),
            **{name: means.get(model, np.nan) for name, means in unseen.items()},
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")


def deviations(cells: pd.DataFrame, explained: pd.DataFrame) -> pd.DataFrame:
    """Where a task's mean is more than FAR points from the printed one, farthest first, with the experiment that
    explains it by `explained` (model, task, examples, experiment), or nothing."""
    compared = with_printed(cells)
    compared = compared[compared.test == "original"].assign(difference=lambda rows: rows["mean"] - rows.paper)
    far = compared[compared.difference.abs() > FAR].sort_values("difference", key=abs, ascending=False)
    far = far.merge(explained, "left", ["model", "task", "examples"]).fillna({"experiment": ""})
    return far[["model", "task", "examples", "n", "budget", "mean", "best", "paper", "difference", "experiment"]]


def budgets(runs: pd.DataFrame) -> pd.DataFrame:
    """Where the same seeds learnt the same official stories with two budgets, the greatest change first: how many seeds
    these are, and the mean error with the smallest number of updates and with the largest."""
    by = ["model", "task", "examples", "at most", "then at most"]
    columns = [*by[:3], "n", "at most", "error", "then at most", "then error"]
    kept = runs_any_budget(runs)
    kept = largest_first(kept[kept.stories == "official"])
    ends = {"at most": ("updates", "last"), "error": ("error_test", "last")}
    ends |= {"then at most": ("updates", "first"), "then error": ("error_test", "first")}
    seeds = kept.groupby(SAME).agg(**ends).query("`at most` < `then at most`")
    means = {"n": ("error", "size"), "error": ("error", "mean"), "then error": ("then error", "mean")}
    table = seeds.reset_index().groupby(by).agg(**means).reset_index()
    return table.sort_values("then error", key=lambda then: then - table.error, ignore_index=True)[columns]


def experiments(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Where official stories were learnt with more changed of a preset than its budget, the greatest fall first: what
    was `changed`, how many seeds, at most how many updates and the mean error, the preset's own, and the printed."""
    by = ["model", "task", "examples"]
    figures = {"n": ("seed", "size"), "at most": ("updates", "max"), "error": ("error_test", "mean")}
    changed = (
        changed_settings(runs).query("stories == 'official'").groupby([*by, "changed"]).agg(**figures).reset_index()
    )
    changed = with_printed(changed.assign(source="official", test="original"))
    own = cells.rename(columns={"mean": "as the preset"})[[*KEY, "as the preset"]]
    table = changed.merge(own, "left", KEY)[[*by, "changed", *figures, "as the preset", "paper"]]
    return table.sort_values("error", key=lambda error: error - table["as the preset"], ignore_index=True)


def splits(cells: pd.DataFrame) -> pd.DataFrame:
    """Where a preset also learnt with a tenth of the questions to select on, in place of a tenth of the stories, by
    model and task: both mean errors in percent, n and budgets, and the printed error."""
    compared = with_printed(cells)
    compared = compared[compared.test == "original"].set_index(["model", "task"])
    columns = ["n", "budget", "mean"]
    by_question = compared.loc[compared.source == BY_QUESTION, columns].add_suffix(", by question")
    official = compared[(compared.source == "official") & (compared.examples == 1000)]
    return official[columns].add_suffix(", by story").join([by_question, official.paper], how="inner")


def explanations() -> pd.DataFrame:
    """The experiments that explain deviations, kept by hand: model, task, examples, experiment."""
    return pd.read_csv(Path(__file__).with_name("explanations.csv"))


def _all_printed() -> pd.DataFrame:
    """The printed numbers, each table whole."""
    return pd.concat([published(), _temporal()], ignore_index=True)


def _comparable() -> pd.DataFrame:
    """The printed numbers that a mean of ours stands beside, those over all tasks (no task) among them."""
    over_tasks = published().query("statistic == 'mean of 10' and task.isna()")
    return pd.concat([means(), over_tasks, _temporal().drop_duplicates(["model", "task"])])  # EntNet is in both tables


def _temporal() -> pd.DataFrame:
    """The answers' errors of the temporal attention paper, of 1,000 examples."""
    facts = published_facts().dropna(subset="error").drop(columns="f1")
    return facts.assign(paper=TEMPORAL, examples=1000, test="original", statistic="not said")


def _convention(statistic: str) -> str:
    return "ours, best" if statistic.startswith("best") else "ours, mean"


def _presets(model: str, statistic: str) -> list[str]:
    """Our presets that learn what the printed model learns."""
    forms = [*(preset for preset, printed in FORMS.items() if printed == model), model]
    return [] if ALL_TASKS in statistic else [name for name in forms if name in presets()]


def _printed(row: pd.Series) -> str:
    return str(row.error) if pd.isna(row["std"]) else f"{row.error} ± {row['std']}"


def _ours(cell: pd.Series, statistic: str) -> str:
    note = seed_note(cell.n, cell.budget)
    if statistic.startswith("best"):
        return f"{cell.best:.1f} ({note})"
    return f"{cell['mean']:.1f}" + (f" ± {cell['std']:.1f}" if cell.n > 1 else "") + f" ({note})"
