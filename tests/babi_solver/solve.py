"""A symbolic solver of the twenty tasks: answer and supporting facts from the text alone."""

from symshift.data import Question
from tests.babi_solver import moving, reasoning, telling
from tests.babi_solver.moving import Solution

SOLVERS = {
    1: moving.whereabouts,
    2: moving.two_facts,
    3: moving.three_facts,
    4: reasoning.relation,
    5: moving.giving,
    6: moving.yes_no,
    7: moving.counting,
    8: moving.lists,
    9: telling.last_word,
    10: telling.last_word,
    11: moving.whereabouts,
    12: moving.whereabouts,
    13: moving.whereabouts,
    14: telling.before,
    15: reasoning.deduction,
    16: reasoning.induction,
    17: reasoning.position,
    18: reasoning.sizes,
    19: reasoning.path,
    20: reasoning.motive,
}


def solve(question: Question) -> Solution:
    """The answer to a question and the sentences that support it."""
    return SOLVERS[question.task](question)
