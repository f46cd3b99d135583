"""Errors with other words: every number keeps its origin, and every origin its panel."""

from itertools import product

import matplotlib as mpl
import pandas as pd
import pytest

from symshift.config import configure
from symshift.results.generalisation import figures as generalisation_figures
from symshift.results.generalisation import tables as generalisation
from symshift.results.generalisation.tables import HERE, PRINTED, STORED
from symshift.runs.selection import one_run_per_seed
from symshift.runs.store import Store


def run(model: str, number: int, stories: str, task: int = 0, errors: dict | None = None, **changed) -> dict:
    """A row of the store."""
    config = configure({"model": model, **changed}).flat() | {"task": task}
    errors = {f"error_{name}": error for name, error in (errors or {"test": 1.0}).items()}
    return {"id": f"{model}{number}", **config, "seed": number, "stories": stories, "data": "", **errors}


UNSEEN = {"test": 0.4, "room": 2.0, "object": 8.0, "people": 1.0}
PEOPLE = {"test": 1.0, "Alex trained": 2.0, "Mike trained": 3.0, "Mike new": 5.0}
RUNS = pd.DataFrame(
    [
        run("gstpr", 0, "official", 2, UNSEEN),
        run("gstpr", 1, "official", 2, UNSEEN | {"room": 4.0}),
        run("gstpr", 2, "official", 2, UNSEEN, examples=10_000),
        run("gstpr", 3, "official", 2, UNSEEN, updates=10),
        run("gstpr", 4, "official", 2, UNSEEN, updates=24000),
        run("gstpr", 5, "generated", 2, UNSEEN),
        run("tpr", 6, "10 names", 1, updates=10),
        run("tpr", 7, "1000 names", 1, {"test": 40.0}),
        run("tpr", 8, "10 variables"),
        run("stpr-sm", 9, "new people", 0, PEOPLE),
        run("stpr-sm", 10, "new people, tasks 1, 12", 0, PEOPLE | {"Mike new": 7.0}),
    ]
)
FOUND = generalisation.with_origin(RUNS, ["gstpr3", "tpr6"])


def test_a_run_is_of_this_notebook_or_of_full_length_or_left_out():
    assert dict(zip(FOUND.id, FOUND.origin, strict=True)) == {
        "gstpr0": STORED, "gstpr1": STORED, "gstpr2": STORED, "gstpr3": HERE, "gstpr5": STORED,
        "tpr6": HERE, "tpr7": STORED, "tpr8": STORED, "stpr-sm9": STORED, "stpr-sm10": STORED,
    }  # fmt: skip


def test_with_origin_selects_smaller_budgets_on_request():
    """Runs of a smaller budget are used where the selection says so."""
    found = generalisation.with_origin(RUNS, ["gstpr3", "tpr6"], one_run_per_seed).set_index("id").origin
    assert found["gstpr4"] == STORED
    assert found["gstpr3"] == HERE
    assert set(found.index) - set(FOUND.id) == {"gstpr4"}


def test_means_are_of_one_origin_and_number_of_examples():
    table = generalisation.wide_table(generalisation.unseen_words(FOUND, [1, 2], "official")).xs(2, level="task")
    ours = table.xs("gstpr", level="model")
    assert ours.room.to_dict() == {
        (HERE, 1000, 1, "≤10"): 2.0, (STORED, 1000, 2, ""): 3.0, (STORED, 10_000, 1, ""): 2.0
    }  # fmt: skip
    printed = table.loc[(PRINTED, 10_000, "stpr", 10, "")]
    assert printed.to_dict() == {"original": 0.0, "room": 0.1, "object": 22.8, "people": 18.9}


def test_unseen_words_compares_the_paper_models_and_ours():
    """Of the runs in the store those of the paper's models and of ours are compared."""
    more = pd.DataFrame([run("entnet", 0, "official", 2, UNSEEN), run("entnet", 1, "official", 2, UNSEEN)])
    found = generalisation.with_origin(pd.concat([RUNS, more], ignore_index=True), ["entnet1"])
    errors = generalisation.unseen_words(found, [2], "official").query("model == 'entnet' and test == 'room'")
    assert (errors.origin.tolist(), errors.n.tolist()) == ([HERE], [1])


