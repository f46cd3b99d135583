"""Which training questions each model of an ensemble learns from, and which it is selected on."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from symshift.data import Question, by_story
from symshift.data.encoding import Batch, EncodedQuestions
from symshift.errors import InputError
from symshift.ops.rng import Site, fold_in, hash_bits, random_integers

VALID_SHARE = 0.1
TRAIN_AND_VALID = ("train", "valid")


class TrainValSplits:
    """The questions of each model of an ensemble, by bucket: `train` to draw from, `valid` to select on.

    Attributes:
        questions: All training and validation questions.
        valid: Which of them each model is selected on.
        candidates: Which of them some seed may learn from.
        rows: Of each split and bucket, each model's rows of the bucket, padded to the longest.
        sizes: How many of these rows are real.

    Args:
        questions: The encoded questions, in buckets of like length.
        valid: Of each original question; one row per model.
        candidates: Which original questions some seed may learn from; by default all. A bucket is drawn in proportion
            to these, so that the buckets of a model do not depend on the other models.
    """

    def __init__(
        self,
        questions: EncodedQuestions,
        valid: Bool[Tensor, "model question"],
        candidates: Bool[Tensor, " question"] | None = None,
    ):
        self.questions, self.valid = questions, valid
        self.candidates = torch.ones(len(questions), dtype=torch.bool) if candidates is None else candidates
        device = questions.buckets[0].answer.device
        self.rows: dict[str, list[Int[Tensor, "model longest"]]] = {split: [] for split in TRAIN_AND_VALID}
        self.sizes: dict[str, list[Int[Tensor, " model"]]] = {split: [] for split in TRAIN_AND_VALID}
        for indices in questions.indices:
            bucket_valid = valid[:, indices.cpu()]
            for split, in_split in (("train", ~bucket_valid), ("valid", bucket_valid)):
                sizes = in_split.sum(-1)
                split_first = (~in_split).to(torch.uint8).argsort(dim=-1, stable=True)
                self.rows[split].append(split_first[:, : int(sizes.max())].to(device))
                self.sizes[split].append(sizes.to(device))
        counts = torch.tensor([int(self.candidates[indices.cpu()].sum()) for indices in questions.indices]).cumsum(0)
        self.cumulative_shares = counts / counts[-1]

    def select(self, row: int) -> "TrainValSplits":
        """Return the splits of one model."""
        return TrainValSplits(self.questions, self.valid[row : row + 1], self.candidates)

    def batch(self, keys: Int[Tensor, "model 2"], update: int, size: int) -> Batch:
        """Return the examples of an update: from one bucket for all models, the questions each model's own.

        Args:
            keys: Of each model at this update, from `fold_in`.
            update: Its number, from 0.
            size: How many examples each model gets.
        """
        number = self.bucket(update)
        bucket, rows, sizes = self.questions.buckets[number], self.rows["train"][number], self.sizes["train"][number]
        return bucket.take(rows.gather(-1, random_integers(keys, Site.EXAMPLES, size, sizes)))

    def bucket(self, update: int) -> int:
        """Return the bucket of an update, drawn in proportion to the candidates in it."""
        bits = hash_bits(fold_in([0], update)[0], Site.BUCKET, torch.tensor(0))
        chance = (bits.double() + 2**31) / 2**32
        return int(torch.searchsorted(self.cumulative_shares.double(), chance, right=True))


def split_by_story(train: Sequence[Question], questions: EncodedQuestions, seeds: Sequence[int]) -> TrainValSplits:
    """Draw a tenth of the stories as the validation set of each seed; each bucket keeps a question to learn from.

    Raises:
        InputError: There are too few stories.
    """
    lengths = [len(story) for story in by_story(train)]
    story_of = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    counts = torch.zeros(len(lengths), len(questions.buckets), dtype=torch.long)
    for bucket, indices in enumerate(questions.indices):
        counts[:, bucket] = story_of[indices.cpu()].bincount(minlength=len(lengths))
    return TrainValSplits(questions, torch.stack([_valid_stories(counts, seed)[story_of] for seed in seeds]))


def _valid_stories(counts: Int[Tensor, "story bucket"], seed: int) -> Bool[Tensor, " story"]:
    """Draw the validation stories of a seed; `counts` are the questions of each story in each bucket.

    Raises:
        InputError: No story can be spared.
    """
    valid = torch.zeros(len(counts), dtype=torch.bool)
    remaining = counts.sum(0)
    missing = max(1, round(VALID_SHARE * len(counts)))
    for story in torch.randperm(len(counts), generator=torch.Generator().manual_seed(seed)).tolist():
        if (remaining > counts[story]).all():
            valid[story] = True
            remaining = remaining - counts[story]
            missing -= 1
        if not missing:
            break
    if not valid.any():
        raise InputError(f"training stories: {len(counts)}; too few to learn from some and to select on others")
    return valid
