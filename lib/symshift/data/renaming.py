"""The same stories with other names: the zero-shot test sets of the symbol-shift paper (Table 2), random renamings, and
the swap of names between tasks of sys-bAbI (Park et al., ICLR 2024, arXiv 2406.01012).

Unseen words occur nowhere in bAbI, and a person's unseen name has the same pronoun.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from re import Match

from symshift.data.babi.generator.world import pronoun
from symshift.data.question import WORD, Question, by_story, tokenize
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
SWAP = {"daniel": "bill", "john": "fred", "sandra": "julie"}
SWAPPED_BACK = {5, 10, 14}


def rename(questions: Iterable[Question], mapping: Mapping[str, str]) -> list[Question]:
    """Put one word for another in stories, questions and answers; a capital stays a capital."""
    lower = {old.lower(): new.lower() for old, new in mapping.items()}
    memo: dict[str, str] = {}

    def word(match: Match[str]) -> str:
        old = match[0]
        new = lower.get(old.lower(), old)
        return new[0].upper() + new[1:] if old[0].isupper() else new

    def text(old: str) -> str:
        if old not in memo:
            memo[old] = WORD.sub(word, old)
        return memo[old]

    return [
        replace(asked, story=tuple(map(text, asked.story)), question=text(asked.question), answer=text(asked.answer))
        for asked in questions
    ]


def zero_shot(questions: Sequence[Question], kind: str) -> list[Question]:
    """The questions with all rooms, objects or people (`kind`: room, object, people) replaced by unseen ones."""
    renamed = rename(questions, _unseen(kind))
    tasks = ", ".join(str(task) for task in sorted({asked.task for asked in questions}))
    if renamed == list(questions):
        raise InputError(f"kind {kind!r}: nothing to rename in task {tasks}")
    for old, new in zip(questions, renamed, strict=True):
        if new.answer != old.answer and not _named(new):
            raise InputError(f"kind {kind!r}: task {tasks} asks for words that its stories do not name")
    return renamed


def all_zero_shot(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """`zero_shot` of each kind that it can put into these questions."""
    possible = {}
    for kind in UNSEEN:
        with contextlib.suppress(InputError):
            possible[kind] = zero_shot(questions, kind)
    return possible


def random_renaming(
    questions: Sequence[Question], kind: str, names: Sequence[str] = (), seed: int = 0
) -> list[Question]:
    """Give each story its own random names for its rooms, objects or people; without `names`, its own words permuted.

    Names of people keep the pronoun of those they replace."""
    rng = Random(f"renaming, seed {seed}")
    renamed = []
    for story in by_story(questions):
        words = {word: None for asked in story for text in (*asked.story, asked.question) for word in tokenize(text)}
        old = [word for word in words if word in _unseen(kind)]
        mapping: dict[str, str] = {}
        for said in {pronoun(word): None for word in old} if kind == "people" else (None,):
            group = [word for word in old if said in (None, pronoun(word))]
            pool = [name for name in names if said in (None, pronoun(name))] or group
            if len(pool) < len(group):
                raise InputError(f"names: {len(pool)} for {len(group)} words of kind {kind!r} in a story; give more")
            mapping |= zip(group, rng.sample(pool, len(group)), strict=True)
        renamed += rename(story, mapping)
    return renamed


def swap(questions: Sequence[Question]) -> list[Question]:
    """The test of sys-bAbI: known names in tasks where they were never seen."""
    there, back = rename(questions, SWAP), rename(questions, {new: old for old, new in SWAP.items()})
    return [old if asked.task in SWAPPED_BACK else asked for asked, old in zip(there, back, strict=True)]


def _unseen(kind: str) -> dict[str, str]:
    if kind not in UNSEEN:
        raise InputError(f"kind {kind!r}: one of {', '.join(UNSEEN)} would be right")
    return UNSEEN[kind]


def _named(asked: Question) -> bool:
    """Whether each word of the answer stands in the story or the question."""
    said = {word for text in (*asked.story, asked.question) for word in tokenize(text)}
    return said.issuperset(tokenize(asked.answer))
