"""The generator: same seed same text, any world, any number, and a task of one's own by one function."""

import subprocess
import sys
from random import Random

import pytest

from symshift.data import World, fingerprint, generate, tokenize
from symshift.data.babi.generator import TASKS, StoryBuilder, task
from symshift.data.babi.generator.story_builder import check_text
from symshift.data.babi.generator.world import WOMEN, pronoun
from symshift.errors import InputError

FINGERPRINTS = {
    1: "a55b0d18ce0e",
    2: "8ce76311957f",
    3: "880f6566dec0",
    4: "843631e39897",
    5: "94e3a8e06519",
    6: "b7957c1481af",
    7: "a514fb41206f",
    8: "fe93e579b78a",
    9: "2c1592fcff6d",
    10: "83c4eab9d282",
    11: "2198223afbd4",
    12: "9983f00e2c6b",
    13: "8c7b38691695",
    14: "fc76dcb66813",
    15: "d8250e625ea4",
    16: "ef8d55e3c3e7",
    17: "de29e74fff5e",
    18: "66bf788135e2",
    19: "16e965536efd",
    20: "0d054403ca10",
}


@pytest.mark.parametrize("number", range(1, 21))
def test_generate_same_text_on_every_machine(number: int) -> None:
    assert fingerprint(generate(number, 50, seed=7))[:12] == FINGERPRINTS[number]


@pytest.mark.parametrize("number", [3, 5])
def test_generate_takes_seconds_for_ten_thousand(number: int) -> None:
    timed = f"generate({number}, 10_000); print(time.process_time() - begin)"
    code = f"import time; from symshift.data import generate; begin = time.process_time(); {timed}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 10


def test_cast_draws_from_whole_world() -> None:
    names = tuple(f"Name{number}" for number in range(10_000))
    questions = generate(1, 1000, world=World(people=names))
    words = {word for question in questions for sentence in question.story for word in tokenize(sentence)}
    assert len(words & {name.lower() for name in names}) > 700


def test_generate_uses_names_of_world() -> None:
    world = World(people=("Ann", "Bob"), places=("attic", "cellar"), objects=("vase",))
    words = {word for question in generate(2, 100, world=world) for line in question.story for word in tokenize(line)}
    assert {"ann", "bob", "attic", "cellar", "vase"} <= words
    assert not words & {"john", "kitchen", "milk"}


def test_pronoun_of_women_is_she() -> None:
    for question in generate(11, 200):
        for first, second in zip(question.story[::2], question.story[1::2], strict=True):
            assert pronoun(first.split()[0]) in tokenize(second)
    assert pronoun("Sandra") == "she"
    assert pronoun("Daniel") == "he"
    assert all(name == name.lower() for name in WOMEN)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"people": ("John", "john")}, "people: 'john' is also in people"),
        ({"people": ("Apple",)}, "objects: 'apple' is also in people"),
        ({"people": ("Mary Ann",)}, "people: 'Mary Ann' is no name"),
        ({"places": ("the hall.",)}, "places: 'the hall.' is no name"),
        ({"objects": ("",)}, "objects: '' is no name"),
    ],
)
def test_world_refuses_wrong_names(wrong: dict[str, tuple[str, ...]], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        World(**wrong)


@pytest.mark.parametrize(
    ("number", "world", "fault"),
    [
        (5, World(people=("Ann",)), "people: 1 given; task 5 needs at least 2"),
        (1, World(places=("attic",)), "places: 1 given; task 1 needs at least 2"),
        (2, World(objects=()), "objects: 0 given; task 2 needs at least 1"),
        (17, World(objects=("cube", "ball")), "objects: 2 given; task 17 needs at least 3"),
    ],
)
def test_generate_refuses_small_worlds(number: int, world: World, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        generate(number, world=world)


@pytest.mark.parametrize("number", sorted(TASKS))
def test_generate_works_with_minimum_world(number: int) -> None:
    least = {kind: tuple(f"{kind}{n}" for n in range(count)) for kind, count in TASKS[number].minimum.items()}
    assert len(generate(number, 20, world=World(**least))) == 20


def test_task_of_ones_own_is_one_function() -> None:
    @task(21, World(), people=1)
    def weather(builder: StoryBuilder, world: World, rng: Random) -> None:
        """Who likes which weather."""
        who, liked = rng.choice(world.people), rng.choice(("rain", "snow"))
        line = builder.say(f"{who} likes {liked}.")
        builder.ask(f"What does {who} like?", liked, line)

    try:
        questions = generate(21, 10)
        assert len(questions) == 10
        assert all(question.answer in question.story[0] for question in questions)
    finally:
        del TASKS[21]


MISTAKES = {
    "asks-nothing": (lambda builder: builder.say("A b."), "its function asks nothing; `builder.ask"),
    "error-of-its-own": (lambda builder: 1 / 0, r"test_generator.py, line \d+ fails \(ZeroDivisionError: division by"),
    "empty-sentence": (lambda builder: builder.say(" "), "a sentence is ' '; a text would be right"),
    "empty-question": (lambda builder: builder.ask("", "b"), "a question is ''; a text would be right"),
    "no-answer": (lambda builder: builder.ask("Who?", ""), r"the answer to 'Who\?' is ''; a text would be right"),
    "supporting-above": (
        lambda builder: builder.ask("Who?", "b", builder.say("A b."), 1),
        r"'Who\?' is supported by sentence 1, which the story does not have; an index that `say`",
    ),
    "supporting-below": (lambda builder: builder.ask("Who?", "b", -1), r"'Who\?' is supported by sentence -1, which"),
}


@pytest.mark.parametrize(("build", "fault"), MISTAKES.values(), ids=MISTAKES)
def test_task_of_ones_own_fails_in_one_line(build, fault) -> None:
    task(21, World())(lambda builder, world, rng: build(builder))
    try:
        with pytest.raises(InputError, match=f"^task 21: {fault}") as caught:
            generate(21, 10)
        assert "\n" not in str(caught.value)
    finally:
        del TASKS[21]


@pytest.mark.parametrize("text", [5, None, ["zoe", "john"]], ids=["number", "none", "list"])
def test_check_text_refuses_other_kinds(text) -> None:
    with pytest.raises(InputError, match=r"^task 21: the answer is .*; a text would be right$"):
        check_text(21, "the answer", text)


def test_task_refuses_a_function_of_other_arguments() -> None:
    with pytest.raises(InputError, match=r"^task 21: its function takes no \(builder, world, rng\): too many"):
        task(21, World())(lambda builder: None)
    assert 21 not in TASKS


@pytest.mark.parametrize("number", [1, 20, 0, -3, True])
def test_task_refuses_numbers_of_babi(number: int) -> None:
    """A task of one's own never takes the place of one of bAbI's twenty."""

    def weather(builder: StoryBuilder, _world: World, _rng: Random) -> None:
        builder.ask("Who?", "john", builder.say("John slept."))

    with pytest.raises(InputError, match=f"^task {number!r}.*above 20 would be right for a task of your own$"):
        task(number, World())(weather)
