"""How a task is told: sentences and questions, one after the other, and the register of the tasks that can be."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from symshift.stories.question import Question
from symshift.stories.worlds.world import World


@dataclass
class Telling:
    """A story while it is told: what was said, and what was asked after how much of it."""

    task: int
    sentences: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def say(self, sentence: str) -> int:
        """Tell a sentence; its place in the story serves as supporting fact."""
        self.sentences.append(sentence)
        return len(self.sentences) - 1

    def ask(self, question: str, answer: str, *supporting: int) -> None:
        """Ask about what was told so far."""
        story = tuple(self.sentences)
        self.questions.append(Question(story, question, answer.lower(), supporting, self.task, "generated"))


Teller = Callable[[Telling, World, Random], None]
TASKS: dict[int, tuple[Teller, World]] = {}


def task(number: int, world: World) -> Callable[[Teller], Teller]:
    """Register a function that tells one story of a task, and the world it is told in by default."""

    def register(teller: Teller) -> Teller:
        TASKS[number] = teller, world
        return teller

    return register
