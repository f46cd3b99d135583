"""The solver of each task."""

from symshift.data import Question
from tests.babi_solver import knowledge, people_and_objects, relations
from tests.babi_solver.sentences import Solution

SOLVERS = {
    1: people_and_objects.where_is_person,
    2: people_and_objects.where_is_object,
    3: people_and_objects.where_was_object,
    4: relations.room_beside,
    5: people_and_objects.gift,
    6: people_and_objects.is_person_there,
    7: people_and_objects.count_objects,
    8: people_and_objects.list_objects,
    9: knowledge.is_person_there,
    10: knowledge.is_person_there,
    11: people_and_objects.where_is_person,
    12: people_and_objects.where_is_person,
    13: people_and_objects.where_is_person,
    14: knowledge.place_before,
    15: relations.fear,
    16: relations.colour,
    17: relations.position,
    18: relations.size,
    19: relations.path,
    20: relations.motive,
}


def solve(question: Question) -> Solution:
    """The answer to a question and the sentences that support it."""
    return SOLVERS[question.task](question)
