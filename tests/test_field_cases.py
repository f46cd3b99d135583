"""What people come with who do this job: each test is a kind of public report, with the value that is right."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import symshift
from symshift.data import Question, World, load, read, tokenize, write
from symshift.data.babi import official as babi
from symshift.data.babi.generator import TASKS, own_tasks
from symshift.data.text import from_text, rename_word
from symshift.errors import InputError, InputWarning
from symshift.playground.widget import Playground
from symshift.runs.reader import load as load_reader
from symshift.runs.runs_with_weights import choose, runs_with_weights
from symshift.runs.store import Store
from symshift.sweeps import run as sweep
from symshift.training.arguments import (
    check_config,
    check_seeds,
    check_stories_name,
    list_task_questions,
    list_unseen,
    stories_error,
)
from symshift.training.data import Data
from tests.helpers.small import config
from tests.helpers.sweeps import command, written

ROOT = Path(__file__).parents[1]
MINE = [
    Question((f"{person} went to the {room}.",), f"Where is {person}?", room, (0,), 0, "file")
    for person in ("Ines", "Omar", "Leo")
    for room in ("roof", "cellar", "porch")
] * 4
QUICK = {"updates": 2, "evaluate_every": 1, "batch": 4, "restart_at": 0}
TALLER = """
from symshift.data import World
from symshift.data.babi.generator import task

@task(21, World(), people=2)
def taller(builder, world, rng):
    tall, small = rng.sample(world.people, 2)
    builder.ask("Who is the tallest?", tall, builder.say(f"{tall} is taller than {small}."))
"""


@pytest.fixture
def own_task(tmp_path, monkeypatch):
    """A file of one's own registers task 21; at the end nobody knows it any more."""
    (tmp_path / "tasks.py").write_text(TALLER)
    monkeypatch.setenv(own_tasks.TASKS_VARIABLE, str(tmp_path / "tasks.py"))
    yield
    TASKS.pop(21, None)
    sys.modules.pop("tasks", None)


def read_text(text: str, folder: Path) -> list[Question]:
    (folder / "own.txt").write_text(text)
    return read(folder / "own.txt")


def train_mine(outputs: Path, stories: Data | None = None) -> str:
    return symshift.train(config("mn", **QUICK), [0], str(outputs), "cpu", stories or Data(MINE, MINE, name="mine"))[0]


def test_case_1_names_that_differ_in_vowel_signs(tmp_path):
    text = "1 सीता रसोई में गयी.\n2 सेतु बाग में गयी.\n3 सीता कहाँ है?\tरसोई\t1\n4 सेतु कहाँ है?\tबाग\t2\n"
    first, second = read_text(text, tmp_path)
    assert tokenize(first.story[0]) == ("सीता", "रसोई", "में", "गयी")
    assert tokenize(second.story[1])[0] == "सेतु"
    assert (first.answer, second.answer) == ("रसोई", "बाग")
    assert World(people=("मोहन", "सीता")).people == ("मोहन", "सीता")
    assert rename_word(from_text("Ines slept.\nWho slept?"), "ines", "मोहन").story == ("मोहन slept.",)


def test_case_2_answers_as_people_write_them(tmp_path):
    (question,) = read_text("1 Ines went to the cellar.\n2 Where is Ines?\tCellar.\t1\n", tmp_path)
    assert question.answer == "cellar"
    with pytest.warns(InputWarning, match="line 2: the answer 'buenos aires' is several words"):
        read_text("1 Ines flew to Buenos Aires.\n2 Where is Ines?\tBuenos Aires\t1\n", tmp_path)


def test_case_3_longer_wordier_stories_than_in_training():
    """No answer is a number that is none."""
    runs = runs_with_weights(ROOT / "outputs")
    run = choose(runs, "stpr", 1)
    sentence = "and then after a very long walk through the old town with many stops he went on to the pier."
    story = [f"John went to the {('kitchen', 'office')[day % 2]} {sentence}" for day in range(70)]
    with pytest.raises(InputError, match=r"^the network's answer to this story is no number"):
        load_reader(run, runs.store[run]).ask(story, "Where is John?")


