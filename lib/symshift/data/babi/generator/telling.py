"""How a story is told: sentence by sentence, with questions in between; and the register of tasks that can be told.

Where things happen in bAbI v1.2, a question starts from one of the last five facts told, drawn at random.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from symshift.data.question import Question
from symshift.data.babi.generator.world import World

WINDOW = 5


@dataclass
class Telling:
    """A story while it is told: its sentences, the facts in them that can be asked about, its questions."""

    task: int
    rng: Random
    sentences: list[str] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def say(self, sentence: str) -> int:
        """Tell a sentence; its place in the story can serve as a supporting fact."""
        self.sentences.append(sentence)
        return len(self.sentences) - 1

    def ask(self, question: str, answer: str, *supporting: int) -> None:
        """Ask about all that was told so far."""
        story = tuple(self.sentences)
        self.questions.append(Question(story, question, answer.lower(), supporting, self.task, "generated"))

    def recent(self) -> list[Any]:
        """The last facts told, in random order."""
        facts = self.facts[-WINDOW:]
        self.rng.shuffle(facts)
        return facts


Teller = Callable[[Telling, World, Random], None]


@dataclass(frozen=True)
class Task:
    """A function that tells one story, the world it is told in by default, and the least world that it needs."""

    tell: Teller
    world: World
    least: dict[str, int]


TASKS: dict[int, Task] = {}


def task(number: int, world: World, people: int = 0, places: int = 0, objects: int = 0) -> Callable[[Teller], Teller]:
    """Register a function as the teller of a task, in a world with at least so many people, places and objects."""

    def register(tell: Teller) -> Teller:
        TASKS[number] = Task(tell, world, {"people": people, "places": places, "objects": objects})
        return tell

    return register


def in_pairs(telling: Telling, tell: Callable[[], Any], ask: Callable[[Any], bool]) -> None:
    """Tell two sentences, ask about one of the last facts if any allows a question, and so on up to five questions."""
    while len(telling.questions) < 5:
        tell()
        tell()
        any(ask(fact) for fact in telling.recent())
