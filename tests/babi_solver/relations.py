"""Tasks 4, 15 to 20: relations between rooms, shapes and boxes, kinds and motives."""

import re
from collections.abc import Iterator

from symshift.data.question import Question
from tests.babi_solver.sentences import NAME, Solution, match_question

OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
SIDES = {"to the left of": (-1, 0), "to the right of": (1, 0), "above": (0, 1), "below": (0, -1)}
SINGULAR = {"wolves": "wolf", "mice": "mouse", "sheep": "sheep", "cats": "cat"}
GOALS = {"hungry": "kitchen", "thirsty": "kitchen", "bored": "garden", "tired": "bedroom"}


def statements(question: Question, pattern: str) -> list[tuple[int, tuple[str, ...]]]:
    """The sentences that fit a pattern, each with the words in its gaps."""
    read = ((line, re.fullmatch(pattern, sentence)) for line, sentence in enumerate(question.story))
    return [(line, tuple(word.lower() for word in match.groups())) for line, match in read if match]


def neighbours(question: Question) -> Iterator[tuple[str, str, str, int]]:
    """What each sentence on rooms says both ways round: X is D of Y, and Y is the opposite of D of X."""
    for line, (x, side, y) in statements(question, rf"The {NAME} is (north|south|east|west) of the {NAME}\."):
        yield x, side, y, line
        yield y, OPPOSITE[side], x, line


def room_beside(question: Question) -> Solution:
    """Task 4."""
    if words := match_question(question, rf"What is (\S+) of the {NAME}\?"):
        matches = [(x, line) for x, side, y, line in neighbours(question) if (side, y) == words]
    else:
        words = match_question(question, rf"What is the {NAME} (\S+) of\?")
        matches = [(y, line) for x, side, y, line in neighbours(question) if (x, side) == words]
    ((answer, line),) = matches
    return answer, (line,)


def fear(question: Question) -> Solution:
    """Task 15."""
    (who,) = match_question(question, r"What is (\S+) afraid of\?")
    ((line, (_, kind)),) = [
        (n, words) for n, words in statements(question, rf"{NAME} is a {NAME}\.") if words[0] == who
    ]
    for fear_line, (plural, feared) in statements(question, rf"{NAME} are afraid of {NAME}\."):
        if SINGULAR[plural] == kind:
            return SINGULAR[feared], (line, fear_line)
    raise ValueError(question.question)


def colour(question: Question) -> Solution:
    """Task 16: the colour of the other of the same kind who was introduced last."""
    (who,) = match_question(question, r"What color is (\S+)\?")
    kinds = {name: (line, kind) for line, (name, kind) in statements(question, rf"{NAME} is a {NAME}\.")}
    colours = {name: (line, colour) for line, (name, colour) in statements(question, rf"{NAME} is {NAME}\.")}
    line, kind = kinds[who]
    last, other = max((at, name) for name, (at, its) in kinds.items() if its == kind and name in colours)
    return colours[other][1], (line, last, colours[other][0])


def position(question: Question) -> Solution:
    """Task 17: add up the unit steps along the two sentences."""
    sides = "|".join(SIDES)
    first, side, second = match_question(question, rf"Is the (.+?) ({sides}) the (.+)\?")
    steps: dict[str, list[tuple[str, int, tuple[int, int]]]] = {}
    for line, (x, its, y) in statements(question, rf"The (.+?) is ({sides}) the (.+)\."):
        dx, dy = SIDES[its]
        steps.setdefault(y, []).append((x, line, (dx, dy)))
        steps.setdefault(x, []).append((y, line, (-dx, -dy)))
    for middle, line, to_middle in steps[first]:
        for end, other, to_end in steps[middle]:
            if end == second and other != line:
                moved = [-(a + b) for a, b in zip(to_middle, to_end, strict=True)]
                along = sum(a * b for a, b in zip(moved, SIDES[side], strict=True))
                return ("yes" if along > 0 else "no"), (line, other)
    raise ValueError(question.question)


def size(question: Question) -> Solution:
    """Task 18: the first of the chains that show the answer; which one the text gives as support is open."""
    chain, answer = next(iter(chains(question).items()))
    return answer, chain


def chains(question: Question) -> dict[tuple[int, int], str]:
    """The chains of two sentences between the things of the question, each with the answer that it shows."""
    facts = {line: words for line, words in statements(question, r"The (.+) is bigger than the (.+)\.")}
    facts |= {line: words[::-1] for line, words in statements(question, r"The (.+) fits inside the (.+)\.")}
    ends = match_question(question, r"Is the (.+) bigger than the (.+)\?")
    ends = ends or match_question(question, r"Does the (.+) fit in the (.+)\?")[::-1]
    return {chain: answer for answer in ("yes", "no") for chain in _chains(facts, *ends, answer)}


def _chains(facts: dict[int, tuple[str, str]], one: str, two: str, answer: str) -> Iterator[tuple[int, int]]:
    """Chains of a sentence on the first thing, down where the answer is yes and up where it is no, and the first other
    sentence on the thing between."""
    near, far = (0, 1) if answer == "yes" else (1, 0)
    for start, words in facts.items():
        if words[near] == one:
            mentions = (line for line in sorted(facts) if line != start and words[far] in facts[line])
            end = next(mentions, start)
            if facts[end][near] == words[far] and facts[end][far] == two:
                yield start, end


def path(question: Question) -> Solution:
    """Task 19: the one way of two steps."""
    start, end = match_question(question, rf"How do you go from the {NAME} to the {NAME}\?")
    ways = list(neighbours(question))
    matches = [
        (f"{one[0]},{two[0]}", (line, other))
        for middle, one, here, line in ways
        for there, two, between, other in ways
        if (here, between, there) == (start, middle, end) and line != other
    ]
    ((answer, lines),) = matches
    return answer, lines


def motive(question: Question) -> Solution:
    """Task 20."""
    (who,) = match_question(question, r"(?:Where will|Why did) (\S+) .*\?")
    ((line, (_, state)),) = [(n, words) for n, words in statements(question, rf"{NAME} is {NAME}\.") if words[0] == who]
    return (GOALS[state] if question.question.startswith("Where") else state), (line,)
