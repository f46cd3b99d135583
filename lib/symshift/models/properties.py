"""What the contract of `models.base` promises, looked for in one network: properties that hold or do not.

A property is a function of a `Specimen` that returns a `Finding`. `symshift.check` looks for all of them. Parameters
are moved away from where training starts, where many are zero and hide what they would do.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import pad

from symshift.data.encoding import Batch, EncodedQuestions, Vocabulary
from symshift.models.base import Network
from symshift.models.contract import build
from symshift.ops.rng import NO_RNG, StepRng, fold_in

TOLERANCE = 1e-4  # between two probabilities that should be equal
PERTURBATION = 0.2  # standard deviation of what is added to parameters


class Specimen(NamedTuple):
    """A network, and the questions that it is tried on.

    Attributes:
        name: The network's name in the registry.
        config: One of its `Config`.
        vocabulary: The words of the training questions.
        questions: Training questions.
        unseen: Questions with words that are not in the vocabulary.
    """

    name: str
    config: Any
    vocabulary: Vocabulary
    questions: EncodedQuestions
    unseen: EncodedQuestions

    def model(self) -> Network:
        """Build a model whose parameters are away from where training starts."""
        model, generator = build(self.name, self.config, self.vocabulary, 0), torch.Generator().manual_seed(0)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(PERTURBATION * torch.randn(parameter.shape, generator=generator))
        return model


class Finding(NamedTuple):
    """Whether a property holds, and what was seen."""

    holds: bool
    seen: str


def padding(specimen: Specimen) -> Finding:
    """Blank sentences anywhere, and blank words and symbols at the end, change no probability."""
    model, batch, words = specimen.model(), _few_long_stories(specimen.questions), len(specimen.questions.words)
    wider = with_padding(batch, sentences=4, words=1, question_words=2, symbols=3, seed=1)
    return _equal(probabilities(model, batch, words), probabilities(model, wider, words))


def batch_order(specimen: Specimen) -> Finding:
    """A question has the same answer in any order of the batch, and alone."""
    model, batch, words = specimen.model(), _few_long_stories(specimen.questions), len(specimen.questions.words)
    rows = torch.arange(len(batch.answer))
    together = probabilities(model, batch, words)
    in_reverse = probabilities(model, batch.take(rows.flip(0)), words).flip(0)
    alone = [probabilities(model, batch.take(row[None]), words) for row in rows]
    return _equal(torch.cat((together, together)), torch.cat((in_reverse, *alone)))


def empty_batch(specimen: Specimen) -> Finding:
    """A batch may be empty: a seed may put no question of a bucket aside to select on."""
    model, batch = specimen.model(), _few_long_stories(specimen.questions).take(torch.tensor([], dtype=torch.long))
    answers = len(model(batch, NO_RNG).semantic)
    return Finding(answers == 0, f"{answers} answers to no question")


def gradients(specimen: Specimen) -> Finding:
    """Every parameter gets a gradient from its initial value, and all gradients are finite."""
    model, rng = build(specimen.name, specimen.config, specimen.vocabulary, 0), _step_rng()
    names = [name for name, _ in model.named_parameters()]
    reached = dict.fromkeys(names, False)
    for batch in specimen.questions.buckets:
        loss = model.loss(model(batch, rng), batch).mean()
        by_parameter = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)
        for name, gradient in zip(names, by_parameter, strict=True):
            if gradient is not None and not gradient.isfinite().all():
                return Finding(False, f"the gradient of {name} is not finite")
            reached[name] |= gradient is not None and bool(gradient.any())
    without = [name for name, has_gradient in reached.items() if not has_gradient]
    seen = f"none for {', '.join(without)}" if without else f"all {len(names)} parameters"
    return Finding(not without, seen)


def same_seed(specimen: Specimen) -> Finding:
    """One seed gives the same initial parameters each time, and the same losses with dropout."""
    one, other = (build(specimen.name, specimen.config, specimen.vocabulary, 0) for _ in range(2))
    for (name, value), again in zip(one.named_parameters(), other.parameters(), strict=True):
        if not torch.equal(value, again):
            return Finding(False, f"parameter {name} starts otherwise at the second call")
    batch, rng = _few_long_stories(specimen.questions), _step_rng()
    with torch.no_grad():
        losses = [one.loss(one(batch, rng), batch) for _ in range(2)]
    difference = float((losses[0] - losses[1]).abs().max())
    return Finding(torch.equal(*losses), f"two losses of one update differ by {difference:.0e}")


def without_facts(specimen: Specimen) -> Finding:
    """Answers are the same without the supporting facts, which stories of one's own may lack."""
    model, batch, words = specimen.model(), _few_long_stories(specimen.questions), len(specimen.questions.words)
    unknown = batch._replace(supporting=torch.zeros_like(batch.supporting))
    return _equal(probabilities(model, batch, words), probabilities(model, unknown, words))


