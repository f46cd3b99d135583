"""The world model (EntNet, Henaff et al. 2017, section 5.1): who walked where, and errors by the length of a walk.

Errors are means over seeds, and those of the best seed by validation: the paper prints the best of 5 (Table 1a, one
training for each length; Table 1b, training on lengths up to T = 20). Runs are known by their stories, such as `walks,
T=4 to 20`, and by the number of questions they were trained on.
"""

from collections.abc import Collection

import pandas as pd

from symshift.data import Question
from symshift.data.world_model import STEP
from symshift.results.generalisation.tables import PRINTED, ordered, with_origin
from symshift.results.papers.published import published
from symshift.runs.selection import one_run_per_seed, preset_runs, seed_range, with_budget
from symshift.training.conditions import TEST_LENGTHS

GROUP = ["origin", "stories", "model"]
PAPER_STORIES = {"Table 1a": "walks, each T", "Table 1b": "walks, T up to 20"}
BACKBONES = ["entnet", "entnet-simple", "entnet-tied"]


def paths(question: Question) -> dict[str, list[tuple[int, int]]]:
    """Return the grid positions (x, y) of each agent of a walk: its start, and where each of its moves ends."""
    positions: dict[str, list[tuple[int, int]]] = {}
    directions: dict[str, str] = {}
    for line in question.story:
        agent, *words = line.rstrip(".").split()
        action, _, argument = words[-1].partition("-")  # faces-N, moves-2, or the start (1,3)
        if action == "faces":
            directions[agent] = argument
        elif action == "moves":
            x, y = positions[agent][-1]
            right, up = STEP[directions[agent]]
            positions[agent].append((x + int(argument) * right, y + int(argument) * up))
        else:
            x, y = map(int, action.strip("()").split(","))
            positions[agent] = [(x, y)]
    return positions


def errors_by_length(runs: pd.DataFrame, new_ids: Collection[str]) -> pd.DataFrame:
    """Tabulate errors by the length of a walk, ours and the published ones.

    Args:
        runs: The runs of a store. Those used have an id in `new_ids`, or changed at most the budget of their preset.
        new_ids: Ids of the runs that were trained in this session.

    Returns:
        One row per origin, training stories, model and `length` (sentences): `error`, the mean in percent; `best`, the
        error of the best seed by validation; `n` seeds; and `budget`, how their budgets differ from their preset's.
    """
    walks = with_origin(runs, new_ids, one_run_per_seed)
    walks = walks[walks.stories.str.startswith("walks")]
    walks = walks.assign(stories=walks.stories + walks.examples.map(", {:,} questions".format))
    if not walks.empty:
        walks = walks.sort_values(["error_valid", "seed"])
    walks = with_budget(walks, GROUP)
    lengths = {f"error_T={length}": length for length in TEST_LENGTHS}
    columns = [column for column in lengths if column in walks]
    tidy = walks.melt([*GROUP, "budget"], columns, "length", "error").dropna(subset="error")
    tidy["length"] = tidy.length.map(lengths)
    groups = tidy.groupby([*GROUP, "budget", "length"]).error
    ours = groups.agg(error="mean", best="first", n="size").reset_index()
    paper = published()[lambda rows: rows.table.isin(PAPER_STORIES)]
    paper = paper.assign(
        origin=PRINTED,
        stories=paper.table.map(PAPER_STORIES),
        length=paper.test.str.removeprefix("T=").astype(int),
        best=paper.error,
        n=5,
        budget="",
    )
    return pd.concat([part for part in (ours, paper[[*ours]]) if len(part)], ignore_index=True)


def best_by_length(errors: pd.DataFrame) -> pd.DataFrame:
    """Lay out the best seeds of `errors_by_length` with one column for each length (percent)."""
    rows = [*GROUP, "n", "budget"]
    return ordered(errors).pivot_table(index=rows, columns="length", values="best", observed=True)


def errors_by_task(runs: pd.DataFrame) -> pd.DataFrame:
    """Tabulate test errors of entity networks on official bAbI.

    Args:
        runs: The runs of a store.

    Returns:
        One row per `label`, model and task with the `error` in percent: the mean of the runs, and what the paper
        prints, the best of 10 from 10,000 examples.
    """
    ours = preset_runs(runs[(runs.stories == "official") & runs.model.isin(BACKBONES)])
    means = ours.groupby(["model", "examples", "task"]).error_test.agg(error="mean", n="size").reset_index()
    seeds = means.groupby(["model", "examples"]).n.transform(seed_range)
    means["label"] = [
        f"{row.model}, {row.examples:,} examples, n={n}" for row, n in zip(means.itertuples(), seeds, strict=True)
    ]
    paper = published().query("paper == 'Henaff et al. 2017' and table == 'Table 2' and task.notna()")
    paper = paper.assign(label="published: entnet, 10,000 examples, best of 10")
    columns = ["label", "model", "task", "error"]
    return pd.concat([part[columns] for part in (means, paper) if len(part)], ignore_index=True)
