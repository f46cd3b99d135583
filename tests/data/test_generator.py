"""The generator: same seed same text, any world, any number, and a task of one's own by one function."""

import subprocess
import sys
from random import Random

import pytest

from symshift.errors import InputError
from symshift.data import World, fingerprint, generate, tokenize
from symshift.data.babi.generator import TASKS, Telling, task
from symshift.data.babi.generator.world import WOMEN, pronoun

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
def test_text_is_the_same_on_every_machine(number: int) -> None:
    assert fingerprint(generate(number, 50, seed=7))[:12] == FINGERPRINTS[number]


@pytest.mark.parametrize("number", [3, 5])
def test_ten_thousand_questions_are_told_in_seconds(number: int) -> None:
    timed = f"generate({number}, 10_000); print(time.process_time() - begin)"
    code = f"import time; from symshift.data import generate; begin = time.process_time(); {timed}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 10


def test_a_cast_comes_from_the_whole_world() -> None:
    names = tuple(f"Name{number}" for number in range(10_000))
    asked = generate(1, 1000, world=World(people=names))
    told = {word for question in asked for sentence in question.story for word in tokenize(sentence)}
    assert len(told & {name.lower() for name in names}) > 700


def test_people_places_and_objects_are_those_of_the_world() -> None:
    world = World(people=("Ann", "Bob"), places=("attic", "cellar"), objects=("vase",))
    told = {word for asked in generate(2, 100, world=world) for line in asked.story for word in tokenize(line)}
    assert {"ann", "bob", "attic", "cellar", "vase"} <= told
    assert not told & {"john", "kitchen", "milk"}


def test_a_woman_is_she() -> None:
    for asked in generate(11, 200):
        for named, again in zip(asked.story[::2], asked.story[1::2], strict=True):
            assert pronoun(named.split()[0]) in tokenize(again)
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
def test_wrong_names_are_refused(wrong: dict[str, tuple[str, ...]], fault: str) -> None:
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
def test_worlds_too_small_are_refused(number: int, world: World, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        generate(number, world=world)


@pytest.mark.parametrize("number", sorted(TASKS))
def test_the_least_world_is_enough(number: int) -> None:
    least = {kind: tuple(f"{kind}{n}" for n in range(count)) for kind, count in TASKS[number].least.items()}
    assert len(generate(number, 20, world=World(**least))) == 20


def test_a_task_of_ones_own_is_one_function() -> None:
    @task(21, World(), people=1)
    def weather(telling: Telling, world: World, rng: Random) -> None:
        """Who likes which weather."""
        who, liked = rng.choice(world.people), rng.choice(("rain", "snow"))
        line = telling.say(f"{who} likes {liked}.")
        telling.ask(f"What does {who} like?", liked, line)

    try:
        asked = generate(21, 10)
        assert len(asked) == 10
        assert all(question.answer in question.story[0] for question in asked)
    finally:
        del TASKS[21]
