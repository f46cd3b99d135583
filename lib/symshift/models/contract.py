"""The contract of `models.base`, tried out: what is wrong with a network is one line, before anything is trained.

Two models of the network are built as training builds them, and answer three questions under `torch.func.vmap`, forward
and backward. What training cannot go without raises an `InputError`: `try_out`. What it could go without, but should
not, is a list of lines: `Trial.faults`.
"""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import functional_call, vmap

from symshift.data.encoding import Batch, Vocabulary
from symshift.errors import InputError
from symshift.models.base import Network, Output
from symshift.models.registry import NETWORKS, find_network
from symshift.ops.rng import NO_RNG, NoRng, StepRng, fold_in

MODELS, QUESTIONS = 2, 3  # differ, so that no axis is taken for another
REASONS = {
    "Batching rule not implemented": "it cannot run for many models at once, as torch's nn.GRU and nn.LSTM cannot; "
    "write the loop over words with nn.Linear or ops.functional.project, as models/lstm.py does",
    "random operation": "random numbers are from torch's global generator; take them from `rng`",
    ".item()": "the value of a tensor is read on the host; .item(), int() and float() cannot run for many models",
    "data pointer": "the value of a tensor is read on the host; .tolist() and .numpy() cannot run for many models",
    "control flow": "an `if` or `while` depends on the value of a tensor; torch.where does not",
    "dynamic shape": "a shape depends on the values of a tensor, as that of x[x > 0] does; torch.where keeps the shape",
    "inplace": "a tensor is changed in place; make a new one",
}  # by what torch says of it
TRACE_AXES = {
    "alpha": "question sentence word ...",
    "alpha_question": "question question_word ...",
    "pointers": "question sentence word 2 head",
    "pointers_question": "question question_word 2 head",
    "entities": "question sentence 2 dim",
    "relations": "question sentence 3 dim",
    "query_entity": "question 1 dim",
    "query_relations": "question 3 dim",
    "read1": "question dim",
    "read2": "question dim",
    "attention": "question hop sentence",
}  # of inner values that `ask` shows
SHOWN_WITH = {
    "alpha": ("alpha_question",),
    "pointers": ("pointers_question",),
    "query_relations": ("entities", "relations", "query_entity", "read1", "read2"),
}  # what `ask` needs beside an inner value


class Trial(NamedTuple):
    """What two models of a network did.

    Attributes:
        name: The network's name in the registry.
        models: The models, of seeds 0 and 1.
        again: Another model of seed 0.
        losses: Of each model and question, in nats.
        gradients: Of the sum of losses, by parameter; None where the loss does not depend on it.
        logits: `semantic` and, if there are any, `symbolic` ones without dropout, with a leading model axis.
        symbol_mask: The symbols that are real.
    """

    name: str
    models: list[Network]
    again: Network
    losses: Tensor
    gradients: dict[str, Tensor | None]
    logits: dict[str, Tensor]
    symbol_mask: Tensor

    def faults(self) -> Iterator[str]:
        """Yield what is wrong, one line each, though the network could be trained."""
        title = _title(self.name, self.models[0])
        for (name, one), other in zip(self.models[0].named_parameters(), self.again.parameters(), strict=True):
            if not torch.equal(one.nan_to_num(), other.nan_to_num()):
                yield (
                    f"{title}.__init__ gives parameter {name!r} other values at the second call with the same seed; "
                    "initial values are from `generator` alone"
                )
                break
        for half, values in self.logits.items():
            mask = self.symbol_mask if half == "symbolic" else torch.tensor(True)
            if (values.isnan() & mask).any():
                yield f"{title}.forward gives `{half}` logits that are NaN at the initial parameters; numbers are right"
        if not self.losses.isfinite().all():
            bad = self.losses[~self.losses.isfinite()][0].item()
            yield f"{title}.loss is {bad} at the initial parameters; a finite number is right"
        for name, gradient in self.gradients.items():
            if gradient is None:
                yield (
                    f"{title}.forward makes no use of parameter {name!r}: it gets no gradient; "
                    "use it, or leave it out of __init__"
                )


def is_tested(name: str) -> bool:
    """Whether a network is of this library, whose tests ask more of it than `validate`."""
    return find_network(name).__module__.startswith("symshift.")


