"""The world model: what the stories say is what an independent replay of them finds."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, by_story, fingerprint, read, tokenize, write
from symshift.data.world_model import walks
from symshift.errors import InputError
from tests.babi_solver import replay

CHECKSUM = "052cb81a56e580aca132dd309caa59449cb4c5688596b46e3ccab23b5a77a5b6"
TOLD = """1 agent1 is at (2,8).
2 agent1 faces-N.
3 agent2 is at (9,7).
4 agent2 faces-E.
5 agent2 moves-1.
6 agent2 faces-S.
7 agent1 moves-1.
8 agent2 moves-5.
9 Where is agent1? \t(2,9)\t1 2 7
10 Where is agent2? \t(10,2)\t3 4 5 6 8
"""


@settings(deadline=None, max_examples=8)
@given(length=st.integers(4, 80), seed=st.integers(0, 1000))
def test_walks_agree_with_replay(length: int, seed: int) -> None:
    for asked in walks(length, examples=20, seed=seed):
        answer, facts, been = replay(asked)
        assert len(asked.story) == length
        assert (asked.answer, asked.supporting) == (answer, facts)
        assert len(facts) <= length - 2
        assert all(1 <= place.real <= 10 and 1 <= place.imag <= 10 for place in been)


def test_replay_agrees_with_story_by_hand(tmp_path: Path) -> None:
    (tmp_path / "walk.txt").write_text(TOLD)
    for asked in read(tmp_path / "walk.txt"):
        assert replay(asked)[:2] == (asked.answer, asked.supporting)


def test_walks_train_and_test_are_disjoint() -> None:
    train, test = walks(4, "train", 5000), walks(4, "test")
    assert (len(train), len(test)) == (5000, 1000)
    assert not {asked.story for asked in train} & {asked.story for asked in test}
    assert len({asked.story for asked in walks(5, "train", 99)}) == 50


def test_walks_have_every_word_and_position() -> None:
    train = walks(20, examples=2000)
    words = {word for asked in train for line in asked.story for word in tokenize(line)}
    faces, moves = {f"faces-{way}" for way in "nesw"}, {f"moves-{steps}" for steps in range(1, 10)}
    assert words == {"agent1", "agent2", "is", "at"} | faces | moves | {str(place) for place in range(1, 11)}
    assert len({asked.answer for asked in train}) == 100
    told = Counter(line.split()[1].split("-")[0] for asked in train for line in asked.story[4:])
    assert 0.35 < told["moves"] / told.total() < 0.45


def test_walks_ask_for_both_agents() -> None:
    test = walks(10, "test")
    assert [len(story) for story in by_story(test)] == [2] * 500
    assert [asked.question for asked in test[:2]] == ["Where is agent1?", "Where is agent2?"]


def test_walks_same_text_on_every_machine() -> None:
    assert fingerprint(walks(10, "train", 100)) == CHECKSUM
    assert walks(10, "test", seed=1) != walks(10, "test", seed=2)


def test_walks_write_then_read(tmp_path: Path) -> None:
    test = walks(10, "test")
    write(test, tmp_path / "walks.txt")
    assert read(tmp_path / "walks.txt") == [replace(asked, source="file") for asked in test]


@pytest.mark.parametrize("wrong", [{"length": 3}, {"examples": 0}, {"split": "valid"}])
def test_walks_refuse_wrong_parameters(wrong: dict) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(wrong))} "):
        walks(**({"length": 10} | wrong))


def test_replay_sees_a_wrong_answer() -> None:
    asked = Question(("agent1 is at (1,1).", "agent1 faces-E.", "agent1 moves-3."), "Where is agent1?", "", (), 0, "")
    assert replay(asked)[0] == "(4,1)"