def test_unseen_words_of_the_store_are_of_full_training_sets():
    """Of the runs in the store those from fewer than 1,000 examples are left out, however many they have."""
    few = pd.DataFrame([run("gstpr", number, "official", 2, UNSEEN, examples=number) for number in (200, 300)])
    found = generalisation.with_origin(few, ["gstpr200"])
    errors = generalisation.unseen_words(found, [2], "official").query("origin != @PRINTED")
    assert set(zip(errors.origin, errors.examples, strict=True)) == {(HERE, 200)}


def test_published_numbers_stand_beside_official_stories_alone():
    errors = generalisation.unseen_words(FOUND, [2], "generated")
    assert (set(errors.origin), set(errors.n)) == ({STORED}, {1})


def test_published_numbers_stand_alone_where_nothing_was_run():
    errors = generalisation.unseen_words(FOUND[:0], [2, 5], "official")
    assert (set(errors.origin), set(errors.task)) == ({PRINTED}, {2, 5})


def test_numbers_are_those_of_their_unit():
    names = generalisation.by_number(FOUND, "names").set_index("number")
    assert names.error.to_dict() == {10: 1.0, 1000: 40.0}
    assert names.origin.to_dict() == {10: HERE, 1000: STORED}
    assert names.budget.to_dict() == {10: "≤10", 1000: ""}
    assert generalisation.by_number(FOUND, "variables").number.tolist() == [10]


def test_numbers_are_laid_out_by_model():
    table = generalisation.wide_by_number(generalisation.by_number(FOUND, "names"))
    assert table.columns.tolist() == [10, 1000]
    assert {origin for origin, _, _ in table.index} == {HERE, STORED}
    assert table.xs(HERE).max(axis=None) == 1.0
    assert table.xs(STORED).max(axis=None) == 40.0


def test_people_are_parted_by_what_they_were_trained_in():
    errors = generalisation.by_person(FOUND).set_index(["stories", "person", "seen"]).error
    assert errors["new people"].to_dict() == {
        ("Alex", "trained"): 2.0, ("Mike", "trained"): 3.0, ("Mike", "new"): 5.0,
    }  # fmt: skip


def test_people_in_other_tasks_are_an_experiment_of_its_own():
    errors = generalisation.by_person(FOUND).set_index(["stories", "person", "seen"]).error
    assert errors["new people, tasks 1, 12", "Mike", "new"] == 7.0


