"""Other names, same stories: answers and supporting facts stay right, and no unseen word is known."""

import pytest

from symshift.data import Question, World, generate, tokenize
from symshift.data.babi.generator.world import pronoun
from symshift.data.renaming import UNSEEN, all_zero_shot, rename, swap, zero_shot
from symshift.data.statistics import measure
from symshift.errors import InputError
from tests.babi_solver import solve

ROOMS = ["kitchenette", "guest-room", "open-space", "entry", "terrace", "toilet"]
TABLE = {"kitchen", "bedroom", "office", "garden", "hallway", "bathroom"}
SHAPED = {task: ("object",) for task in (17, 18)}


def words(questions: list[Question]) -> set[str]:
    """All words of some questions, answers included."""
    texts = (text for asked in questions for text in (*asked.story, asked.question, asked.answer))
    return {word for text in texts for word in tokenize(text)}


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The words of all tasks."""
    return words([asked for task in range(1, 21) for asked in generate(task, 50)])


def test_unseen_rooms_are_those_of_the_paper() -> None:
    assert list(UNSEEN["room"].values())[:6] == ROOMS
    assert list(UNSEEN["room"])[:6] == ["kitchen", "bedroom", "office", "garden", "hallway", "bathroom"]


@pytest.mark.parametrize("task", range(1, 21))
def test_all_zero_shot_is_unseen_and_solvable(task: int, known: set[str]) -> None:
    questions = generate(task, 100)
    for kind, renamed in all_zero_shot(questions).items():
        assert renamed == zero_shot(questions, kind)
        assert not known & set(UNSEEN[kind].values())
        assert not words(renamed) & set(UNSEEN[kind])
        assert len(words(renamed)) == len(words(questions))
        if task != 20:
            assert all(solve(asked)[0] == asked.answer for asked in renamed)
        assert [asked.supporting for asked in renamed] == [asked.supporting for asked in questions]


@pytest.mark.parametrize(
    ("task", "expected"),
    [(1, ("room", "people")), (2, ("room", "object", "people")), (4, ("room",)), (16, ("people",)), (18, ("object",))],
)
def test_all_zero_shot_kinds_by_task(task: int, expected: tuple[str, ...]) -> None:
    assert tuple(all_zero_shot(generate(task, 100))) == expected


def test_unseen_people_keep_their_pronoun() -> None:
    assert all(pronoun(old) == pronoun(new) for old, new in UNSEEN["people"].items())


def test_rename_keeps_capitals_and_lists() -> None:
    asked = Question(
        ("John got the milk.", "John got the apple."), "What is john carrying?", "milk,apple", (0, 1), 8, ""
    )
    (renamed,) = rename([asked], {"John": "Sasha", "milk": "Tea"})
    assert renamed.story == ("Sasha got the tea.", "Sasha got the apple.")
    assert renamed.question == "What is sasha carrying?"
    assert renamed.answer == "tea,apple"


def test_rename_renames_whole_words() -> None:
    asked = Question(("The box of chocolates fits inside the guest-box.",), "Is it?", "yes", (0,), 18, "")
    assert rename([asked], {"chocolate": "x", "box": "y"})[0].story == (
        "The y of chocolates fits inside the guest-box.",
    )


def test_swap_moves_names_across_tasks() -> None:
    questions = [question for task in (1, 5, 10, 14) for question in generate(task, 100)]
    swapped = swap(questions)
    assert words(swapped[:100]) & {"john", "daniel", "sandra", "bill", "fred", "julie"} == {"bill", "fred", "julie"}
    assert not words(swapped[100:]) & {"bill", "fred", "julie"}
    assert all(solve(asked)[0] == asked.answer for asked in swapped)
    assert swap(swapped[:0]) == []


@pytest.mark.parametrize(
    ("task", "kind", "fault"),
    [
        (1, "rooms", "kind 'rooms': one of room, object, people"),
        (1, "object", "kind 'object': nothing to rename in task 1"),
        (20, "room", "kind 'room': task 20 asks for words that its stories do not name"),
    ],
)
def test_zero_shot_refuses_what_it_cannot_rename(task: int, kind: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        zero_shot(generate(task, 100), kind)


@pytest.mark.parametrize(
    ("kind", "world"), [("room", World(places=("garden", "park"))), ("people", World(people=("Mary", "Clara")))]
)
def test_zero_shot_refuses_to_make_two_names_one(kind: str, world: World) -> None:
    """The unseen garden and park are both an entry, which is right where a story has one of them."""
    questions = generate(6, 20, world=world)
    with pytest.raises(InputError, match=f"^kind '{kind}': two names of a story of task 6 would become one$"):
        zero_shot(questions, kind)
    assert kind not in all_zero_shot(questions)


def test_zero_shot_leaves_the_measures() -> None:
    before, after = measure(generate(2, 50)), measure(zero_shot(generate(2, 50), "people"))
    assert [story["gap"] for story in before] == [story["gap"] for story in after]