def validate(name: str, config: Any, vocabulary: Vocabulary, batch: Batch, sentences: int) -> None:
    """Raise an `InputError` for the first thing that is wrong with a network.

    Args:
        name: The network's name in the registry.
        config: One of its `Config`.
        vocabulary: The words of the stories.
        batch: Some questions, without a model axis.
        sentences: How many last sentences of a story are read at most.

    Raises:
        InputError: Something is wrong with it: what, and what would be right.
    """
    for fault in try_out(name, config, vocabulary, batch, sentences).faults():
        raise InputError(fault)


def try_out(name: str, config: Any, vocabulary: Vocabulary, batch: Batch, sentences: int) -> Trial:
    """Build two models and let them answer; the arguments are those of `validate`.

    They answer without dropout what only a test or a person asks, too: about words that are not in the vocabulary, and
    about longer stories.

    Raises:
        InputError: A method fails, or returns what training cannot use: which, and what would be right.
    """
    models = [build(name, config, vocabulary, seed) for seed in range(MODELS)]
    _check_state(name, models)
    questions = batch.take(torch.arange(QUESTIONS) % len(batch.answer)).to("cpu")
    stacked = {
        parameter: torch.stack([model.get_parameter(parameter).detach() for model in models]).requires_grad_()
        for parameter, _ in models[0].named_parameters()
    }
    own_questions = Batch(*(torch.stack([field] * MODELS) for field in questions))
    keys = fold_in(range(MODELS), 0)

    def call(parameters: dict[str, Tensor], batch: Batch, rng: StepRng | NoRng, case: str = "") -> Output:
        return _call(name, models[0], parameters, batch, rng, vocabulary, case)

    def loss(parameters: dict[str, Tensor], batch: Batch, key: Tensor) -> Tensor:
        output = call(parameters, batch, StepRng(key, torch.tensor(0.0)))
        return _loss(name, models[0], output, batch)

    def logits(parameters: dict[str, Tensor], batch: Batch, case: str = "") -> dict[str, Tensor]:
        output = call(parameters, batch, NO_RNG, case)
        return {"semantic": output.semantic} | ({} if output.symbolic is None else {"symbolic": output.symbolic})

    initial = {parameter: values.detach().clone() for parameter, values in stacked.items()}
    losses = vmap(loss)(stacked, own_questions, keys)
    _check_use(name, models[0], initial, stacked, losses)
    gradients = torch.autograd.grad(losses.sum(), list(stacked.values()), allow_unused=True)
    with torch.no_grad():
        answers = vmap(logits)(stacked, own_questions)
        _check_unchanged(name, models[0], questions, own_questions)
        other_answers = own_questions._replace(answer=own_questions.answer % len(vocabulary.words) + 1)
        _check_answer_unread(name, models[0], answers, vmap(logits)(stacked, other_answers))
        for case, unfamiliar in _unfamiliar(questions, vocabulary, sentences).items():
            vmap(partial(logits, batch=unfamiliar, case=case))(stacked)
    return Trial(
        name,
        models,
        build(name, config, vocabulary, 0),
        losses.detach(),
        dict(zip(stacked, gradients, strict=True)),
        answers,
        questions.symbols > 0,
    )


def _check_unchanged(name: str, model: Network, before: Batch, after: Batch) -> None:
    """Refuse a network that writes into its batch; `after` has an axis of models."""
    for field, ids_before, ids_after in zip(Batch._fields, before, after, strict=True):
        if not torch.equal(ids_before, ids_after[0]):
            raise InputError(f"{_title(name, model)}.forward changes `batch.{field}`; copy it before")


def _check_answer_unread(
    name: str, model: Network, logits: dict[str, Tensor], with_other_answers: dict[str, Tensor]
) -> None:
    """Refuse a network whose logits change with the right answer."""
    for half, values in logits.items():
        if not torch.equal(values.nan_to_num(), with_other_answers[half].nan_to_num()):
            complaint = "answers from `batch.answer`, which a test does not tell; leave it to `loss`"
            raise InputError(f"{_title(name, model)}.forward {complaint}")


def build(name: str, config: Any, vocabulary: Vocabulary, seed: int) -> Network:
    """Build one model of a network.

    Raises:
        InputError: Its `__init__` fails, or leaves out that of torch's modules.
    """
    network = find_network(name)
    with _one_line(name, network, "__init__"):
        model = network(config, vocabulary, torch.Generator().manual_seed(seed))
    if "_parameters" not in vars(model):
        raise InputError(f"{_title(name, model)}.__init__ has to call super().__init__() first")
    return model


