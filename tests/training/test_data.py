"""What each seed learns from and what it is selected on."""

from dataclasses import replace

import pytest
import torch

from symshift.data import Question, by_story, load
from symshift.data.encoding import Vocabulary, encode
from symshift.errors import InputError
from symshift.training.data import Data

SEEDS = range(20)
STORIES = Data(load(2, 500, source="generated"), load(2, 10, "test", "generated"))
QUESTIONS = encode(STORIES.train, Vocabulary.of(STORIES.train, 70), 70)
PARTS = STORIES.parts(QUESTIONS, SEEDS)


def places(part, seed):
    """The places in STORIES.train of the questions of a seed's part."""
    of_bucket = zip(QUESTIONS.indices, PARTS.rows[part], PARTS.sizes[part], strict=True)
    return torch.cat([places[rows[seed, : sizes[seed]]] for places, rows, sizes in of_bucket]).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_story_is_both_learnt_and_selected_on(seed):
    told = [number for number, story in enumerate(by_story(STORIES.train)) for _ in story]
    train, valid = ({told[place] for place in places(part, seed)} for part in ("train", "valid"))
    assert not train & valid
    assert len(train | valid) == told[-1] + 1
    assert len(valid) == round(0.1 * len(train | valid))


def test_every_seed_is_selected_on_stories_of_its_own():
    assert len({tuple(places("valid", seed)) for seed in SEEDS}) == len(SEEDS)


def texts(batch):
    """Each question of a batch, as it can be compared."""
    return set(zip(map(str, batch.story.tolist()), map(str, batch.question.tolist()), strict=True))


def test_a_batch_is_of_one_bucket_and_of_training_questions_alone():
    for update in range(30):
        batch, number = PARTS.batch(torch.tensor(list(SEEDS)), update, 16), PARTS.bucket(update)
        rows, sizes = PARTS.rows["train"][number], PARTS.sizes["train"][number]
        for seed in SEEDS:
            learnt = QUESTIONS.buckets[number].take(rows[seed, : sizes[seed]])
            assert texts(batch.take(torch.tensor(seed))) <= texts(learnt)


def test_buckets_come_in_proportion_to_their_questions():
    drawn = torch.tensor([PARTS.bucket(update) for update in range(4000)])
    shares = torch.tensor([len(place) / len(QUESTIONS) for place in QUESTIONS.indices])
    found = torch.bincount(drawn, minlength=len(shares)) / len(drawn)
    assert len(shares) > 2
    assert ((found - shares).abs() < 5 * (shares * (1 - shares) / len(drawn)).sqrt()).all()


def told(number, sentences):
    """A question over a story of so many sentences."""
    return Question((f"john went to {number}.",) * sentences, "where is john?", str(number), (0,), 0, "file")


def test_a_story_alone_in_its_bucket_is_learnt_from_and_buckets_come_alike_alone_and_in_a_stack():
    learnt = [told(number, 2) for number in range(40)] + [told(40, 12)] * 40
    data = Data(learnt, learnt[:1])
    questions = encode(learnt, Vocabulary.of(learnt, 70), 70)
    stack = data.parts(questions, SEEDS)
    assert [len(places) for places in questions.indices] == [40, 40]
    assert stack.sizes["train"][1].tolist() == [40] * len(SEEDS)
    for seed in SEEDS:
        alone = data.parts(questions, [seed])
        assert [alone.bucket(update) for update in range(20)] == [stack.bucket(update) for update in range(20)]


def test_stories_without_questions_are_refused():
    with pytest.raises(InputError, match=r"^there are no train questions"):
        Data([], [told(0, 2)])
    with pytest.raises(InputError, match=r"^there are no test questions"):
        Data([told(0, 2)], [])


def test_a_single_story_is_too_few():
    learnt = [told(0, 2)]
    with pytest.raises(InputError, match=r"^training stories: 1; too few"):
        Data(learnt, learnt).parts(encode(learnt, Vocabulary.of(learnt, 70), 70), [0])


@pytest.mark.parametrize(
    ("name", "task", "called"),
    [
        ("", 2, "task 2"),
        ("split by question", 2, "task 2, split by question"),
        ("walks, T=4 to 20", 0, "walks, T=4 to 20"),
        ("", 0, "stories of several tasks"),
    ],
)
def test_stories_are_called_by_task_and_name(name, task, called):
    assert replace(STORIES, name=name).called(task) == called