PICTURES = {
    "words": lambda runs: generalisation_figures.unseen_words(
        generalisation.unseen_words(runs, [2, 5], "generated" if runs.empty else "official")
    ),
    "names": lambda runs: generalisation_figures.by_number(generalisation.by_number(runs, "names"), "names", "Names"),
    "people": lambda runs: generalisation_figures.by_person(generalisation.by_person(runs)),
}
PANELS = {
    "words": [
        "task 2, trained here, 1,000 examples, n=1",
        "task 2, in the store, 1,000 examples, n=2",
        "task 2, in the store, 10,000 examples, n=1",
        "task 2, published, 10,000 examples, n=10",
        "task 5, published, 10,000 examples, n=10",
    ],
    "names": ["trained here, 1,000 examples, n=1, ≤10 updates", "in the store, 1,000 examples, n=1"],
    "people": [
        "in the store, 1,000 examples, n=1, new people",
        "in the store, 1,000 examples, n=1, new people, tasks 1, 12",
    ],
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_origin_has_its_panel(name):
    picture = PICTURES[name](FOUND)
    panels, shades = picture.axes[: len(PANELS[name])], picture.axes[len(PANELS[name]) :]
    assert [" ".join(ax.get_title(loc="left").split()) for ax in panels] == PANELS[name]
    assert [ax.get_ylabel() for ax in shades or panels[:1]] == ["test error (percent)"]
    assert len(shades) == (name == "words")
    assert panels[0].get_ylabel()
    assert panels[-1].get_xlabel()
    assert all(text.get_fontsize() >= 9 for text in picture.findobj(mpl.text.Text) if text.get_text())


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_nothing_says_so(name):
    picture = PICTURES[name](FOUND[:0])
    assert picture.get_suptitle().endswith("trained here: none; in the store: none")
    assert picture._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")


def test_every_error_is_written_and_what_was_not_run_is_blank():
    few = generalisation.unseen_words(FOUND.assign(error_room=0.0), [2], "official").query("origin == @HERE")
    (panel, _) = generalisation_figures.unseen_words(few.query("test != 'people'")).axes
    assert [text.get_text() for text in panel.texts] == ["0.4", "0.0", "8.0"]


def test_the_bound_is_the_one_that_the_paper_states():
    lines = PICTURES["names"](FOUND).axes[0].lines
    assert [line.get_ydata()[0] for line in lines if line.get_label().startswith("published")] == [1.0]


def test_errors_by_training_source_has_both_sources():
    """What generated stories taught stands beside what official ones did."""
    learnt = [
        run("tpr", number, "generated for official", 6, {"test": 0.0, "official": error})
        for number, error in [(0, 3.0), (1, 5.0), (1, 7.0)]
    ]
    official = [run("tpr", 0, "official", 6, {"test": 1.0}), run("tpr", 1, "official, part 1", 6, {"test": 2.0})]
    runs = pd.DataFrame([*official, *learnt, run("tpr", 0, "official", 12), run("gstpr", 0, "official", 6)])
    (row,) = generalisation.errors_by_training_source(runs).reset_index().to_dict("records")
    assert row == {
        "model": "tpr", "task": 6, "examples": 1000, "official": 1.5, "generated for official": 5.0,
        "n official": 2, "n generated for official": 3,
    }  # fmt: skip
    assert generalisation.errors_by_training_source(pd.DataFrame(official)).empty


def test_an_empty_store_has_taught_nothing(tmp_path):
    learnt = generalisation.errors_by_training_source(Store(tmp_path).runs())
    assert learnt.empty
    assert {"official", "generated for official", "n official"} <= set(learnt.columns)


def few_examples(model: str, task: int, error: float, sizes=generalisation.SIZES, seeds: int = 1) -> list[dict]:
    """Rows of the store of one model and task, whose errors fall from `error` by the number of examples."""
    found = product(sizes, range(seeds))
    errors = {size: error * 50 / size for size in sizes}
    return [
        run(
            model,
            1000 * task + size + seed,
            "official",
            task,
            {"test": errors[size], "room": 2 * errors[size]},
            examples=size,
        )
        for size, seed in found
    ]


def test_by_examples_is_over_tasks_that_all_models_have():
    """Task 2 lacks a size of one model, so means are over tasks 1 and 15, each task once, whatever its seeds."""
    rows = few_examples("mn", 1, 40.0, seeds=2) + few_examples("mn", 15, 20.0) + few_examples("mn", 2, 99.0)
    rows += few_examples("tpr", 1, 10.0) + few_examples("tpr", 15, 10.0) + few_examples("tpr", 2, 99.0, sizes=(50, 100))
    table = generalisation.by_examples(pd.DataFrame(rows), ["mn", "tpr"])
    assert set(table.tasks) == {(1, 15)}
    assert table.n.eq(1).all()
    errors = table.set_index(["test", "model", "examples"]).error
    assert errors["original", "mn", 50] == 30.0
    assert errors["original", "mn", 1000] == 1.5
    assert errors["room", "tpr", 100] == 10.0
    figure = generalisation_figures.by_examples(table)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "original test, n=1,\ntasks 1, 15",
        "unseen rooms, n=1,\ntasks 1, 15",
    ]


def test_fewest_examples_is_the_smallest_size_that_solves():
    """Errors fall as 1 / size: 40 at 50 is 4 at 500, and 20 is 5 at 200. A gap below is said, and so is failure."""
    rows = few_examples("mn", 1, 40.0, seeds=2) + few_examples("mn", 15, 200.0) + few_examples("mn", 2, 99.0, (1000,))
    rows += few_examples("tpr", 1, 20.0, (100, 200, 1000)) + few_examples("tpr", 15, 5.0)
    table = generalisation.fewest_examples(pd.DataFrame(rows), ["tpr", "mn"])
    assert table.columns.tolist() == [1, 15]
    assert table.T.to_dict("list") == {"mn": ["500", "> 1,000"], "tpr": ["≤ 200", "50"]}
    assert list(table.index) == ["mn", "tpr"]


def test_fewest_examples_without_runs_has_no_task():
    table = generalisation.fewest_examples(RUNS, ["tpr", "mn"])
    assert table.shape == (2, 0)


def test_by_examples_without_runs_says_so():
    """A sentence stands in the place of a figure."""
    sentence = generalisation_figures.by_examples(generalisation.by_examples(RUNS, ["mn", "tpr"]))
    assert "no task with all models" in sentence.data
