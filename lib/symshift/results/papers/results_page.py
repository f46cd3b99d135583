"""RESULTS.md: the tables of every preset, first of presets exactly as they are, then of what differs from them.

Runs on generated stories, or on other numbers of names or sentences, are in the store and in none of these tables.
"""

import itertools
import re

import pandas as pd

from symshift.results.generalisation.audit import by_model, summary
from symshift.results.papers import all_tasks
from symshift.results.papers.cells import digest, official
from symshift.results.papers.markdown import error, frame_table, preset_table, table, task_table
from symshift.results.papers.tables import FAR, deviations, experiments, explanations, with_printed

SIZES = (1000, 10000)
TASK_BY_TASK = ("mn", "smn", "tpr-sm", "stpr-sm", "gstpr-sm", "entnet", "prehoc", "posthoc")
TESTS = {
    "original": "the original test set",
    "room": "the test set with rooms never seen in training",
    "people": "the test set with people never seen in training",
    "object": "the test set with objects never seen in training",
}
FOLD = "<details><summary>{title}</summary>\n\n{text}\n\n</details>"
TITLE = """\
# Results

<!-- Written by `python -m symshift.results.papers.pages`; do not edit. -->

All trained models on the official bAbI stories 1.2, beside what the papers print. The [README](README.md) has the
short version, [notebook 09](notebooks/09_tables.ipynb) any table of the papers.

![Test error of stpr-sm and gstpr-sm on each of the twenty tasks, beside the errors that the paper prints for
stpr-sm; above 5 percent a task counts as failed](docs/errors.png)
"""
READING = """\
- Every number is a test error in percent, a mean over seeds, with the weights that validation chose. In the tables
  task by task a cell is mean ± standard deviation (n seeds).
- **Bold**: the task is failed, its mean error is above 5.
- *Italics*: what the papers print. It is the symbol-shift paper's mean of 10 seeds; for `entnet`, `prehoc` and
  `posthoc` it is the temporal attention paper's number, which does not say of how many seeds.
- ≤24k: the run may take at most 24,000 updates, which is not its preset's number; its patience may differ too.
  *patience 160k*: it may go on for 160,000 updates without progress. *solved 0*: it goes on after validation is
  solved. *preset or ≤24k*: some seeds have the preset's budget. Nothing said: all seeds have it.
- An empty cell was not run. A mean covers the tasks that were run, so compare rows of the same tasks. Paper, same
  tasks: the printed mean over those of them that the paper has.
- Unseen rooms, objects, people: all of them have names in the test stories that training never had. These means
  cover the tasks that have such a test set.

Some presets are readings of what the paper of their model leaves open:

- `mn-inputs` and `smn-inputs` are the symbol-shift paper's MN and SMN, as in the code it starts from: word order
  where a hop matches and not where it answers, and time vectors that all hops share. `mn-plain` has word order in
  both; `mn` and `smn` have the linear start of the first paper's code too.
- The small models' dropout of 0.5 is of what their paper does not say: units everywhere in `tpr-sm` and `stpr-sm`,
  in the perceptrons alone in `-hidden`, whole words in `-words`.
- `entnet-released` starts as the released code of EntNet's authors does, `entnet` as validation chose.
"""
EXACT = "Only runs that changed nothing of their preset."
ANY_BUDGET = """\
Runs of the section above, and those that changed the budget of their preset: the number of updates, the patience,
or when validation counts as solved. Of several runs of one seed the one with the largest budget stands, whatever
its error is. Some of these budgets were chosen for one task, so compare them with care."""
BUDGETS = """\
Tasks that a preset learnt as it is and with another budget too. Where bold differs, the budget decides whether the
task counts as failed; what counts for the preset is the first number."""
SETTINGS = """\
Experiments: runs that changed more of a preset than its budget. They stand in no other table of this page. The column
*as the preset* has the error of the section with other budgets."""
DEVIATIONS = f"""\
Tasks whose mean, other budgets included, is more than {FAR} points from the printed one, farthest first, with the
experiment that explains it where there is one. *best* is the test error of the seed with the lowest validation
error."""
ONE_NETWORK = "TPR-RNN beside Schlag & Schmidhuber 2018, Appendix B: one network learns all tasks together."
AUDITS = """\
Renaming audits of the runs whose weights are here, one or a few a task, on 50 questions of its test set with up to 20
draws of each renaming. *covariance* is alpha-covariance: the share of answers, in percent, that move with the name,
right or wrong, for people, rooms and objects together. *known*: the test set's names permuted; *unseen*: words that
occur nowhere in bAbI; *permuted*: each story's own names. *increase* is that of the error, in points. Unseen verbs
are the control: no answer changes with them, but they are words whose meaning was not learnt. An answer that lists
several words is right here in any order, which a test error does not grant. Rows of different tasks do not compare.
`symshift audit RUN` makes such an audit, with intervals; `python -m symshift.results.generalisation.audit` made
these."""
SOURCE = """\
Every cell keeps the ids of its runs; a run's record has its settings, errors, versions and the checksum of its
stories. `python -m symshift.results.papers.pages` writes this page, the README's table and its figure from the
store; with `--cells` it writes all cells to cells.csv. The sha256 of the cells behind this page is"""