def answer(model: Network, batch: Batch, vocabulary: Vocabulary) -> Output:
    """Answer with a trained model; its class may be another one than when it was trained.

    Raises:
        InputError: `forward` fails, or returns what nothing can be answered or shown from.
    """
    name = next((name for name, network in NETWORKS.items() if network is type(model)), type(model).__name__)
    with _one_line(name, type(model), "forward"):
        output = model(batch, NO_RNG)
    _check_output(name, model, output, batch, vocabulary)
    return output


def _unfamiliar(batch: Batch, vocabulary: Vocabulary, sentences: int) -> dict[str, Batch]:
    """Return questions that training may not have and a test may, by what is new in them."""
    known = len(vocabulary.words)
    longest_story = max(vocabulary.sentences, min(2 * vocabulary.sentences, sentences))
    longest_line, longest_question = 2 * vocabulary.words_a_sentence, 2 * vocabulary.words_a_question
    unseen = batch._replace(
        story=_above(batch.story, known),
        question=_above(batch.question, known),
        symbols=_above(batch.symbols, known),
        answer=_above(batch.answer, known),
    )
    longer = batch._replace(
        story=_repeated(batch.story, 1, longest_story),
        story_symbols=_repeated(batch.story_symbols, 1, longest_story),
        supporting=_repeated(batch.supporting, 1, longest_story),
    )
    wider = batch._replace(
        story=_repeated(batch.story, 2, longest_line),
        story_symbols=_repeated(batch.story_symbols, 2, longest_line),
        question=_repeated(batch.question, 1, longest_question),
        question_symbols=_repeated(batch.question_symbols, 1, longest_question),
    )
    return {
        f"on a word never seen in training: ids go above {known}, and `ops.functional.embed` reads them": unseen,
        f"on a story longer than those of training, of at most {vocabulary.sentences} sentences": longer,
        "on a sentence or a question longer than those of training": wider,
    }


def _above(ids: Tensor, known: int) -> Tensor:
    """Put an id above the vocabulary for each word."""
    return torch.where(ids > 0, ids + known, 0)


def _repeated(field: Tensor, axis: int, length: int) -> Tensor:
    """Repeat a field along an axis up to this length."""
    return field.index_select(axis, torch.arange(length) % field.shape[axis])


def _check_state(name: str, models: list[Network]) -> None:
    """Refuse what an ensemble or a file of weights cannot hold."""
    title = _title(name, models[0])
    parameters = dict(models[0].named_parameters())
    if not parameters:
        raise InputError(f"{title} has no parameters; at least one nn.Parameter is right")
    with _one_line(name, type(models[0]), "decays"):
        for parameter in parameters:
            models[0].decays(parameter)
    for parameter, value in parameters.items():
        if value.dtype != torch.float32 or not value.requires_grad:
            kind = str(value.dtype).removeprefix("torch.") if value.requires_grad else "frozen"
            raise InputError(f"{title}: parameter {parameter!r} is {kind}; float32 that requires a gradient is right")
    for entry in models[0].state_dict():
        if entry not in parameters:
            raise InputError(
                f"{title}: {entry!r} is stored and is no parameter of its own; "
                "register a buffer with persistent=False, and a shared parameter once"
            )
    for (buffer, one), other in zip(models[0].named_buffers(), models[1].buffers(), strict=True):
        if not torch.equal(one, other):
            raise InputError(f"{title}: buffer {buffer!r} depends on the seed; what does is an nn.Parameter")


def _call(
    name: str,
    model: Network,
    parameters: dict[str, Tensor],
    batch: Batch,
    rng: StepRng | NoRng,
    vocabulary: Vocabulary,
    case: str = "",
) -> Output:
    """Answer with a model, and check the shapes of what it returns; `case` says what is unfamiliar in the batch."""
    with _one_line(name, type(model), "forward", case):
        output = functional_call(model, parameters, (batch, rng))
    _check_output(name, model, output, batch, vocabulary)
    return output


def _check_output(name: str, model: Network, output: object, batch: Batch, vocabulary: Vocabulary) -> None:
    """Refuse what `forward` returns where it is no output, or has a part of another shape."""
    title = f"{_title(name, model)}.forward"
    if not isinstance(output, Output):
        raise InputError(f"{title} returns {_kind(output)}; an Output of symshift.models.base is right")
    questions, symbols = batch.symbols.shape
    words = len(vocabulary.words)
    _expect(title, "`semantic`", output.semantic, (questions, words), "questions by words of the vocabulary")
    if (output.symbolic is None) != (output.log_odds is None):
        raise InputError(f"{title} gives one of `symbolic` and `log_odds`; both are right, or neither")
    if output.symbolic is not None:
        _expect(title, "`symbolic`", output.symbolic, (questions, symbols), "questions by context symbols")
        shape = (questions,) if isinstance(output.log_odds, Tensor) and output.log_odds.ndim else ()
        _expect(title, "`log_odds`", output.log_odds, shape, "one number, or one for each question")
    if model.explains_answers:
        _expect(title, "`alignment`", output.alignment, (questions, batch.story.shape[1]), "questions by sentences")
    _check_trace(title, output.trace, batch)


