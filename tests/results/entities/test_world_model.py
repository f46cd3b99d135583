"""The world model's errors keep their origin, and a walk's picture ends where its agents are."""

import pandas as pd
import pytest

from symshift.config import configure
from symshift.data.world_model import walks
from symshift.results.entities import figures as entity_figures
from symshift.results.entities import world_model
from symshift.results.generalisation.tables import HERE, PRINTED, STORED


def run(model: str, number: int, stories: str, errors: dict[str, float], **changed: object) -> dict[str, object]:
    """A row of the store."""
    config = configure({"model": model, **changed}).flat()
    return {"id": f"{model}{number}", **config, "seed": number, "stories": stories, "data": "", **errors}


LONG, SHORT = "walks, T=4 to 20", "walks, T=4 to 6"
RUNS = pd.DataFrame(
    [
        run("entnet-world", 0, LONG, {"error_valid": 1.0, "error_T=10": 0.0, "error_T=80": 10.0}),
        run("entnet-world", 1, LONG, {"error_valid": 5.0, "error_T=10": 2.0, "error_T=80": 8.0}),
        run("lstm-world", 8, LONG, {"error_valid": 40.0, "error_T=10": 50.0}),
        run("entnet-world", 7, LONG, {"error_T=10": 0.0, "error_T=80": 0.0}, examples=100_000),
        run("lstm-world", 2, SHORT, {"error_T=10": 70.0}, updates=10),
        run("lstm-world", 3, LONG, {"error_valid": 50.0, "error_T=10": 60.0}, updates=9000),
        run("entnet", 4, "official", {"error_test": 1.0}, task=4),
        run("entnet", 5, "official", {"error_test": 3.0}, task=4),
        run("entnet", 6, "generated", {"error_test": 90.0}, task=4),
    ]
)


@pytest.mark.parametrize("length", [4, 20])
def test_a_path_ends_where_the_agent_is(length: int) -> None:
    for asked in walks(length, "test")[:50]:
        agent = asked.question.split()[-1].rstrip("?")
        x, y = world_model.paths(asked)[agent][-1]
        assert f"({x},{y})" == asked.answer


def test_errors_by_length_are_means_of_one_origin() -> None:
    """Errors are means of their origin, beside the published ones."""
    errors = world_model.errors_by_length(RUNS, ["lstm-world2"])
    rows = errors.set_index(["origin", "stories", "model", "length"])
    few, many, short = f"{LONG}, 1,000 questions", f"{LONG}, 100,000 questions", f"{SHORT}, 1,000 questions"
    assert rows.loc[(STORED, few, "entnet-world", 80)].to_dict() == {"budget": "", "error": 9.0, "best": 10.0, "n": 2}
    assert rows.error[STORED, many, "entnet-world", 80] == 0
    assert rows.loc[(HERE, short, "lstm-world", 10)].to_dict() == {
        "budget": "≤10",
        "error": 70.0,
        "best": 70.0,
        "n": 1,
    }
    assert rows.error[PRINTED, "walks, each T", "mn", 20] == 63.3
    assert set(errors[errors.model == "lstm-world"].origin) == {HERE, STORED}
    mixed = {"budget": "preset or ≤9k", "error": 55.0, "best": 50.0, "n": 2}
    assert rows.loc[(STORED, few, "lstm-world", 10)].to_dict() == mixed
    assert world_model.best_by_length(errors).loc[(PRINTED, "walks, T up to 20", "entnet", 5, ""), 80] == 8.0


def test_tasks_are_of_official_stories() -> None:
    rows = world_model.errors_by_task(RUNS).set_index(["label", "task"]).error
    assert rows["entnet, 1,000 examples, n=2"].to_dict() == {4: 2.0}
    assert len(rows) == 21
    assert set(world_model.errors_by_task(RUNS[:0]).label) == {"published: entnet, 10,000 examples, best of 10"}


def test_each_origin_has_its_panel_and_a_missing_one_is_named() -> None:
    picture = entity_figures.by_length(world_model.errors_by_length(RUNS, ["lstm-world2"]), "World")
    assert [ax.get_title(loc="left").partition(",")[0] for ax in picture.axes] == [
        HERE,
        STORED,
        STORED,
        PRINTED,
        PRINTED,
    ]
    assert picture.axes[1].get_title(loc="left").startswith(f"{STORED}, mean of n=2,")
    labels = [text.get_text() for text in picture.legends[0].get_texts()]
    assert labels == ["mn", "entnet", "lstm", "entnet, best seed", "lstm, best seed"]
    alone = entity_figures.by_length(world_model.errors_by_length(RUNS[:0], []), "World")
    assert alone.get_suptitle().endswith("trained here: none; in the store: none")


@pytest.mark.parametrize(
    "picture",
    [
        lambda: entity_figures.walk(walks(10, "test")[0], "A walk"),
        lambda: entity_figures.write_gates(pd.DataFrame([[0.1, 0.9]], ["a b"], ["mary", "john"]), "Gates"),
        lambda: entity_figures.by_task(world_model.errors_by_task(RUNS), "Tasks"),
    ],
    ids=["walk", "gates", "tasks"],
)
def test_a_picture_carries_its_words(picture) -> None:
    drawn = picture()
    assert drawn.axes[0].get_title(loc="left")
    assert drawn.axes[0].get_xlabel()
    assert drawn.axes[0].get_ylabel()
    assert drawn._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")
