"""The stories of a run: what each seed trains on, what it is selected on, what it is tested on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from symshift.config import RunConfig
from symshift.data import Question, by_story, load
from symshift.data.encoding import Batch, Encoded, Vocabulary, encode
from symshift.data.question import fingerprint
from symshift.data.renaming import all_zero_shot
from symshift.errors import InputError
from symshift.ops.rng import Site, fold_in, hash_bits
from symshift.training.ensemble import Ensemble, examples

VALID = 0.1
AT_ONCE = 4096  # sentences judged together


@dataclass(frozen=True)
class Data:
    """Training and test questions, and further test sets by name: the test with unseen rooms, objects or people.

    `name` says what a run on stories other than a task's own was trained on. `valid` are questions to select on, where
    these are not a tenth of the training stories."""

    train: Sequence[Question]
    test: Sequence[Question]
    unseen: Mapping[str, Sequence[Question]] = field(default_factory=dict)
    name: str = ""
    valid: Sequence[Question] = ()

    def __post_init__(self) -> None:
        for part in ("train", "test"):
            if not getattr(self, part):
                raise InputError(f"there are no {part} questions; at least one would be right")

    @classmethod
    def load(cls, config: RunConfig) -> "Data":
        """The stories a config names."""
        train = load(config.task, config.examples, "train", config.source)
        test = load(config.task, config.examples, "test", config.source)
        return cls(train, test, all_zero_shot(test))

    @property
    def checksum(self) -> str:
        return fingerprint((*self.train, *self.valid, *self.test))

    @property
    def key(self) -> str:
        """What tells runs on these stories from others; the same stories under another name have other tests."""
        return f"{self.checksum} {self.name}".rstrip()

    @property
    def source(self) -> str:
        """Where the stories come from; official and generated are never mixed."""
        return self.train[0].source

    def describe(self, config: RunConfig) -> RunConfig:
        """The config of a run on these stories; several tasks together have no number."""
        tasks = {asked.task for asked in self.train}
        task = tasks.pop() if len(tasks) == 1 else 0
        return replace(config, task=task, examples=len(self.train), source=self.source)

    def called(self, task: int) -> str:
        """These stories in words. `task` is the config's: 0 where they are not of one task."""
        return ", ".join(filter(None, [f"task {task}" if task else "", self.name])) or "stories of several tasks"

    def parts(self, questions: Encoded, seeds: Sequence[int]) -> "Parts":
        """What each seed learns from and selects on, of the training questions and `valid`: the latter if there are
        any, else its own tenth of the stories, whole stories, but for the last of a bucket."""
        if self.valid:
            selected = torch.arange(len(questions)) >= len(self.train)
            return TrainValSplits(questions, selected.expand(len(seeds), -1))
        stories = [len(story) for story in by_story(self.train)]
        story_of = torch.repeat_interleave(torch.arange(len(stories)), torch.tensor(stories))
        counts = torch.zeros(len(stories), len(questions.buckets), dtype=torch.long)
        for bucket, places in enumerate(questions.indices):
            counts[:, bucket] = story_of[places.cpu()].bincount(minlength=len(stories))
        return TrainValSplits(questions, torch.stack([_held_back(counts, seed)[story_of] for seed in seeds]))

    def tests(self, vocabulary: Vocabulary, sentences: int, device: torch.device) -> dict[str, Encoded]:
        """All test sets as tensors, `test` first."""
        return {
            name: encode(questions, vocabulary, sentences).to(device)
            for name, questions in {"test": self.test, **self.unseen}.items()
        }


