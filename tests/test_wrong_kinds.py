"""What a person calls with a wrong kind of argument is one line.

The calls run in a process without the check of annotations that tests have, which would refuse them first.
"""

import json
import subprocess
import sys

import pytest

CALLS = {
    'World(people="Mary")': "people: 'Mary' is no list of names; ('Mary', 'John') would be one",
    "World(people={'Mary'})": "people: {'Mary'} is no list of names",
    "World(objects=3)": "objects: 3 is no list of names",
    "generate(1, 3, world='Mary')": "world is 'Mary'; a World such as World(people=('Ann', 'Bob')) is right",
    "load(1, 10, world={})": "world is {}; a World such as",
    "load(1, 10, world=World(), source='official')": "world is set, but official stories have one of their own",
    "task(21, World)": "task 21: its world is <class 'symsh",
    "task(21, {})": "task 21: its world is {}; a World such as World(people=('Ann', 'Bob')) is right",
    "generate(True, 3)": "task True: no generator; one of 1, 2",
    "generate([1], 3)": "task [1]: no generator; one of 1, 2",
    "people(1.5)": "count 1.5: a number of people from 1 to",
    "people('3')": "count '3': a number of people from 1 to",
    "walks('9')": "length is '9', a str; it wants a whole number such as 3",
    "walks(10**9)": "length is 1000000000; it must be at most 10000",
    "zero_shot(STORIES, [])": "kind []: one of room, object, people would be right",
    "AuditQuestions(STORIES, 2.5)": "renamings is 2.5, a float; it wants a whole number such as 3",
    "AuditQuestions(STORIES, sample='9')": "sample of questions is '9', a str; it wants a whole number",
    "AuditQuestions(STORIES, seed='a')": "seed is 'a', a str; it wants a whole number such as 3",
    "register('mine', marker=5)": "network 'mine' is registered with the marker 5; a text would be right",
    "question(story='Mary went home.')": "story of a Question is 'Mary went home.'; a tuple of sentences is right",
    "question(story=['Mary went home.'])": "story of a Question is ['Mary went home.']; a tuple of sentences is right",
    "question(question=None)": "question of a Question is None; a text is right",
    "question(answer=3)": "answer of a Question is 3; a text is right",
    "question(supporting=0)": "supporting of a Question is 0; a tuple of indices is right",
    "question(task='1')": "task of a Question is '1'; 1 to 20 is right, or 0 for own stories",
    "rename(STORIES, None)": "mapping is None; {'mary': 'zoe'} would be one",
    "rename(STORIES, {'mary': ''})": "mapping has ''; a word is right",
    "rename(STORIES, {'mary': 'zoe ann'})": "mapping has 'zoe ann'; a word is right",
}
CODE = """
import json, sys
from symshift import InputError, register
from symshift.data import World, generate, load
from symshift.data.babi.generator import task
from symshift.data.alpha_renaming import AuditQuestions
from symshift.data.names import people
from symshift.data.question import Question
from symshift.data.renaming import rename, zero_shot
from symshift.data.world_model import walks

STORIES = generate(1, 4)


def question(**arguments):
    right = {"story": ("Mary went home.",), "question": "Where is Mary?", "answer": "home", "supporting": (0,)}
    return Question(**right | {"task": 0, "source": "own"} | arguments)


lines = {}
for call in json.loads(sys.argv[1]):
    try:
        lines[call] = f"returns {eval(call)!r:.40}"
    except InputError as error:
        lines[call] = str(error)
    except Exception as error:
        lines[call] = f"{type(error).__name__}: {error}"
print(json.dumps(lines))
"""


@pytest.fixture(scope="module")
def lines():
    command = [sys.executable, "-c", CODE, json.dumps([*CALLS])]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("call", CALLS)
def test_wrong_kind_of_argument_is_one_line(call, lines):
    assert lines[call].startswith(CALLS[call])
    assert "\n" not in lines[call]