def page(runs: pd.DataFrame, exact: pd.DataFrame, any_budget: pd.DataFrame, audits: pd.DataFrame | None = None) -> str:
    """Return the text of RESULTS.md.

    Args:
        runs: The runs of a store.
        exact: Cells of the presets exactly as they are.
        any_budget: Cells of presets with at most another budget.
        audits: Renaming audits of runs; without them their section is left out.
    """
    audited = {} if audits is None or audits.empty else {"What other names change": _audit_section(audits)}
    sections = {
        "How to read the tables": READING,
        "Presets exactly as they are": _cells_section(EXACT, exact, ["original"]),
        "Runs with another budget included": _cells_section(ANY_BUDGET, any_budget, list(TESTS)),
        "What another budget changes": f"{BUDGETS}\n\n{budget_table(exact, any_budget)}\n",
        "Runs with changed settings": _folded(SETTINGS, experiments(runs, any_budget), "experiments"),
        "What deviates from the papers": _folded(DEVIATIONS, deviations(any_budget, explanations()), "tasks"),
        "One network for all twenty tasks": f"{ONE_NETWORK}\n\n{frame_table(all_tasks.table(runs).reset_index())}\n",
        **audited,
        "Where the numbers come from": f"{SOURCE}\n`{digest(any_budget)}`.\n",
    }
    contents = "\n".join(f"- [{title}](#{_anchor(title)})" for title in sections)
    return "\n".join([TITLE, f"{contents}\n", *(f"## {title}\n\n{text}" for title, text in sections.items())])


def budget_table(exact: pd.DataFrame, any_budget: pd.DataFrame) -> str:
    """Lay out the tasks that have a cell of the preset as it is and another one with another budget."""
    rows = []
    for examples in SIZES:
        presets = official(exact, examples)[["n", "mean"]].add_prefix("preset_")
        both = official(any_budget, examples).query("budget != ''").join(presets, how="inner").reset_index()
        for row in both.itertuples():
            as_preset, other = error(row.preset_mean), error(row.mean)
            rows.append([row.model, row.task, f"{examples:,}", as_preset, row.preset_n, other, row.n, row.budget])
    return table(["model", "task", "examples", "as the preset", "n", "other budget", "n", "budgets"], rows)


def _cells_section(text: str, cells: pd.DataFrame, tests: list[str]) -> str:
    """Return an overview for each number of examples, and behind folds the main presets task by task."""
    parts = [text]
    for examples in SIZES:
        if len(official(cells, examples)):
            parts.append(f"{examples:,} training examples:\n\n{preset_table(cells, examples)}")
    printed = with_printed(cells[cells.model.isin(TASK_BY_TASK)])
    for examples, test in itertools.product(SIZES, tests):
        if len(shown := official(printed, examples, test)):
            title = f"Task by task: {examples:,} examples, {TESTS[test]}"
            parts.append(FOLD.format(title=title, text=task_table(shown)))
    return "\n\n".join(parts) + "\n"


def _audit_section(audits: pd.DataFrame) -> str:
    columns = ["model", "role", "renaming", "tasks", "error", "error_renamed", "increase", "covariance"]
    rows = by_model(audits)[columns]
    fold = FOLD.format(title="By role and renaming", text=frame_table(rows))
    return f"{AUDITS}\n\n{frame_table(summary(audits))}\n\n{fold}\n"


def _folded(text: str, frame: pd.DataFrame, what: str) -> str:
    fold = FOLD.format(title=f"{len(frame)} {what}", text=frame_table(frame))
    return f"{text}\n\n{fold}\n"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))
