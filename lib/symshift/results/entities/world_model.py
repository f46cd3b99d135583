"""The world model (EntNet, Henaff et al. 2017, section 5.1): who walked where, and errors by the length of a walk.

Errors are means over the seeds, with the best of them by validation beside: the paper prints the best of 5 (Table 1a,
each length learnt for itself; Table 1b, learnt up to T = 20). Runs are known by their stories, `walks, T=4 to 20`, and
how many questions they learnt from."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from symshift.data import Question
from symshift.data.world_model import STEP
from symshift.results.generalisation.tables import PRINTED, ordered, with_origin
from symshift.results.papers.published import published
from symshift.runs.selection import one_run_per_seed, with_budget
from symshift.training.conditions import WALKED

GROUP = ["origin", "stories", "model"]
LEARNT = {"Table 1a": "walks, each T", "Table 1b": "walks, T up to 20"}


def paths(asked: Question) -> dict[str, list[tuple[int, int]]]:
    """The places of each agent, from the sentences of a walk: where it starts and where each move ends."""
    places: dict[str, list[tuple[int, int]]] = {}
    facing: dict[str, str] = {}
    for agent, *told in (line.rstrip(".").split() for line in asked.story):
        does, _, what = told[-1].partition("-")
        if does == "faces":
            facing[agent] = what
        elif does == "moves":
            (x, y), (right, up) = places[agent][-1], STEP[facing[agent]]
            places[agent].append((x + int(what) * right, y + int(what) * up))
        else:
            x, y = map(int, does.strip("()").split(","))
            places[agent] = [(x, y)]
    return places


def errors(runs: pd.DataFrame, here: Collection[str]) -> pd.DataFrame:
    """A row each origin, training stories, model and length T: the mean error in percent, that of the best seed by
    validation, n seeds, and how their budgets differ from their preset's. Of the store's runs those with these ids and
    those that changed at most the budget of their preset, and the published ones."""
    mine = with_origin(runs, here, one_run_per_seed)
    mine = mine[mine.stories.str.startswith("walks")]
    mine = mine.assign(stories=mine.stories + mine.examples.map(", {:,} questions".format))
    mine = with_budget(mine if mine.empty else mine.sort_values(["error_valid", "seed"]), GROUP)
    columns = {f"error_T={length}": length for length in WALKED}
    there = [column for column in columns if column in mine]
    tidy = mine.melt([*GROUP, "budget"], there, "length", "error").dropna(subset="error")
    tidy["length"] = tidy.length.map(columns)
    groups = tidy.groupby([*GROUP, "budget", "length"]).error
    found = groups.agg(error="mean", best="first", n="size").reset_index()
    printed = published()[lambda rows: rows.table.isin(LEARNT)]
    lengths = printed.test.str.removeprefix("T=").astype(int)
    beside = printed.assign(
        origin=PRINTED, stories=printed.table.map(LEARNT), length=lengths, best=printed.error, n=5, budget=""
    )
    return pd.concat([part for part in (found, beside[[*found]]) if len(part)], ignore_index=True)


def table(errors: pd.DataFrame) -> pd.DataFrame:
    """`errors` with a row each origin, training stories and model and a column each length; best seeds alone."""
    rows = [*GROUP, "n", "budget"]
    return ordered(errors).pivot_table(index=rows, columns="length", values="best", observed=True)


def by_task(runs: pd.DataFrame) -> pd.DataFrame:
    """Test errors of entity networks on bAbI, in percent, by `label` and task: the means of the runs on official
    stories, and what the paper prints, the best of 10 from 10,000 examples."""
    stored = runs[(runs.stories == "official") & runs.model.isin(["entnet", "entnet-simple", "entnet-tied"])]
    mine = with_origin(stored, []).assign(error=lambda rows: rows.get("error_test", np.nan))
    means = mine.groupby(["model", "examples", "task"]).error.mean().reset_index()
    means["label"] = [f"{row.model}, {row.examples:,} examples" for row in means.itertuples()]
    printed = published().query("paper == 'Henaff et al. 2017' and table == 'Table 2' and task.notna()")
    beside = printed.assign(label="published: entnet, 10,000 examples, best of 10")
    columns = ["label", "model", "task", "error"]
    return pd.concat([part[columns] for part in (means, beside) if len(part)], ignore_index=True)
