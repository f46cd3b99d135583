"""Questions of an audit: each with its names replaced many times, in a way that must rename the answer alike.

Two questions are alpha-equivalent if one is the other with its names replaced, as a bound variable is (Interchangeable
Token Embeddings, Isik et al., ICML 2025, arXiv 2410.17161). Names of a role are replaced by

- `known`: others that the same questions use, by one permutation for all of them;
- `unseen`: words that occur nowhere in bAbI;
- `permuted`: those of the question's own story.

Verbs are the control. They are replaced by verbs that mean the same, so no answer changes, but they are no names: a
network must have learnt what a verb means, so an unseen verb may well cost it the answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, NamedTuple

from symshift.constraints import Count, Interval, check_value
from symshift.data.babi.generator.world import pronoun
from symshift.data.question import Question
from symshift.data.renaming import UNSEEN, merges_words, rename, says_answer, words_of
from symshift.data.words import fold, normalize_answer, rename_words
from symshift.errors import InputError

RENAMINGS = ("known", "unseen", "permuted")
PRONOUNS = {"he", "she", "him", "her", "his"}
THINGS = (
    ("apple", "football", "milk", "pajamas"),
    ("triangle", "rectangle", "square", "sphere"),
    ("box", "container", "suitcase", "chest"),
    ("chocolate",),
    ("chocolates",),  # a box of them
)
FURTHER_ROOMS = ("balcony", "studio", "corridor")  # unseen too
Mappings = tuple[tuple[tuple[str, str], ...], ...]  # old and new words, for each question
Renamings = Annotated[int, Interval(at_least=1, at_most=1000)]  # more only take time
DRAWS = 20  # of a renaming, until one is new


class Group(NamedTuple):
    """Words that may replace each other, and the unseen words that may replace them."""

    words: tuple[str, ...]
    unseen: tuple[str, ...]


# without "went", which alone may stand before "back", and "gave", which alone may be asked about
VERBS = (
    Group(("moved", "travelled", "journeyed"), ("strolled", "walked", "hurried", "wandered", "ambled")),
    Group(("got", "grabbed", "took"), ("fetched", "seized", "collected", "lifted")),
    Group(("dropped", "discarded", "left"), ("released", "abandoned", "ditched", "shed")),
    Group(("handed", "passed"), ("offered", "presented", "delivered", "brought")),
)


class RenamedQuestion(NamedTuple):
    """A question after a renaming: its role, renaming and draw, the index of its original, the names, and itself."""

    role: str
    renaming: str
    number: int
    original: int
    names: Mapping[str, str]
    question: Question

    def answer(self, original: str) -> str:
        """Return an answer to the original with its names replaced."""
        return normalize_answer(rename_words(original, self.names))


class AuditQuestions:
    """A sample of questions, and each of them renamed.

    Args:
        questions: Questions of bAbI's language, of one task or several.
        renamings: Draws of each kind of renaming and role; fewer where there are no more different ones.
        sample: How many of the questions, drawn at random; all where there are not more.
        seed: Equal seeds give equal samples and names.

    Attributes:
        originals: The sample.
        renamed: Every question that a renaming changes, after it; not one in which two words would become one.

    Raises:
        InputError: A number is no whole one, or renamings or sample are out of range; there is no question, or none has
            a name that can be replaced.
    """

    def __init__(self, questions: Sequence[Question], renamings: int = 20, sample: int = 200, seed: int = 0):
        check_value("renamings", renamings, Renamings)
        check_value("sample of questions", sample, Count)
        check_value("seed", seed, int)
        if not questions:
            raise InputError("there are no questions; at least one would be right")
        chosen = Random(f"audit, seed {seed}").sample(range(len(questions)), min(sample, len(questions)))
        self.originals = [questions[index] for index in sorted(chosen)]
        vocabulary = {word for question in questions for word in words_of(question)}
        self.renamed = [
            renamed
            for role, groups in _roles(vocabulary).items()
            for renamed in _rename_role(self.originals, role, groups, renamings, seed)
        ]
        if not self.renamed:
            raise InputError("no story has a name of bAbI's people, rooms or objects; there is nothing to replace")

    def questions(self) -> list[Question]:
        """Return the questions to ask: each of `originals`, then each of `renamed`."""
        return [*self.originals, *(renamed.question for renamed in self.renamed)]

    def unseen_words(self) -> set[str]:
        """Return the words that replace others in the renamings `unseen`."""
        return {new for renamed in self.renamed if renamed.renaming == "unseen" for new in renamed.names.values()}


def _roles(vocabulary: set[str]) -> dict[str, list[Group]]:
    """Return the roles of these words: people are two groups where a pronoun tells them apart."""
    people = UNSEEN["people"]
    subjects = ("he", "she") if vocabulary & PRONOUNS else ("",)
    by_subject = [[name for name in people if subject in ("", pronoun(name))] for subject in subjects]
    roles = {
        "people": [_group(names, people) for names in by_subject],
        "rooms": [_group(tuple(UNSEEN["room"]), UNSEEN["room"])],
        "objects": [_group(names, UNSEEN["object"]) for names in THINGS],
    }
    known = {role: [_restricted(group, vocabulary) for group in groups] for role, groups in roles.items()}
    (rooms,) = known["rooms"]
    if len(rooms.words) > len(rooms.unseen):  # of several tasks, some of whose rooms share an unseen one
        known["rooms"] = [rooms._replace(unseen=(*rooms.unseen, *FURTHER_ROOMS))]
    verbs = [_restricted(group, vocabulary) for group in VERBS]
    # a group with one word here may be no group of verbs, as where only "left" is there, beside "right"
    return known | {"verbs": [group for group in verbs if len(group.words) > 1]}


def _group(names: Sequence[str], unseen: Mapping[str, str]) -> Group:
    return Group(tuple(names), tuple(dict.fromkeys(unseen[name] for name in names)))


def _restricted(group: Group, vocabulary: set[str]) -> Group:
    return group._replace(words=tuple(word for word in group.words if word in vocabulary))


def _rename_role(
    questions: Sequence[Question], role: str, groups: Sequence[Group], renamings: int, seed: int
) -> list[RenamedQuestion]:
    """Rename in all ways; nothing where an answer would be a word that its story does not have."""
    renamed: list[RenamedQuestion] = []
    for renaming in RENAMINGS:
        rng = Random(f"audit {role} {renaming}, seed {seed}")
        earlier: set[Mappings] = set()
        for number in range(renamings):
            mappings = _new_mappings(questions, groups, renaming, rng, earlier)
            for index, names in enumerate(mappings):
                if role == "verbs" and _says_side(questions[index]):
                    continue
                (question,) = rename([questions[index]], names)
                if question == questions[index] or merges_words(questions[index], question):
                    continue
                if question.answer != questions[index].answer and not says_answer(question):
                    return []
                renamed.append(RenamedQuestion(role, renaming, number, index, names, question))
    return renamed


def _says_side(question: Question) -> bool:
    """Return whether a sentence says *left of*, where *left* is no verb."""
    return any("left of" in fold(text) for text in (*question.story, question.question))


def _new_mappings(
    questions: Sequence[Question], groups: Sequence[Group], renaming: str, rng: Random, earlier: set[Mappings]
) -> list[dict[str, str]]:
    """Draw the names of each question, until they are not as in an earlier draw; nothing after DRAWS tries."""
    for _ in range(DRAWS):
        if renaming == "permuted":
            vocabularies = [words_of(question) for question in questions]
            mappings = [_permutation([_restricted(group, words) for group in groups], rng) for words in vocabularies]
        else:
            draw = _permutation if renaming == "known" else _replacement
            mappings = [draw(groups, rng)] * len(questions)
        key = tuple(tuple(mapping.items()) for mapping in mappings)
        if key not in earlier:
            earlier.add(key)
            return mappings
    return []


def _permutation(groups: Sequence[Group], rng: Random) -> dict[str, str]:
    return {old: new for group in groups for old, new in _pairs(group.words, group.words, rng) if old != new}


def _replacement(groups: Sequence[Group], rng: Random) -> dict[str, str]:
    return {old: new for group in groups for old, new in _pairs(group.words, group.unseen, rng)}


def _pairs(old: Sequence[str], pool: Sequence[str], rng: Random) -> Iterator[tuple[str, str]]:
    yield from zip(old, rng.sample(pool, len(old)), strict=True)