def test_case_4_outputs_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    run = train_mine(Path("~/runs"))
    assert (tmp_path / "home" / "runs" / "runs" / run / "run.json").exists()
    assert not (tmp_path / "~").exists()
    assert len(Store("~/runs").curve(run)) == QUICK["updates"]


@pytest.mark.skipif(not babi.find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("folder", [".", "en-10k"])
def test_case_5_part_of_the_official_stories(folder, tmp_path, monkeypatch):
    name = babi.file_name(1, 10_000, "train")
    content = babi.fetch(babi.find_official(name=name), name)
    (tmp_path / "en-10k").mkdir()
    (tmp_path / name).write_bytes(content)
    monkeypatch.setenv("SYMSHIFT_DATA", str(tmp_path / folder))
    assert load(1, 10_000)[0].source == "official"
    with pytest.raises(InputError, match="has no en"):
        load(2)


@pytest.mark.parametrize("end", ["", "\t"])
def test_case_6_no_supporting_facts(end, tmp_path):
    questions = read_text(f"1 Ines went to the cellar.\n2 Where is Ines?\tcellar{end}\n", tmp_path)
    assert [(question.answer, question.supporting) for question in questions] == [("cellar", ())]


@pytest.mark.parametrize("line", ['{"story": {"id": ["1", "2"]}}', '[{"passage": "Ines went to the cellar."}]'])
def test_case_7_json_says_what_to_do(line, tmp_path):
    with pytest.raises(InputError, match=r"line 1: .* is JSON, not `ID text`; a name that ends in .json"):
        read_text(line, tmp_path)


def test_case_8_no_full_stop_and_no_question_mark(tmp_path):
    (question,) = read_text("1 Ines goes to the cellar\n2 Ines fetches a lamp\n3 Where is Ines\tcellar\t1\n", tmp_path)
    assert (len(question.story), question.question, question.answer) == (2, "Where is Ines", "cellar")


def test_case_9_own_stories_are_asked_in_the_playground(tmp_path):
    for part in ("train", "test"):
        write(MINE, tmp_path / f"{part}.txt")
    run = train_mine(tmp_path, Data(read(tmp_path / "train.txt"), read(tmp_path / "test.txt"), name="mine"))
    runs = runs_with_weights(tmp_path)
    assert runs.index[-1] == run
    playground = Playground(tmp_path, "generated", "mn", 0, 1)
    assert playground.task.label == "other stories"
    playground.text.value = "Ines went to the roof.\nWhere is Ines?"
    assert playground.views[0].answer.word
    playground.task.value = 1
    assert playground.text.value != "Ines went to the roof.\nWhere is Ines?"


def test_case_10_own_task_trains_sweeps_and_plays(own_task, tmp_path):
    own = config("mn", task=21, examples=50, source="generated", **QUICK)
    (run,) = symshift.train(own, [0], str(tmp_path), "cpu")
    assert Store(tmp_path).record(run)["config"]["task"] == 21
    models = {"models": {"mn": QUICK | {"dim": 4}}, "tasks": [21], "seeds": [1], "overrides": {}}
    assert sweep.main(command(written(tmp_path, **models), tmp_path)) == 0
    assert sorted(Store(tmp_path).runs().task) == [21, 21]
    assert Playground(tmp_path, "auto", "mn", 21, 1).question.question == "Who is the tallest?"


def test_case_10_own_task_of_another_session_can_be_asked(own_task, tmp_path, monkeypatch):
    """Its runs are in the list; its test questions are not."""
    symshift.train(config("mn", task=21, examples=50, source="generated", **QUICK), [0], str(tmp_path), "cpu")
    del TASKS[21]
    monkeypatch.delenv(own_tasks.TASKS_VARIABLE)
    playground = Playground(tmp_path, "auto", "mn", 21, 1)
    assert playground.number.disabled
    playground.text.value = "Mary is taller than John.\nWho is the tallest?"
    assert playground.views[0].answer.word
    with pytest.raises(InputError, match=r"^task is 21, but bAbI's tasks are 1 to 20; a task of your own"):
        symshift.configure({"model": "mn", "task": 21})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("raise SystemExit(3)", r"fails \(SystemExit: 3\)"),
        ("raise KeyError(3)", r"fails \(KeyError: 3\)"),
        (None, "is no Python file"),
        ("x = ", r"fails \(SyntaxError"),
    ],
)
def test_case_10_file_of_tasks_that_fails_is_one_line(text, fault, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / "bad.py").write_text(text)
    monkeypatch.setenv(own_tasks.TASKS_VARIABLE, str(tmp_path / "bad.py"))
    with pytest.raises(InputError, match=rf"^SYMSHIFT_TASKS '.*bad.py' {fault}"):
        symshift.configure({"model": "mn", "task": 21})


