"""What each seed learns from and what it is selected on."""

from dataclasses import replace

import pytest
import torch

from symshift.config import configure
from symshift.data import Question, by_story, load
from symshift.data.encoding import Vocabulary, encode
from symshift.errors import InputError
from symshift.ops.rng import fold_in
from symshift.training.data import Data

SEEDS = range(20)
STORIES = Data(load(2, 500, source="generated"), load(2, 10, "test", "generated"))
QUESTIONS = encode(STORIES.train, Vocabulary.of(STORIES.train, 70), 70)
SPLITS = STORIES.split(QUESTIONS, SEEDS)


def indices(split, seed):
    """Return the indices in STORIES.train of the questions of a seed's split."""
    of_bucket = zip(QUESTIONS.indices, SPLITS.rows[split], SPLITS.sizes[split], strict=True)
    return torch.cat([of[rows[seed, : sizes[seed]]] for of, rows, sizes in of_bucket]).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_split_by_story_shares_no_story(seed):
    told = [number for number, story in enumerate(by_story(STORIES.train)) for _ in story]
    train, valid = ({told[place] for place in indices(part, seed)} for part in ("train", "valid"))
    assert not train & valid
    assert len(train | valid) == told[-1] + 1
    assert len(valid) == round(0.1 * len(train | valid))


def test_split_by_story_differs_between_seeds():
    """Every seed is selected on stories of its own."""
    assert len({tuple(indices("valid", seed)) for seed in SEEDS}) == len(SEEDS)


def texts(batch):
    """Each question of a batch, as it can be compared."""
    return set(zip(map(str, batch.story.tolist()), map(str, batch.question.tolist()), strict=True))


def test_batch_has_training_questions_of_one_bucket():
    """A batch is of one bucket and of training questions alone."""
    for update in range(30):
        batch, number = SPLITS.batch(fold_in(SEEDS, update), update, 16), SPLITS.bucket(update)
        rows, sizes = SPLITS.rows["train"][number], SPLITS.sizes["train"][number]
        for seed in SEEDS:
            learnt = QUESTIONS.buckets[number].take(rows[seed, : sizes[seed]])
            assert texts(batch.take(torch.tensor(seed))) <= texts(learnt)


def test_bucket_is_proportional_to_size():
    """Buckets come in proportion to their questions."""
    drawn = torch.tensor([SPLITS.bucket(update) for update in range(4000)])
    shares = torch.tensor([len(place) / len(QUESTIONS) for place in QUESTIONS.indices])
    found = torch.bincount(drawn, minlength=len(shares)) / len(drawn)
    assert len(shares) > 2
    assert ((found - shares).abs() < 5 * (shares * (1 - shares) / len(drawn)).sqrt()).all()


def test_bucket_is_proportional_to_what_can_be_learnt():
    """Questions to select on alone make no bucket likelier, where all seeds have the same."""
    train = [told(number, 2) for number in range(30)] + [told(number, 12) for number in range(10)]
    valid = [told(number, 2) for number in range(5)] + [told(number, 12) for number in range(400)]
    questions = encode(train + valid, Vocabulary.of(train, 70), 70)
    splits = Data(train, train[:1], valid=valid).split(questions, [0, 1])
    assert splits.cumulative_shares.tolist() == splits.select(1).cumulative_shares.tolist() == [0.75, 1]


def told(number, sentences):
    """A question over a story of so many sentences."""
    return Question((f"john went to {number}.",) * sentences, "where is john?", str(number), (0,), 0, "file")


def test_single_story_of_a_bucket_is_trained_on():
    """A story alone in its bucket is learnt from and buckets come alike alone and in a stack."""
    learnt = [told(number, 2) for number in range(40)] + [told(40, 12)] * 40
    data = Data(learnt, learnt[:1])
    questions = encode(learnt, Vocabulary.of(learnt, 70), 70)
    together = data.split(questions, SEEDS)
    assert [len(places) for places in questions.indices] == [40, 40]
    assert together.sizes["train"][1].tolist() == [40] * len(SEEDS)
    for seed in SEEDS:
        alone = data.split(questions, [seed])
        assert [alone.bucket(update) for update in range(20)] == [together.bucket(update) for update in range(20)]


def test_data_refuses_no_questions():
    with pytest.raises(InputError, match=r"^there are no train questions"):
        Data([], [told(0, 2)])
    with pytest.raises(InputError, match=r"^there are no test questions"):
        Data([told(0, 2)], [])


def test_data_names_an_empty_test_set():
    learnt = [told(0, 2)]
    with pytest.raises(InputError, match=r"^there are no questions in the test set 'room'; at least one"):
        Data(learnt, learnt, {"people": learnt, "room": []})


@pytest.mark.parametrize("task", [-1, True])
def test_data_refuses_a_question_of_no_task(task):
    learnt = [told(0, 2), replace(told(0, 2), task=task)]
    fault = f"^train has a question of task {task!r}; a whole number, 0 for no task, is right$"
    with pytest.raises(InputError, match=fault):
        Data(learnt, learnt[:1])


def test_split_refuses_a_single_story():
    learnt = [told(0, 2)]
    with pytest.raises(InputError, match=r"^training stories: 1; too few"):
        Data(learnt, learnt).split(encode(learnt, Vocabulary.of(learnt, 70), 70), [0])


@pytest.mark.parametrize(
    ("name", "task", "called"),
    [
        ("", 2, "task 2"),
        ("split by question", 2, "task 2, split by question"),
        ("walks, T=4 to 20", 0, "walks, T=4 to 20"),
        ("", 0, "stories of several tasks"),
    ],
)
def test_title_has_task_and_name(name, task, called):
    assert replace(STORIES, name=name).title(task) == called


@pytest.mark.parametrize(("task", "answers"), [(1, "whole"), (8, "items"), (19, "whole")])
def test_describe_keeps_answers_setting_where_there_are_lists(task, answers):
    """A run on stories whose answers list no words of them is one run, however it would have said them."""
    data = Data(load(task, 100, source="generated"), load(task, 10, "test", "generated"))
    config = data.describe(configure({"model": "tpr", "task": task, "answers": "items"}))
    assert config.training.answers == answers
    assert config.flat().get("answers", "whole") == answers


@pytest.mark.parametrize("name", ["official", "generated"])
def test_data_refuses_the_name_of_the_workbook_s_stories(name):
    with pytest.raises(InputError, match=f"name is '{name}'; tables would show them as the workbook's own"):
        Data(load(1, 5, source="generated"), load(1, 5, "test", source="generated"), name=name)