def _check_trace(title: str, trace: object, batch: Batch) -> None:
    """Refuse a trace that is no dict of tensors, or that `ask` cannot show."""
    if not isinstance(trace, dict):
        raise InputError(f"{title} gives the trace {_kind(trace)}; a dict of tensors by name is right, or an empty one")
    sizes = dict(zip(("question", "sentence", "word"), batch.story.shape, strict=True))
    sizes |= {"question_word": batch.question.shape[1]}
    for entry, value in trace.items():
        if not isinstance(value, Tensor):
            raise InputError(f"{title} gives {_kind(value)} as {entry!r} of the trace; a tensor is right")
        axes = TRACE_AXES.get(entry, "...")
        if not _fits(tuple(value.shape), axes.split(), sizes):
            raise InputError(
                f"{title} gives {entry!r} of the trace of shape {tuple(value.shape)}; the axes {axes} are right"
            )
        for other in SHOWN_WITH.get(entry, ()):
            if other not in trace:
                raise InputError(f"{title} gives {entry!r} of the trace without {other!r}; both are right, or neither")


def _fits(shape: tuple[int, ...], axes: list[str], sizes: dict[str, int]) -> bool:
    """Return whether a shape has these axes; more may follow where the last is `...`."""
    if axes[-1] == "...":
        axes = axes[:-1]
        shape = shape[: len(axes)]
    expected = [int(axis) if axis.isdigit() else sizes.get(axis) for axis in axes]
    return len(shape) == len(axes) and all(size in (None, actual) for size, actual in zip(expected, shape, strict=True))


def _check_use(
    name: str, model: Network, initial: dict[str, Tensor], parameters: dict[str, Tensor], losses: Tensor
) -> None:
    """Refuse a forward pass that changes parameters, and a loss that depends on none."""
    title = f"{_title(name, model)}.forward"
    for parameter, values in initial.items():
        if not torch.equal(values.nan_to_num(), parameters[parameter].nan_to_num()):
            raise InputError(f"{title} changes parameter {parameter!r}; training alone does, from its gradient")
    if not losses.requires_grad:
        raise InputError(
            f"{title} makes no use of any parameter: the loss has no gradient; "
            "answer from parameters, without .detach() and torch.no_grad()"
        )


def _loss(name: str, model: Network, output: Output, batch: Batch) -> Tensor:
    with _one_line(name, type(model), "loss"):
        loss = model.loss(output, batch)
    _expect(f"{_title(name, model)}.loss", "losses", loss, tuple(batch.answer.shape), "a number for each question")
    return loss


def _expect(title: str, what: str, value: object, shape: tuple[int, ...], axes: str) -> None:
    if not isinstance(value, Tensor):
        raise InputError(f"{title} gives {what} {_kind(value)}; a tensor of shape {shape} is right: {axes}")
    if tuple(value.shape) != shape:
        raise InputError(f"{title} gives {what} of shape {tuple(value.shape)}; {shape} is right: {axes}")


@contextmanager
def _one_line(name: str, network: type[Network], method: str, case: str = "") -> Iterator[None]:
    """Turn what a method raises into one line that names the method and the line of its source."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        text = (str(error).strip() or "no message").splitlines()[0]
        reason = next((reason for phrase, reason in REASONS.items() if phrase in str(error)), "")
        complaint = f": {reason}" if reason else f" raises {type(error).__name__}: {text}"
        if case:
            complaint = f" fails {case} ({type(error).__name__}: {text})"
        source = _source(error, getattr(network, method))
        raise InputError(f"network {name!r}: {network.__name__}.{method}{complaint}{source}") from error


def _source(error: BaseException, method: Callable[..., Any]) -> str:
    """Quote the deepest line of the method's file that was running."""
    file = method.__code__.co_filename if hasattr(method, "__code__") else ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if not frames:
        return ""
    return f" (in `{frames[-1].line}`)" if frames[-1].line else f" (in line {frames[-1].lineno})"


def _title(name: str, model: Network) -> str:
    return f"network {name!r}: {type(model).__name__}"


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
