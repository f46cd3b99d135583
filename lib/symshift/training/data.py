"""The stories of a run: what it trains on, what it is selected on, what it is tested on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from symshift.config import RunConfig, data_key
from symshift.data import Question, load
from symshift.data.answer_items import lists_names
from symshift.data.encoding import EncodedQuestions, Vocabulary, encode
from symshift.data.question import fingerprint
from symshift.data.renaming import all_zero_shot
from symshift.errors import InputError
from symshift.training.arguments import check_stories_name, list_task_questions, list_unseen
from symshift.training.splits import TrainValSplits, split_by_story


@dataclass(frozen=True)
class Data:
    """Training and test questions, and further test sets by name.

    Attributes:
        train: Questions to learn from, and to select on where `valid` is empty.
        test: Questions that decide nothing and are answered once, at the end.
        unseen: Further test sets: the test with unseen rooms, objects or people.
        name: What these stories are, where they are not a task's own.
        valid: Questions to select on, where these are not a tenth of the training stories.

    Raises:
        InputError: There are no questions to train on, or none in a test set, or they are something else.
    """

    train: Sequence[Question]
    test: Sequence[Question]
    unseen: Mapping[str, Sequence[Question]] = field(default_factory=dict)
    name: str = ""
    valid: Sequence[Question] = ()

    def __post_init__(self) -> None:
        for part in ("train", "test", "valid"):
            object.__setattr__(self, part, list_task_questions(part, getattr(self, part)))
        for part in ("train", "test"):
            if not getattr(self, part):
                raise InputError(f"there are no {part} questions; at least one would be right")
        object.__setattr__(self, "unseen", list_unseen(self.unseen))
        check_stories_name(self.name)

    @classmethod
    def load(cls, config: RunConfig) -> "Data":
        """Load the stories that a config names."""
        train = load(config.task, config.examples, "train", config.source)
        test = load(config.task, config.examples, "test", config.source)
        return cls(train, test, all_zero_shot(test))

    @property
    def checksum(self) -> str:
        """The fingerprint of the training, validation and test questions; those of `unseen` do not count."""
        return fingerprint((*self.train, *self.valid, *self.test))

    @property
    def key(self) -> str:
        """What stands for these stories in the id of a run: their checksum and their name.

        Stories that differ in `unseen` alone have one checksum, so they need names of their own.
        """
        return data_key(self.checksum, self.name)

    @property
    def source(self) -> str:
        """Where the training stories come from; official and generated ones are never mixed in them."""
        return self.train[0].source

    def describe(self, config: RunConfig) -> RunConfig:
        """Return the config of a run on these stories.

        Several tasks together are task 0. Where no answer lists words of its story, `answers` sets nothing and is
        `whole`.
        """
        tasks = {question.task for question in self.train}
        task = tasks.pop() if len(tasks) == 1 else 0
        training = config.training if lists_names(self.train) else replace(config.training, answers="whole")
        return replace(config, task=task, examples=len(self.train), source=self.source, training=training)

    def title(self, task: int) -> str:
        """Return these stories in words; `task` is the config's, 0 for several tasks."""
        return ", ".join(filter(None, [f"task {task}" if task else "", self.name])) or "stories of several tasks"

    def split(self, questions: EncodedQuestions, seeds: Sequence[int]) -> TrainValSplits:
        """Split the questions of `train` and `valid` for each seed.

        Args:
            questions: `train` and then `valid`, encoded.
            seeds: One per model.

        Returns:
            `valid` as the validation set if there is any, else for each seed a tenth of the stories, of its own.

        Raises:
            InputError: There are too few stories.
        """
        if not self.valid:
            try:
                return split_by_story(self.train, questions, seeds)
            except InputError as error:
                raise InputError(f"{self.name}: {error}" if self.name else str(error)) from None
        valid = torch.arange(len(questions)) >= len(self.train)
        return TrainValSplits(questions, valid.expand(len(seeds), -1), candidates=~valid)

    def tests(self, vocabulary: Vocabulary, sentences: int, device: torch.device) -> dict[str, EncodedQuestions]:
        """Encode all test sets, `test` first."""
        return {
            name: encode(questions, vocabulary, sentences).to(device)
            for name, questions in {"test": self.test, **self.unseen}.items()
        }
