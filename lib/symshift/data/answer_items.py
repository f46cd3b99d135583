"""Answers of several items, said one item after another.

`milk,football` is one class to a network that answers once: it can say it only if training had it, and never in words
that are new. Here such a question is asked again and again, with what was said so far at its end:

    What is Mary carrying?                  milk
    What is Mary carrying? milk             football
    What is Mary carrying? milk football    --, the end

So it is where training answers list words of their story; then all answers are said item by item. An answer such as
`n,w`, a path, names nothing that another story could name otherwise: where all answers of several words are so, each
stays one class.

An answer is right if each of its items and its end are. Greedy answering then meets the very questions that training
asks: as long as all is right, what was said so far is what is right so far.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symshift.data.question import Question
from symshift.data.words import answer_items, tokenize

END = "--"  # what is said after the last item; no word of a story is spelt so
MAX_ITEMS = 50  # of an answer that does not end


def join_items(items: Iterable[str]) -> str:
    """Return the answer of which these are the items, with or without its end."""
    return ",".join(item for item in items if item != END)


def has_ended(items: Sequence[str]) -> bool:
    """Return whether nothing more is to be said after these items."""
    return items[-1] == END or len(items) >= MAX_ITEMS


def count_lists(questions: Iterable[Question]) -> int:
    """Return how many answers have several items."""
    return sum(len(answer_items(question.answer)) > 1 for question in questions)


def lists_names(questions: Iterable[Question]) -> bool:
    """Return whether an answer lists several words of its story."""
    lists = ((set(answer_items(question.answer)), question) for question in questions if "," in question.answer)
    return any(len(items) > 1 and items <= set(tokenize(" ".join(question.story))) for items, question in lists)


def ask_next(question: Question, earlier: Sequence[str], answer: str = "") -> Question:
    """Return the question for the item after these earlier ones, with its answer where that is known."""
    return replace(question, question=" ".join((question.question, *earlier)), answer=answer)


def ask_items(question: Question) -> list[Question]:
    """Return the questions for each item of a known answer, and for its end."""
    items = [*answer_items(question.answer), END]
    return [ask_next(question, items[:number], item) for number, item in enumerate(items)]
