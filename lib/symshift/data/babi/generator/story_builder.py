"""Build a story sentence by sentence, with questions in between; and the register of the tasks that can be generated.

In bAbI v1.2 a question about people and objects starts from one of the last five events, drawn at random.
"""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from random import Random
from typing import Any

from symshift.data.babi.generator.world import World
from symshift.data.question import Question
from symshift.errors import InputError

RECENT = 5
QUESTIONS_PER_STORY = 5
BABI_TASKS = range(1, 21)


@dataclass
class StoryBuilder:
    """A story in the making: its sentences, the events that can be asked about, and its questions so far."""

    task: int
    rng: Random
    sentences: list[str] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def say(self, sentence: str) -> int:
        """Add a sentence and return its index in the story, which can serve as a supporting fact.

        Raises:
            InputError: It is no text.
        """
        check_text(self.task, "a sentence", sentence)
        self.sentences.append(sentence)
        return len(self.sentences) - 1

    def ask(self, question: str, answer: str, *supporting: int) -> None:
        """Add a question about all sentences so far; `supporting` are indices of sentences.

        Raises:
            InputError: The question or the answer is no text, or a supporting sentence is not among those so far.
        """
        check_text(self.task, "a question", question)
        check_text(self.task, f"the answer to {question!r}", answer)
        for index in supporting:
            if type(index) is not int or not 0 <= index < len(self.sentences):
                fault = f"{question!r} is supported by sentence {index!r}, which the story does not have"
                raise InputError(f"task {self.task}: {fault}; an index that `say` returned would be right")
        story = tuple(self.sentences)
        self.questions.append(Question(story, question, answer, supporting, self.task, "generated"))

    def recent_events(self) -> list[Any]:
        """Return the last five events in random order."""
        events = self.events[-RECENT:]
        self.rng.shuffle(events)
        return events

    def ask_after_pairs(self, add_sentence: Callable[[], Any], ask_about: Callable[[Any], bool]) -> None:
        """Add two sentences, ask about the first recent event that allows a question, and so on up to five questions.

        `ask_about` asks and returns True, or returns False where the event allows no question.
        """
        while len(self.questions) < QUESTIONS_PER_STORY:
            add_sentence()
            add_sentence()
            for event in self.recent_events():
                if ask_about(event):
                    break


def check_text(task: int, name: str, text: Any) -> None:
    """Refuse what the function of a task gives for a text and is none.

    Raises:
        InputError: It is no text, or an empty one.
    """
    if not (isinstance(text, str) and text.strip()):
        raise InputError(f"task {task}: {name} is {text!r}; a text would be right")


StoryFunction = Callable[[StoryBuilder, World, Random], None]


@dataclass(frozen=True)
class Task:
    """A function that builds one story, the default world of its stories, and the least world that it needs."""

    build_story: StoryFunction
    world: World
    minimum: dict[str, int]


TASKS: dict[int, Task] = {}


def task(
    number: int, world: World, people: int = 0, places: int = 0, objects: int = 0
) -> Callable[[StoryFunction], StoryFunction]:
    """Register a function `(builder, world, rng)` that builds one story as the generator of a task.

    Args:
        number: The task's number; 1 to 20 are bAbI's, so a task of one's own is 21 or above.
        world: The default people, places and objects.
        people: The least number of people that the function needs.
        places: The least number of places.
        objects: The least number of objects.

    Raises:
        InputError: The number is no whole number above 0, or it is one of bAbI's; the world is none; the function takes
            other arguments.
    """
    if type(number) is not int or number < 1:
        raise InputError(f"task {number!r}: a whole number above 20 would be right for a task of your own")
    if not isinstance(world, World):
        right = "a World such as World(people=('Ann', 'Bob')) is right"
        raise InputError(f"task {number}: its world is {reprlib.repr(world)}; {right}")

    def register(build_story: StoryFunction) -> StoryFunction:
        try:
            signature(build_story).bind("builder", "world", "rng")
        except TypeError as error:
            raise InputError(f"task {number}: its function takes no (builder, world, rng): {error}") from None
        if number in TASKS and number in BABI_TASKS and TASKS[number].build_story.__module__ != build_story.__module__:
            raise InputError(f"task {number} is bAbI's; a number above 20 would be right for a task of your own")
        TASKS[number] = Task(build_story, world, {"people": people, "places": places, "objects": objects})
        return build_story

    return register
