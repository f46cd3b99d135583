"""Every question of an audit can be answered, has other names, and is renamed with its answer."""

import pytest

from symshift.data import Question, generate, tokenize
from symshift.data.alpha_renaming import RENAMINGS, AuditQuestions
from symshift.data.renaming import words_of
from symshift.errors import InputError
from tests.babi_solver import solve

VERBS = {"strolled": "moved", "walked": "moved", "hurried": "moved", "wandered": "moved", "ambled": "moved"}
VERBS |= {"fetched": "got", "seized": "got", "collected": "got", "lifted": "got"}
VERBS |= {"released": "dropped", "abandoned": "dropped", "ditched": "dropped", "shed": "dropped"}
VERBS |= {"offered": "handed", "presented": "handed", "delivered": "handed", "brought": "handed"}


def known_verbs(question: Question) -> Question:
    """Put verbs that the solver knows for unseen ones."""
    story = tuple(" ".join(VERBS.get(word, word) for word in sentence.split()) for sentence in question.story)
    asked = " ".join(VERBS.get(word, word) for word in question.question.split())
    return Question(story, asked, question.answer, question.supporting, question.task, "")


def test_questions_of_several_tasks_have_rooms_enough():
    """Together tasks 1 and 10 have nine rooms, some of which share an unseen one."""
    questions = [*generate(1, 40), *generate(10, 40)]
    unseen = [r.names for r in AuditQuestions(questions, 2, 80).renamed if (r.role, r.renaming) == ("rooms", "unseen")]
    assert unseen
    assert all(len(set(names.values())) == len(names) > 6 for names in unseen)


@pytest.mark.parametrize("task", range(1, 20))
def test_renamed_questions_have_the_answer_of_the_solver(task):
    prepared = AuditQuestions(generate(task, 40), renamings=1, sample=6)
    for renamed in prepared.renamed:
        question = known_verbs(renamed.question)
        assert solve(question)[0] == question.answer
        assert renamed.answer(prepared.originals[renamed.original].answer) == question.answer


def test_roles_are_those_that_the_task_names():
    def roles(task: int) -> set[str]:
        return {renamed.role for renamed in AuditQuestions(generate(task, 60), renamings=1, sample=15).renamed}

    assert roles(1) == {"people", "rooms", "verbs"}
    assert roles(5) == {"people", "rooms", "objects", "verbs"}
    assert roles(17) == {"objects"}  # "left" is no verb beside "right"
    assert roles(20) == {"people", "objects", "verbs"}  # rooms are answers that no story says


def test_left_of_something_is_no_verb_beside_other_tasks():
    """Task 2 has left, discarded and dropped; in a question of task 17 none of them is renamed."""
    prepared = AuditQuestions([*generate(2, 60), *generate(17, 60)], renamings=2, sample=60)
    verbs = [renamed for renamed in prepared.renamed if renamed.role == "verbs"]
    assert {prepared.originals[renamed.original].task for renamed in verbs} == {2}


def test_each_renaming_draws_the_words_that_it_says():
    questions = generate(2, 100)
    vocabulary = {word for question in questions for word in words_of(question)}
    prepared = AuditQuestions(questions, renamings=2, sample=8)
    assert {renamed.renaming for renamed in prepared.renamed} == set(RENAMINGS)
    for renamed in prepared.renamed:
        new = {renamed.names[word] for word in words_of(prepared.originals[renamed.original]) & renamed.names.keys()}
        assert renamed.question != prepared.originals[renamed.original]
        if renamed.renaming == "unseen":
            assert not new & vocabulary
            assert new <= prepared.unseen_words()
        else:
            assert new <= vocabulary
        if renamed.renaming == "permuted":
            assert words_of(renamed.question) == words_of(prepared.originals[renamed.original])


def test_a_name_that_the_story_has_takes_no_other_place():
    """Of Mary and Clara, Mary is never Clara, though bAbI has no Clara; 50 draws of eight names would say it."""
    question = Question(
        ("Mary went to the garden.", "Clara went to the office."), "Where is Mary?", "garden", (0,), 1, ""
    )
    renamed = AuditQuestions([question], renamings=50).renamed
    assert {entry.role for entry in renamed} == {"people", "rooms"}
    assert all(len(words_of(entry.question)) == len(words_of(question)) for entry in renamed)


def test_draws_of_a_renaming_differ():
    prepared = AuditQuestions(generate(1, 50), renamings=20, sample=2)
    known = [renamed for renamed in prepared.renamed if (renamed.role, renamed.renaming) == ("people", "known")]
    mappings = {renamed.number: tuple(renamed.names.items()) for renamed in known}
    assert len(mappings) == len(set(mappings.values())) > 15


def test_pronouns_keep_people_apart():
    prepared = AuditQuestions(generate(11, 100), renamings=3, sample=8)
    names = {pair for renamed in prepared.renamed if renamed.role == "people" for pair in renamed.names.items()}
    women = {"mary", "sandra", "clara", "nina", "alice", "irene", "helena", "laura", "ruth", "rosa", "julie"}
    assert names
    assert all((old in women) == (new in women) for old, new in names)


def test_sample_depends_on_the_seed_alone():
    questions = generate(1, 20)
    first, again, other = (AuditQuestions(questions, 1, 5, seed) for seed in (0, 0, 1))
    assert (first.originals, first.renamed) == (again.originals, again.renamed)
    assert first.originals != other.originals
    assert AuditQuestions(questions, 1, 1000).originals == questions


@pytest.mark.parametrize(
    ("questions", "numbers", "fault"),
    [
        (generate(1, 5), {"renamings": 0}, "renamings is 0; it must be at least 1"),
        (generate(1, 5), {"renamings": 10**6}, "renamings is 1000000; it must be at most 1000"),
        (generate(1, 5), {"sample": 0}, "sample of questions is 0; it must be at least 1"),
        ([], {}, "there are no questions; at least one would be right"),
        ([Question(("Zoe is in Rome.",), "Where is Zoe?", "rome", (0,), 0, "file")], {}, "nothing to replace"),
    ],
)
def test_questions_without_names_are_refused(questions, numbers, fault):
    with pytest.raises(InputError, match=fault):
        AuditQuestions(questions, **numbers)


def test_unseen_words_occur_nowhere_in_babi():
    texts = (text for task in range(1, 21) for q in generate(task, 20) for text in (*q.story, q.question, q.answer))
    known = {word for text in texts for word in tokenize(text)}
    for task in (5, 11, 18):
        assert not AuditQuestions(generate(task, 20), 1, 3).unseen_words() & known
