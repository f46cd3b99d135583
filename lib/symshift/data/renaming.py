"""Stories with other names.

These are the zero-shot test sets of the symbol-shift paper (Table 2), and the swap of names between tasks of sys-bAbI
(Park et al., ICLR 2024, arXiv 2406.01012).
Unseen words occur nowhere in bAbI, and a person's unseen name has the same pronoun as the name it replaces. The paper
prints the names of six rooms, and `key` and `Sasha` (Figure 5); the others are ours.
"""

import contextlib
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from symshift.data.question import Question
from symshift.data.words import fold, rename_words, tokenize
from symshift.errors import InputError

UNSEEN = {
    "room": {
        "kitchen": "kitchenette", "bedroom": "guest-room", "office": "open-space",
        "garden": "entry", "hallway": "terrace", "bathroom": "toilet",
        "park": "entry", "school": "terrace", "cinema": "toilet",
    },
    "object": {
        "apple": "key", "football": "hammer", "milk": "bottle", "pajamas": "blanket",
        "triangle": "hexagon", "rectangle": "ellipse", "square": "pentagon", "sphere": "cube",
        "box": "crate", "container": "barrel", "suitcase": "backpack", "chest": "trunk",
        "chocolate": "biscuit", "chocolates": "biscuits",
    },
    "people": {
        "john": "sasha", "daniel": "oscar", "bill": "hugo", "fred": "victor", "jeff": "leon",
        "mary": "clara", "sandra": "nina", "julie": "alice",
        "gertrude": "irene", "winona": "helena", "jessica": "laura", "emily": "ruth", "lily": "rosa",
        "bernhard": "felix", "greg": "simon", "julius": "marco", "brian": "kevin",
        "jason": "pablo", "antoine": "igor", "sumit": "ravi", "yann": "otto",
    },
}  # fmt: skip
ALL_NAMES = {word for names in UNSEEN.values() for pair in names.items() for word in pair}  # of bAbI, and unseen
SWAP = {"daniel": "bill", "john": "fred", "sandra": "julie"}
TASKS_OF_NEW_NAMES = {5, 10, 14}  # where Bill, Fred and Julie occur


def rename(questions: Iterable[Question], mapping: Mapping[str, str]) -> list[Question]:
    """Put other words for the keys of `mapping` in stories, questions and answers; a capital stays a capital.

    Raises:
        InputError: There is no mapping, or it has a name that is no word.
    """
    if not isinstance(mapping, Mapping):
        raise InputError(f"mapping is {reprlib.repr(mapping)}; {{'mary': 'zoe'}} would be one")
    check_words("mapping", chain(*mapping.items()))
    names = {fold(old): fold(new) for old, new in mapping.items()}
    memo: dict[str, str] = {}

    def renamed(text: str) -> str:
        if text not in memo:
            memo[text] = rename_words(text, names)
        return memo[text]

    return [
        replace(
            question,
            story=tuple(map(renamed, question.story)),
            question=renamed(question.question),
            answer=renamed(question.answer),
        )
        for question in questions
    ]


def zero_shot(questions: Sequence[Question], kind: str) -> list[Question]:
    """Replace all names of a kind by unseen ones.

    Args:
        questions: Questions of any tasks.
        kind: Room, object or people.

    Raises:
        InputError: The kind is none of these, nothing is to be renamed, an answer would be a word that its story does
            not name, or two names of a story would become one.
    """
    if not isinstance(kind, str) or kind not in UNSEEN:
        raise InputError(f"kind {kind!r}: one of {', '.join(UNSEEN)} would be right")
    renamed = rename(questions, UNSEEN[kind])
    tasks = ", ".join(str(task) for task in sorted({question.task for question in questions}))
    if renamed == list(questions):
        raise InputError(f"kind {kind!r}: nothing to rename in task {tasks}")
    for old, new in zip(questions, renamed, strict=True):
        if new.answer != old.answer and not says_answer(new):
            raise InputError(f"kind {kind!r}: task {tasks} asks for words that its stories do not name")
        if merges_words(old, new):
            raise InputError(f"kind {kind!r}: two names of a story of task {tasks} would become one")
    return renamed


def all_zero_shot(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Return `zero_shot` for each kind that it can replace in these questions."""
    by_kind = {}
    for kind in UNSEEN:
        with contextlib.suppress(InputError):
            by_kind[kind] = zero_shot(questions, kind)
    return by_kind


def swap(questions: Sequence[Question]) -> list[Question]:
    """Swap names between tasks, so that each stands where training never had it (the test of sys-bAbI)."""
    swapped = rename(questions, SWAP)
    swapped_back = rename(questions, {new: old for old, new in SWAP.items()})
    return [
        old if question.task in TASKS_OF_NEW_NAMES else new
        for question, new, old in zip(questions, swapped, swapped_back, strict=True)
    ]


def says_answer(question: Question) -> bool:
    """Return whether the story and the question have all words of the answer."""
    return words_of(question).issuperset(tokenize(question.answer))


def merges_words(question: Question, renamed: Question) -> bool:
    """Return whether two words of a question became one when it was renamed, so that its answer may be wrong."""
    return len(words_of(renamed)) < len(words_of(question))


def words_of(question: Question) -> set[str]:
    """Return the words of the story and the question."""
    return {word for text in (*question.story, question.question) for word in tokenize(text)}


def check_words(where: str, words: Iterable[Any]) -> None:
    """Refuse what is no single word.

    Raises:
        InputError: One is no single word.
    """
    for word in words:
        if not isinstance(word, str) or tokenize(word) != (fold(word),):
            raise InputError(f"{where} has {reprlib.repr(word)}; a word is right: letters, digits and hyphens")
