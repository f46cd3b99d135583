"""What happens to errors when words change: unseen words, more and more names, people in tasks that are new to them.

Sources: symbol-shift paper (Salinas & Elsahar 2021), Table 2, figures 1 and 7; TPR-RNN (Schlag & Schmidhuber 2018),
figure 5. A row of a table is the mean over the seeds of one model. Its `origin` says where it is from: trained here,
in the store (its runs of a preset), or published; other numbers of `examples` are kept apart too."""

from collections.abc import Callable, Collection

import numpy as np
import pandas as pd

from symshift.data.new_people import TRAINED
from symshift.results.papers.published import published
from symshift.results.style import sort_presets
from symshift.runs.selection import preset_runs, with_budget

ORIGINS = HERE, STORED, PRINTED = "trained here", "in the store", "published"
TESTS = ("original", "room", "object", "people")
SEEN = ("trained", "new")
COMPARED = ("mn", "smn", "tpr", "tpr-sm", "stpr", "stpr-sm", "gstpr", "gstpr-sm")  # the symbol-shift paper's, and ours
KINDS = ("official", "generated for official")


def with_origin(
    runs: pd.DataFrame, here: Collection[str], kept: Callable[[pd.DataFrame], pd.DataFrame] = preset_runs
) -> pd.DataFrame:
    """Of a store's runs those with these ids, and those that are `kept` of the others, with their `origin`."""
    others = runs[~runs.id.isin(here)]
    stored = runs.index.isin(kept(others).index)
    origin = np.where(runs.id.isin(here), HERE, np.where(stored, STORED, ""))
    return runs.assign(origin=origin)[origin != ""]


def unseen_words(runs: pd.DataFrame, tasks: Collection[int], source: str) -> pd.DataFrame:
    """Errors on the original test set and with unseen rooms, objects and people, by `task` and `test`: of runs on the
    stories of `source`, from the store those of COMPARED with how their `budget` differs, and where these stories are
    official of the published table."""
    mine = runs[(runs.stories == source) & runs.task.isin(tasks)].rename(columns={"error_test": "error_original"})
    mine = mine[(mine.origin == HERE) | mine.model.isin(COMPARED)]
    mine = with_budget(mine, ["origin", "examples", "model", "task"])
    errors = _means(mine, {f"error_{test}": test for test in TESTS}, "test", "task", "budget")
    printed = (
        published().query("table == 'Table 2' and statistic == 'mean of 10'").assign(origin=PRINTED, n=10, budget="")
    )
    printed = printed[printed.task.isin(tasks) & (source == "official")]
    return pd.concat([part for part in (errors, printed[errors.columns]) if len(part)] or [errors])


def by_number(runs: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Errors of the runs on so many `unit` (names, variables), by `number`."""
    numbers = runs.stories.str.extract(rf"^(\d+) {unit}$")[0].dropna().astype(int)
    return _means(runs.loc[numbers.index].assign(number=numbers), {"error_test": "test"}, "test", "number")


def by_person(runs: pd.DataFrame) -> pd.DataFrame:
    """Errors on stories with each new `person`, by `seen`: in tasks trained with them, or in tasks new to them."""
    columns = {f"error_{person} {seen}": f"{person} {seen}" for person in TRAINED for seen in SEEN}
    errors = _means(runs[runs.stories == "new people"], columns, "test")
    return errors.assign(**{name: errors.test.str.split().str[part] for part, name in enumerate(("person", "seen"))})


def learnt_from(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean error on the official test set of models of full length that learnt from official stories, and of those that
    learnt from as many generated ones, by model, task and `examples`; only where there are both. `n` seeds each, some
    with stories of their own."""
    by, full = ["model", "task", "examples"], preset_runs(runs)
    full = full.assign(stories=kind(full.stories))
    tested = dict(zip(KINDS, ("error_test", "error_official"), strict=True))
    errors = {
        stories: full[full.stories == stories]
        .reindex(columns=[*by, column])
        .astype({column: float})
        .groupby(by)[column]
        for stories, column in tested.items()
    }
    means = {stories: group.mean() for stories, group in errors.items()}
    counts = {f"n {stories}": group.size() for stories, group in errors.items()}
    both = pd.DataFrame(means | counts).dropna().astype(dict.fromkeys(counts, int))
    order = sort_presets(full.model)
    return both.loc[sorted(both.index, key=lambda row: (order.index(row[0]), *row[1:]))]


def kind(stories: pd.Series) -> pd.Series:
    """Stories without their part: `official, part 1` are official."""
    return stories.str.split(",").str[0]


def table(errors: pd.DataFrame) -> pd.DataFrame:
    """`unseen_words` with a column each test set, a row each task, origin, number of examples and model."""
    rows = ["task", "origin", "examples", "model", "n", "budget"]
    wide = ordered(errors).pivot_table(index=rows, columns="test", values="error", observed=True)
    return wide.reindex(columns=TESTS)


def ordered(errors: pd.DataFrame) -> pd.DataFrame:
    """The errors, their origins and models as categories in the one order."""
    orders = {"origin": ORIGINS, "model": sort_presets(errors.model)}
    return errors.assign(**{name: pd.Categorical(errors[name], order) for name, order in orders.items()})


def _means(runs: pd.DataFrame, columns: dict[str, str], name: str, *more: str) -> pd.DataFrame:
    """Mean and number of seeds for each of the columns of errors, under the column `name`."""
    by = ["origin", "examples", "model", *more]
    there = [column for column in columns if column in runs]
    errors = runs.melt(by, there, name, "error").dropna(subset="error")
    errors[name] = errors[name].map(columns)
    return errors.groupby([*by, name]).error.agg(error="mean", n="size").reset_index()
