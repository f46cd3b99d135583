"""What happens to errors when words change: unseen words, more names, people in tasks that are new to them.

Sources: symbol-shift paper (Salinas & Elsahar 2021), Table 2, figures 1 and 7; TPR-RNN (Schlag & Schmidhuber 2018),
figure 5. A row of a table is the mean over the seeds of one model. Its `origin` says where it is from: trained here,
in the store (its runs of a preset), or published; other numbers of `examples` are kept apart too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from symshift.config import sort_presets
from symshift.data import Question
from symshift.data.new_people import TRAINED
from symshift.results.papers.published import published
from symshift.results.style import FAILED
from symshift.runs.answers import answers, percent_wrong
from symshift.runs.reader import load
from symshift.runs.selection import preset_runs, with_budget
from symshift.runs.store import Store
from symshift.training.conditions import NEW_PEOPLE

ORIGINS = HERE, STORED, PRINTED = "trained here", "in the store", "published"
TEST_OF_COLUMN = {"error_test": "original", "error_room": "room", "error_object": "object", "error_people": "people"}
TESTS = tuple(TEST_OF_COLUMN.values())
SEEN = ("trained", "new")
# the symbol-shift paper's, whose MN and SMN are the `-inputs` presets, and GSTPR
COMPARED = ("mn", "mn-inputs", "smn", "smn-inputs", "tpr", "tpr-sm", "stpr", "stpr-sm", "gstpr", "gstpr-sm")
SOURCES = ("official", "generated for official")  # of training stories
SIZES = (50, 100, 200, 500, 1000)  # numbers of training examples, where there are fewer and fewer
FEW_EXAMPLES = ("ut", "gstpr-sm", "stransformer-nodrop")  # presets that are trained on so few


def with_origin(
    runs: pd.DataFrame, new_ids: Collection[str], select: Callable[[pd.DataFrame], pd.DataFrame] = preset_runs
) -> pd.DataFrame:
    """Select the runs that a table rests on, and add their `origin`.

    Args:
        runs: The runs of a store.
        new_ids: Ids of the runs that were trained in this session; all of them are used.
        select: Which of the other runs are used.
    """
    others = runs[~runs.id.isin(new_ids)]
    stored = runs.index.isin(select(others).index)
    origin = np.where(runs.id.isin(new_ids), HERE, np.where(stored, STORED, ""))
    return runs.assign(origin=origin)[origin != ""]


def unseen_words(runs: pd.DataFrame, tasks: Collection[int], source: str) -> pd.DataFrame:
    """Tabulate errors on the original test set and with unseen rooms, objects and people.

    Args:
        runs: Runs with their `origin`. Of those in the store only the models COMPARED are used, from 1,000 examples on.
        tasks: Numbers of tasks.
        source: Which stories; with `official` come the numbers of the published table.

    Returns:
        One row per origin, examples, model, task, budget and test: `error`, the mean in percent, and `n` seeds.
    """
    ours = runs[(runs.stories == source) & runs.task.isin(tasks)]
    ours = ours[(ours.origin == HERE) | ours.model.isin(COMPARED) & (ours.examples >= SIZES[-1])]
    ours = with_budget(ours, ["origin", "examples", "model", "task"])
    errors = _means(ours, TEST_OF_COLUMN, "test", "task", "budget")
    paper = published().query("table == 'Table 2' and statistic == 'mean of 10'")
    paper = paper[paper.task.isin(tasks) & (source == "official")].assign(origin=PRINTED, n=10, budget="")
    return pd.concat([part for part in (errors, paper[errors.columns]) if len(part)] or [errors])


def by_number(runs: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Tabulate mean errors (percent) by the `number` of names or variables, whichever `unit` says.

    A row also has the `budget` of all runs of its origin and number of examples, which a figure has in one panel.
    """
    numbers = runs.stories.str.extract(rf"^(\d+) {unit}$")[0].dropna().astype(int)
    numbered = with_budget(runs.loc[numbers.index].assign(number=numbers), ["origin", "examples"])
    return _means(numbered, {"error_test": "test"}, "test", "number", "budget")


def wide_by_number(errors: pd.DataFrame) -> pd.DataFrame:
    """Lay out `by_number`: a row for each origin, number of examples and model, a column for each number."""
    index = ["origin", "examples", "model"]
    return ordered(errors).pivot_table("error", index, "number", observed=True)


def by_examples(runs: pd.DataFrame, models: Sequence[str] = FEW_EXAMPLES) -> pd.DataFrame:
    """Tabulate mean errors by the number of training examples, over the tasks that all models have at all of SIZES.

    Args:
        runs: The runs of a store, of which those of presets exactly as they are on official stories are used.
        models: Names of presets.

    Returns:
        One row per test, model and number of examples: `error`, the mean in percent over seeds and then tasks; `n`, the
        fewest seeds of a task; and `tasks`, their numbers. A task without rooms or people counts for other tests alone.
    """
    errors = _by_size(runs, models)
    sizes = errors[errors.test == "original"].groupby("task").size()
    errors = errors[errors.task.isin(sizes[sizes == len(models) * len(SIZES)].index)].sort_values("task")
    by = errors.groupby(["test", "model", "examples"], as_index=False)
    return by.agg(error=("error", "mean"), n=("n", "min"), tasks=("task", tuple))


