"""What a word is, in any script: one rule for stories, questions, answers, worlds and renaming.

A word is a run of letters, digits and underscores with the marks that belong to them (as the vowel signs of
Devanagari), and may hold hyphens and apostrophes: `guest-room`, `Mary's`. Two spellings are one word if they differ
only in capitals, in the Unicode form of a letter (NFKC: a composed or decomposed accent, a full-width letter), in the
kind of hyphen or apostrophe, or in characters that nobody sees. Marks count: names that differ in a vowel sign are two.
Scripts that put no spaces between words (Chinese, Thai) need spaces put in.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from unicodedata import category, normalize

LAST_MARK = 0x1FFFF  # beyond it only variation selectors are marks, which are invisible here
MARKS = "".join(char for char in map(chr, range(0x300, LAST_MARK)) if category(char).startswith("M"))
INVISIBLE = (0xAD, 0x34F, 0x61C, 0x640, 0xFEFF, *range(0x180B, 0x1810), *range(0x200C, 0x2010), *range(0x202A, 0x202F))
INVISIBLE += (*range(0x2060, 0x2070), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
SPELLINGS = {code: None for code in INVISIBLE} | str.maketrans("\u2019\u2018\u02bc\u02bb\u2010\u2011", "''''--")
# Catalan's middle dot and the Hebrew geresh and gershayim also stand within words
WORD = re.compile(rf"\w[\w{MARKS}]*(?:[-'\u00b7\u05f3\u05f4]\w[\w{MARKS}]*)*")


def clean(text: str) -> str:
    """Return a text in one spelling: NFKC, plain hyphens and apostrophes, nothing invisible; capitals stay."""
    return text if text.isascii() else normalize("NFKC", text.translate(SPELLINGS)).translate(SPELLINGS)


def fold(text: str) -> str:
    """Return a text in one spelling and in lower case."""
    return text.lower() if text.isascii() else clean(clean(text).lower())


@lru_cache(maxsize=1 << 17)
def tokenize(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without punctuation; `guest-room` is one word."""
    return tuple(WORD.findall(fold(text)))


@lru_cache(maxsize=1 << 17)
def normalize_answer(text: str) -> str:
    """Return an answer as networks answer it: one class, its words read as those of a story.

    `Cellar.` is `cellar`. A list is joined by commas, however it is written: `apple, milk`, `Apple and milk.` and
    `[apple; milk]` are `apple,milk`. Coordinates (`(2, 9)`) are one class, `(2,9)`. Numbers (`3.14`, `10:30`) and
    answers with signs that no word holds (`-5`, `c++`) stay as they are, but for capitals.
    """
    answer = " ".join(fold(text).split())
    if COORDINATES.fullmatch(answer):
        return answer.replace(" ", "")
    if NUMBER.fullmatch(answer):
        return answer
    items = [item for item in SEPARATOR.split(answer) if tokenize(item)]
    parts = [part for item in items for part in AND.split(item) if part]
    if all(len(tokenize(part)) == 1 for part in parts):
        items = parts
    if not items or any(SIGNS.search(PUNCTUATION.sub("", item)) for item in items):
        return answer
    return ",".join(" ".join(tokenize(item)) for item in items)


def answer_items(answer: str) -> list[str]:
    """Return the items of an answer as `normalize_answer` returns it; coordinates such as `(2,9)` are one."""
    return [answer] if COORDINATES.fullmatch(answer) else answer.split(",")


def same_answer(one: str, other: str) -> bool:
    """Return whether two answers are equal, however they are written.

    The words of a list may stand in any order; the directions of a path (`n,e`) may not.
    """
    first, second = (answer_items(normalize_answer(answer)) for answer in (one, other))
    is_path = {*first, *second} <= DIRECTIONS
    return first == second if is_path else sorted(first) == sorted(second)


DIRECTIONS = {"n", "s", "e", "w"}
COORDINATES = re.compile(r"\( ?-?\d+(?: ?, ?-?\d+)+ ?\)")
NUMBER = re.compile(r"-?\d+(?:[.:]\d+)+")
SEPARATOR = re.compile(r"\s*[,;|،؛、，；]\s*")
AND = re.compile(r"(?:^|\s+)(?:and|&)(?:\s+|$)")
PUNCTUATION = re.compile(r"""[\s.?!:"'`()\[\]{}<>«»“”„‘’¿¡。？！।॥…]+""")
SIGNS = re.compile(rf"[^\w{MARKS}\-'·׳״/–—]|^-")


def rename_words(text: str, names: Mapping[str, str]) -> str:
    """Put other words for those that are keys of `names` (in lower case); a capital stays a capital."""
    return re.sub(r"\S+", lambda match: _rename_run(match[0], names), text)


def _rename_run(run: str, names: Mapping[str, str]) -> str:
    """Rename in a run without spaces; one without a word to rename stays to the letter."""
    if names.keys().isdisjoint(tokenize(run)):
        return run
    return WORD.sub(lambda match: _rename_word(match[0], names), clean(run))


def _rename_word(old: str, names: Mapping[str, str]) -> str:
    new = names.get(fold(old), old)
    return new[0].upper() + new[1:] if old[0].isupper() else new