class TrainValSplits:
    """The training questions of each model of a stack, by bucket: `train` to draw from, `valid` to select on."""

    def __init__(self, questions: Encoded, valid: Tensor):
        self.questions, self.valid = questions, valid
        device = questions.buckets[0].answer.device
        self.rows: dict[str, list[Int[Tensor, "stack longest"]]] = {"train": [], "valid": []}
        self.sizes: dict[str, list[Int[Tensor, " stack"]]] = {"train": [], "valid": []}
        for places in questions.indices:
            held = valid[:, places.cpu()]
            for part, belongs in (("train", ~held), ("valid", held)):
                sizes = belongs.sum(-1)
                front = (~belongs).to(torch.uint8).argsort(dim=-1, stable=True)[:, : int(sizes.max())]
                self.rows[part].append(front.to(device))
                self.sizes[part].append(sizes.to(device))
        learnt = zip(questions.indices, self.rows["train"], strict=True)
        counts = torch.tensor([len(place) if rows.shape[-1] else 0 for place, rows in learnt]).cumsum(0)
        self.shares = counts / counts[-1]

    def only(self, row: int) -> "Parts":
        """The parts of one model."""
        return TrainValSplits(self.questions, self.valid[row : row + 1])

    def batch(self, seeds: Int[Tensor, " stack"], update: int, size: int) -> Batch:
        """The examples of this update: the bucket is the same for all seeds, the questions each seed's own."""
        number = self.bucket(update)
        bucket, rows, sizes = self.questions.buckets[number], self.rows["train"][number], self.sizes["train"][number]
        now = torch.full((), update, device=seeds.device)
        return bucket.take(rows.gather(-1, examples(seeds, now, sizes, size)))

    def bucket(self, update: int) -> int:
        """The bucket of this update, in proportion to the buckets' sizes."""
        drawn = hash_bits(fold_in(torch.tensor(0), torch.tensor(update)), Site.BUCKET, torch.tensor(0))
        chance = (drawn.double() + 2**31) / 2**32
        return min(int(torch.searchsorted(self.shares.double(), chance, right=True)), len(self.shares) - 1)

    def scores(
        self, stack: Ensemble, weights: Float[Tensor, "1 parameter"], tests: Mapping[str, Encoded]
    ) -> dict[str, float]:
        """All errors of one model, in percent: on its own parts, and on these tests."""
        scores = {part: self.judge(stack, weights, part)[0][0] for part in ("train", "valid")}
        for name, encoded in tests.items():
            wrong = [
                judge(stack, weights, bucket, len(encoded.words))[1][0] != bucket.answer for bucket in encoded.buckets
            ]
            scores[name] = 100 * torch.cat(wrong).double().mean().item()
        return scores

    def judge(
        self, stack: Ensemble, weights: Float[Tensor, "stack parameter"], part: str
    ) -> tuple[list[float], list[float]]:
        """Each model's error in percent and loss in nats on its own part."""
        wrong, loss, count = 0, 0, 0
        for bucket, rows, sizes in zip(self.questions.buckets, self.rows[part], self.sizes[part], strict=True):
            if rows.shape[-1] == 0:
                continue
            mine = torch.arange(rows.shape[-1], device=rows.device) < sizes.unsqueeze(-1)
            own = bucket.take(rows)
            losses, answers = judge(stack, weights, own, len(self.questions.words))
            wrong = wrong + ((answers != own.answer) & mine).sum(-1).double()
            loss = loss + torch.where(mine, losses, 0).sum(-1).double()
            count = count + mine.sum(-1)
        return (100 * wrong / count).tolist(), (loss / count).tolist()


def _held_back(counts: Int[Tensor, "story bucket"], seed: int) -> Bool[Tensor, " story"]:
    """The stories that a seed selects on. Each bucket keeps some to learn from, whoever else is in the stack."""
    held, left = torch.zeros(len(counts), dtype=torch.bool), counts.sum(0)
    wanted = max(1, round(VALID * len(counts)))
    for story in torch.randperm(len(counts), generator=torch.Generator().manual_seed(seed)).tolist():
        if (left > counts[story]).all():
            held[story], left, wanted = True, left - counts[story], wanted - 1
        if not wanted:
            break
    if not held.any():
        raise InputError(f"training stories: {len(counts)}; too few to learn from some and to select on others")
    return held


def judge(
    stack: Ensemble, weights: Float[Tensor, "stack parameter"], batch: Batch, words: int
) -> tuple[Float[Tensor, "stack batch"], Int[Tensor, "stack batch"]]:
    """`Ensemble.judge`, a slice of the batch at a time."""
    losses, answers = zip(*(stack.judge(weights, part, words) for part in slices(batch)), strict=True)
    return torch.cat(losses, -1), torch.cat(answers, -1)


def slices(batch: Batch) -> list[Batch]:
    """The batch in parts of at most so many sentences as are judged together."""
    step = max(1, AT_ONCE // batch.story.shape[-2])
    axis = batch.answer.ndim - 1
    return [Batch(*part) for part in zip(*(field.split(step, axis) for field in batch), strict=True)]