def equivariance(specimen: Specimen) -> Finding:
    """Rename words that were never seen, and number symbols otherwise: the answer is renamed with them.

    It is Definition 1 of the symbol-shift paper for words without parameters of their own. A network that gives such
    words no probability has nothing to rename.
    """
    model, batch, words = specimen.model(), _few_long_stories(specimen.unseen), len(specimen.unseen.words)
    before = probabilities(model, batch, words)
    largest = float(before[:, len(specimen.vocabulary.words) + 1 :].max())
    if largest < TOLERANCE:
        return Finding(False, "no word that was never seen gets any probability")
    seen = words - len(specimen.unseen.unseen)
    names = torch.cat((torch.arange(seen), torch.arange(seen, words).flip(0)))
    after = probabilities(model, renamed(batch, names), words)
    return _equal(before, after[:, names])


def probabilities(model: Network, batch: Batch, words: int) -> Float[Tensor, "batch id"]:
    """Return the probability of each word id."""
    with torch.no_grad():
        return sum(model(batch, NO_RNG).component_probabilities(batch.symbols, words), torch.zeros(()))


def with_padding(batch: Batch, sentences: int, words: int, question_words: int, symbols: int, seed: int) -> Batch:
    """Add so many blank sentences, words, words of questions and symbols; `seed` says where the sentences go."""
    count = batch.story.shape[1]
    order = torch.randperm(count + sentences, generator=torch.Generator().manual_seed(seed))[:count].sort().values

    def spread(field: Tensor) -> Tensor:
        blank = field.new_zeros(len(field), count + sentences, *field.shape[2:])
        blank[:, order] = field
        return blank

    return Batch(
        story=spread(pad(batch.story, (0, words))),
        story_symbols=spread(pad(batch.story_symbols, (0, words))),
        question=pad(batch.question, (0, question_words)),
        question_symbols=pad(batch.question_symbols, (0, question_words)),
        symbols=pad(batch.symbols, (0, symbols)),
        answer=batch.answer,
        supporting=spread(batch.supporting),
    )


def renamed(batch: Batch, names: Int[Tensor, " id"]) -> Batch:
    """Put `names[id]` for each id, and count the symbols of a story from its last one."""
    order = torch.arange(batch.symbols.shape[1]).flip(0)

    def renumbered(symbols: Tensor, ids: Tensor) -> Tensor:
        return torch.where(ids > 0, order[symbols], 0)

    return Batch(
        story=names[batch.story],
        story_symbols=renumbered(batch.story_symbols, batch.story),
        question=names[batch.question],
        question_symbols=renumbered(batch.question_symbols, batch.question),
        symbols=names[batch.symbols][:, order],
        answer=names[batch.answer],
        supporting=batch.supporting,
    )


def _few_long_stories(questions: EncodedQuestions) -> Batch:
    """Take a few questions of the longest stories."""
    longest = questions.buckets[-1]
    return longest.take(torch.arange(min(6, len(longest.answer))))


def _step_rng() -> StepRng:
    return StepRng(fold_in([0], 0)[0], torch.tensor(0.0))


def _equal(one: Tensor, other: Tensor) -> Finding:
    difference = float((one - other).abs().max())
    return Finding(difference < TOLERANCE, f"probabilities differ by at most {difference:.0e}")
