"""The playground as its widgets drive it, with the weights that the repository carries."""

import pytest

from symshift import configure, train
from symshift.data import generate
from symshift.data.text import as_text
from symshift.errors import InputError
from symshift.playground.widget import Playground
from symshift.runs.runs_with_weights import choose, runs_with_weights
from symshift.training.data import Data


@pytest.fixture
def runs(tmp_path):
    return runs_with_weights(tmp_path)


@pytest.fixture
def playground(tmp_path) -> Playground:
    return Playground(tmp_path, "generated", "gstpr-sm", 5, 1)


def test_the_repository_carries_runs_to_ask(runs):
    assert {("gstpr", 1), ("tpr", 1), ("stpr", 1), ("mn", 16)} <= {*zip(runs.model, runs.task, strict=True)}
    assert {("gstpr-sm", task) for task in (2, 5, 6, 16, 17, 19)} <= {*zip(runs.model, runs.task, strict=True)}


def test_runs_whose_labels_were_equal_end_in_their_ids(tmp_path):
    quick = {"model": "mn", "learning_rate": 0, "evaluate_every": 2, "batch": 4}  # so that all err on as many questions
    stories = Data(generate(1, 40), generate(1, 40), name="mine")
    short, long = (configure(quick | {"updates": updates}) for updates in (2, 4))
    one, other = train(short, [0, 1], str(tmp_path), "cpu", stories)
    (longer,) = train(long, [0], str(tmp_path), "cpu", stories)
    labels = runs_with_weights(tmp_path).label
    start = labels[other].replace("seed 1", "seed 0").partition(", test")[0]
    assert labels[one].startswith(start)
    assert labels[one].removesuffix(one) == labels[longer].removesuffix(longer)
    assert labels[other].endswith(" %")


def test_a_model_that_has_no_weights_is_refused_in_one_line(runs):
    with pytest.raises(InputError) as caught:
        choose(runs[runs.model.isin(["gstpr", "stpr"])], "gstpr", 2)
    assert str(caught.value) == "no run of gstpr on task 2 has weights here; none on task 2, and gstpr is there on 1"
    told = r"^no run of lstm on task 3 has weights here; on task 3 there are .*gstpr-sm.*, and none of lstm$"
    with pytest.raises(InputError, match=told):
        choose(runs, "lstm", 3)


def test_it_starts_with_the_question_that_was_chosen(playground):
    first = playground.test_questions(5)[0]
    assert playground.text.value == as_text(first)
    assert [view.question for view in playground.views] == [first]
    assert playground.views[0].answer.word in playground.panels[0].value
    assert (playground.second.label, playground.panels[1].value) == ("nobody", "")


def test_an_answer_is_renamed_with_the_person(playground):
    place = next(
        n for n, asked in enumerate(playground.test_questions(5), 1) if asked.answer in ("fred", "bill", "mary", "jeff")
    )
    playground.number.value = place
    old, facts = playground.views[0].answer.word, playground.views[0].facts
    playground.word.value = old
    playground.button.click()
    assert playground.views[0].answer.word == "zoe"
    assert playground.views[0].question.answer == "zoe"
    assert playground.views[0].facts == facts
    assert old not in playground.text.value.lower()
    assert playground.message.value.startswith(f"{old} is now zoe; gstpr-sm: {old} (")


def test_model_without_symbols_cannot_answer_a_new_name(playground):
    """A model without symbols says that a new name cannot be answered."""
    playground.task.value = 1
    playground.first.value = choose(playground.runs, "gstpr", 1)
    playground.second.value = choose(playground.runs, "tpr", 1)
    playground.word.value = playground.views[0].answer.word
    playground.name.value = "Yurt"
    playground.button.click()
    with_symbols, without = playground.views
    assert with_symbols.answer.word == "yurt"
    assert without.answer.word != "yurt"
    assert "yurt is an unknown word, read as a blank, and cannot be answered." in playground.panels[1].value
    assert len(playground.picture().axes) == 4


def test_a_text_of_ones_own_is_answered(playground):
    playground.text.value = "Zoe gave the milk to Bill.\nMary went to the kitchen.\nWho gave the milk?"
    assert playground.views[0].answer.word == "zoe"
    assert playground.views[0].facts == frozenset()


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "the story is empty"), ("Who is he?", "the story is empty"), ("Mary went.\n?", "line 2 is &#x27;?&#x27;")],
)
def test_a_text_that_asks_nothing_is_one_line_and_no_answer(playground, text, said):
    right = playground.text.value
    playground.text.value = text
    assert said in playground.message.value
    assert "\n" not in playground.message.value
    assert [shown.value for shown in playground.panels] == ["", ""]
    with pytest.raises(InputError, match="nothing is answered now"):
        playground.picture()
    playground.text.value = right
    assert playground.message.value == ""
    assert playground.views[0].question.answer


def test_a_faulty_text_is_not_answered_by_another_model(playground):
    playground.text.value = ""
    playground.second.value = playground.first.value
    assert "the story is empty" in playground.message.value
    assert playground.views == []


def test_a_name_that_cannot_be_given_leaves_the_answer(playground):
    shown = playground.panels[0].value
    playground.name.value = "Zoe Ann"
    playground.button.click()
    assert "it wants one word" in playground.message.value
    assert playground.panels[0].value == shown