def test_case_10_own_task_with_a_number_of_babi_is_one_line(tmp_path, monkeypatch):
    """Also where that task is asked for: it is not taken for bAbI's."""
    text = "from symshift.data import World\nfrom symshift.data.babi.generator import task\n"
    (tmp_path / "wrong.py").write_text(f"{text}@task(3, World())\ndef story(builder, world, rng): ...\n")
    monkeypatch.setenv(own_tasks.TASKS_VARIABLE, str(tmp_path / "wrong.py"))
    with pytest.raises(InputError, match=r"^task 3 is bAbI's; a number above 20 would be right"):
        symshift.configure({"model": "mn", "task": 3})


@pytest.mark.parametrize(
    ("check", "argument", "fault"),
    [
        (check_seeds, 3, "seeds is 3; give a list of seeds"),
        (check_seeds, "012", "seeds is '012'; give a list of seeds"),
        (check_seeds, [], "seeds is empty"),
        (check_seeds, np.arange(2), "seeds is array([0, 1]); give a list of seeds"),
        (check_seeds, iter([0, 1]), "seeds is <list_iterato"),
        (check_seeds, [np.int64(-1)], "seeds has -1; a seed is a whole number"),
        (check_seeds, [3, np.int64(3)], "seeds has 3 twice; each once is right"),
        (check_seeds, [-1], "seeds has -1; a seed is a whole number"),
        (check_seeds, [True], "seeds has True"),
        (check_seeds, [3, 0, 3], "seeds has 3 twice; each once is right"),
        (check_config, {"model": "mn"}, "config is a dict; `symshift.configure"),
        (partial(list_task_questions, "train"), "mine.txt", "train is 'mine.txt'; a list of questions, as `symshift"),
        (partial(list_task_questions, "test"), ["a"], "test has 'a' as number 1; a list of questions, as"),
        (partial(list_task_questions, "test"), [*MINE, None], f"test has None as number {len(MINE) + 1}; a list of"),
        (partial(list_task_questions, "test"), 3, "test is 3; a list of questions"),
        (list_unseen, MINE, "unseen is a list of Question; a mapping such as {'room': questions} is right"),
        (list_unseen, {"room": ["a"]}, "unseen 'room' has 'a' as number 1; a list of questions"),
        (list_unseen, {3: MINE}, "unseen has the name 3; a word that is none of train, valid, test is right"),
        (list_unseen, {"test": MINE}, "unseen has the name 'test'; a word that is none of"),
        (check_stories_name, 5, "name is 5; a text such as 'my stories' is right"),
        (stories_error, (MINE, MINE), "stories is a tuple of list; symshift"),
    ],
)
def test_case_11_wrong_kind_of_argument_is_one_line(check, argument, fault):
    with pytest.raises(InputError) as caught:
        raise check(argument)
    assert str(caught.value).startswith(fault)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not babi.find_official(), reason="needs the official tasks")
@pytest.mark.parametrize("variant", ["hn", "shuffled"])
def test_case_12_other_folders_of_the_archive(variant, tmp_path):
    name = babi.file_name(1, 1000, "train", variant)
    (tmp_path / variant).mkdir()
    (tmp_path / name).write_bytes(babi.fetch(babi.find_official(), babi.file_name(1, 1000, "train")))
    questions = load(1, path=tmp_path, variant=variant)
    assert (len(questions), questions[0].source) == (1000, f"official, {variant}")