def fewest_examples(runs: pd.DataFrame, models: Sequence[str] = FEW_EXAMPLES) -> pd.DataFrame:
    """Tabulate how many training examples solve a task: the smallest of SIZES with a mean error of at most FAILED.

    Args:
        runs: The runs of a store, of which those of presets exactly as they are on official stories are used.
        models: Names of presets.

    Returns:
        One row per model and one column per task that any of them has learnt from fewer than the largest of SIZES. An
        entry says `100`; or `≤ 100`, where the store lacks a smaller size; or `> 100`, where the largest of the sizes
        that it has is not enough. It is empty where there is no run.
    """
    errors = _by_size(runs, models).query("test == 'original'")
    errors = errors[errors.task.isin(errors.task[errors.examples < SIZES[-1]])]
    if errors.empty:
        return pd.DataFrame(index=pd.Index(sort_presets(models), name="model"))
    fewest = errors.groupby(["model", "task"])[["examples", "error"]].apply(_fewest).reset_index(name="fewest")
    table = fewest.pivot_table(index="model", columns="task", values="fewest", aggfunc="first", fill_value="")
    return table.reindex(sort_presets(models), fill_value="")


def _by_size(runs: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Tabulate mean errors of presets as they are by test, task and number of training examples."""
    official = runs[(runs.stories == "official") & runs.examples.isin(SIZES) & runs.model.isin(models)]
    return _means(preset_runs(official).assign(origin=STORED), TEST_OF_COLUMN, "test", "task")


def _fewest(errors: pd.DataFrame) -> str:
    """Describe the fewest `examples` with an `error` of at most FAILED."""
    solved = errors.examples[errors.error <= FAILED]
    if solved.empty:
        return f"> {errors.examples.max():,}"
    smaller = {size for size in SIZES if size < solved.min()}
    return f"{solved.min():,}" if smaller <= set(errors.examples) else f"≤ {solved.min():,}"


def by_person(runs: pd.DataFrame) -> pd.DataFrame:
    """Tabulate mean errors (percent) for each new `person`; `seen` says if training had them in these tasks.

    A row also has its `stories`, whose name says which tasks were joined, and the `budget` of all runs on them of its
    origin and number of examples, which a figure has in one panel.
    """
    columns = {f"error_{person} {seen}": f"{person} {seen}" for person in TRAINED for seen in SEEN}
    joined = with_budget(runs[runs.stories.str.startswith(NEW_PEOPLE)], ["origin", "examples", "stories"])
    errors = _means(joined, columns, "test", "stories", "budget")
    return errors.assign(person=errors.test.str.split().str[0], seen=errors.test.str.split().str[1])


def errors_by_training_source(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare training on official stories with training on as many generated ones, by the official test set.

    Args:
        runs: The runs of a store. Only presets as they are count.

    Returns:
        Indexed by model, task and examples, only where there are both: one column of mean errors in percent for each of
        SOURCES, and one of the number of seeds for each. Some seeds have generated stories of their own.
    """
    by = ["model", "task", "examples"]
    full = preset_runs(runs)
    full = full.assign(stories=source_kind(full.stories))
    columns = dict(zip(SOURCES, ("error_test", "error_official"), strict=True))
    means, counts = {}, {}
    for source, column in columns.items():
        rows = full[full.stories == source].reindex(columns=[*by, column]).astype({column: float})
        means[source] = rows.groupby(by)[column].mean()
        counts[f"n {source}"] = rows.groupby(by)[column].size()
    both = pd.DataFrame(means | counts).dropna().astype(dict.fromkeys(counts, int))
    order = sort_presets(full.model)
    return both.loc[sorted(both.index, key=lambda row: (order.index(row[0]), *row[1:]))]


def cross_source_errors(
    model: str, task: int, tests: Mapping[str, Sequence[Question]], outputs: str | None = None
) -> pd.DataFrame:
    """Test models trained on one kind of stories on every kind.

    If a generator speaks the language of the official stories, a model errs as often on its stories as on official
    ones, whatever it was trained on and however well.

    Args:
        model: A preset.
        task: Number of a task.
        tests: Questions by the name of their kind.
        outputs: Folder of the store.

    Returns:
        One row per run of the preset as it is whose weights are in the store: `id`, the stories it `learnt` from, and
        its error in percent on each of `tests`.
    """
    store = Store(outputs)
    runs = preset_runs(store.runs().query("model == @model and task == @task"))
    runs = runs.assign(learnt=source_kind(runs.stories))
    runs = runs[runs.learnt.isin(SOURCES)]
    runs = runs.loc[[store.has_weights(run) for run in runs.id]]
    readers = [load(run, outputs) for run in runs.id]
    errors = {
        name: [percent_wrong(answers(reader, questions)) for reader in readers] for name, questions in tests.items()
    }
    return runs[["id", "learnt"]].assign(**errors).sort_values(["learnt", *tests]).reset_index(drop=True)


def source_kind(stories: pd.Series) -> pd.Series:
    """Return names of stories without their part: `official, part 1` becomes `official`."""
    return stories.str.split(",").str[0]


def wide_table(errors: pd.DataFrame) -> pd.DataFrame:
    """Lay out `unseen_words` with one column for each test set (percent)."""
    rows = ["task", "origin", "examples", "model", "n", "budget"]
    wide = ordered(errors).pivot_table(index=rows, columns="test", values="error", observed=True)
    return wide.reindex(columns=TESTS)


def ordered(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the errors with origins and models as ordered categories."""
    orders = {"origin": ORIGINS, "model": sort_presets(errors.model)}
    return errors.assign(**{name: pd.Categorical(errors[name], order) for name, order in orders.items()})


def _means(runs: pd.DataFrame, columns: dict[str, str], name: str, *more: str) -> pd.DataFrame:
    """Average each of the columns of errors over seeds; its label goes to the column `name`."""
    by = ["origin", "examples", "model", *more]
    available = [column for column in columns if column in runs]
    errors = runs.melt(by, available, name, "error").dropna(subset="error")
    errors[name] = errors[name].map(columns)
    return errors.groupby([*by, name]).error.agg(error="mean", n="size").reset_index()
