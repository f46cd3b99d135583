"""The contract of `models.base`, tried out: what is wrong with a network is one line, before anything is trained.

Two models of the network are built as training builds them, and answer three questions under `torch.func.vmap`, forward
and backward. What training cannot go without raises an `InputError`: `try_out`. What it could go without, but should
not, is a list of lines: `Trial.faults`.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn.parameter import is_lazy

from symshift.data.encoding import Batch, Vocabulary
from symshift.errors import InputError
from symshift.models.base import Network, Output
from symshift.models.contract_errors import network_title, translate_method_errors
from symshift.models.contract_output import check_output, expect_shape
from symshift.models.contract_questions import unfamiliar_questions
from symshift.models.contract_trial import Trial
from symshift.models.registry import NETWORKS, find_network
from symshift.ops.rng import NO_RNG, NoRng, StepRng, fold_in

MODELS, QUESTIONS = 2, 3  # differ, so that no axis is taken for another


def is_built_in(name: str) -> bool:
    """Return whether a network is of this library, whose tests ask more of it than `validate`."""
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
    model, title = models[0], network_title(name, models[0])
    questions = batch.take(torch.arange(QUESTIONS) % len(batch.answer)).to("cpu")
    stacked = {
        parameter: torch.stack([each.get_parameter(parameter).detach() for each in models]).requires_grad_()
        for parameter, _ in model.named_parameters()
    }
    own_questions = Batch(*(torch.stack([field] * MODELS) for field in questions))
    keys = fold_in(range(MODELS), 0)

    def call(parameters: dict[str, Tensor], batch: Batch, rng: StepRng | NoRng, case: str = "") -> Output:
        with translate_method_errors(name, type(model), "forward", case):
            output = functional_call(model, parameters, (batch, rng))
        check_output(name, model, output, batch, vocabulary)
        return output

    def loss(parameters: dict[str, Tensor], batch: Batch, key: Tensor) -> Tensor:
        output = call(parameters, batch, StepRng(key, torch.tensor(0.0)))
        with translate_method_errors(name, type(model), "loss"):
            losses = model.loss(output, batch)
        expect_shape(f"{title}.loss", "losses", losses, tuple(batch.answer.shape), "a number for each question")
        return losses

    def logits(parameters: dict[str, Tensor], batch: Batch, case: str = "") -> dict[str, Tensor]:
        output = call(parameters, batch, NO_RNG, case)
        return {"semantic": output.semantic} | ({} if output.symbolic is None else {"symbolic": output.symbolic})

    initial = {parameter: values.detach().clone() for parameter, values in stacked.items()}
    losses = vmap(loss)(stacked, own_questions, keys)
    _check_use(title, initial, stacked, losses)
    gradients = torch.autograd.grad(losses.sum(), list(stacked.values()), allow_unused=True)
    with torch.no_grad():
        answers = vmap(logits)(stacked, own_questions)
        _check_unchanged(title, questions, own_questions)
        if not _are_equal(answers, vmap(logits)(stacked, own_questions)):
            raise InputError(
                f"{title}.forward gives other answers to the same batch; "
                "take random numbers from `rng`, and keep nothing between calls"
            )
        other_answers = own_questions._replace(answer=own_questions.answer % len(vocabulary.words) + 1)
        if not _are_equal(answers, vmap(logits)(stacked, other_answers)):
            raise InputError(
                f"{title}.forward answers from `batch.answer`, which a test does not tell; leave it to `loss`"
            )
        for case, unfamiliar in unfamiliar_questions(questions, vocabulary, sentences).items():
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


def _check_unchanged(title: str, before: Batch, after: Batch) -> None:
    """Refuse a network that writes into its batch; `after` has an axis of models."""
    for field, ids_before, ids_after in zip(Batch._fields, before, after, strict=True):
        if not torch.equal(ids_before, ids_after[0]):
            raise InputError(f"{title}.forward changes `batch.{field}`; copy it before")


def _are_equal(logits: dict[str, Tensor], others: dict[str, Tensor]) -> bool:
    """Return whether two answers have equal logits."""
    return logits.keys() == others.keys() and all(
        torch.equal(values.nan_to_num(), others[half].nan_to_num()) for half, values in logits.items()
    )


def build(name: str, config: Any, vocabulary: Vocabulary, seed: int) -> Network:
    """Build one model of a network.

    Raises:
        InputError: Its `__init__` fails, or leaves out that of torch's modules.
    """
    network = find_network(name)
    with translate_method_errors(name, network, "__init__"):
        model = network(config, vocabulary, torch.Generator().manual_seed(seed))
    if "_parameters" not in vars(model):
        raise InputError(f"{network_title(name, model)}.__init__ has to call super().__init__() first")
    return model


def answer(model: Network, batch: Batch, vocabulary: Vocabulary) -> Output:
    """Answer with a trained model; its class may be another one than when it was trained.

    Raises:
        InputError: `forward` fails, or returns what nothing can be answered or shown from.
    """
    name = next((name for name, network in NETWORKS.items() if network is type(model)), type(model).__name__)
    with translate_method_errors(name, type(model), "forward"):
        output = model(batch, NO_RNG)
    check_output(name, model, output, batch, vocabulary)
    return output


def _check_state(name: str, models: list[Network]) -> None:
    """Refuse what an ensemble or a file of weights cannot hold."""
    title = network_title(name, models[0])
    parameters = dict(models[0].named_parameters())
    _check_parameters(title, models[0])
    if not parameters:
        raise InputError(f"{title} has no parameters; at least one nn.Parameter is right")
    with translate_method_errors(name, type(models[0]), "decays"):
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


def _check_parameters(title: str, model: Network) -> None:
    """Refuse parameters that no module registers, and those without a shape."""
    for attribute, kind in _unregistered(model):
        raise InputError(
            f"{title}: a parameter in the {kind} {attribute!r} is not registered, so it is neither trained nor stored; "
            "nn.ParameterList or nn.ParameterDict is right, or nn.ModuleList or nn.ModuleDict for modules"
        )
    for parameter, value in model.named_parameters():
        if is_lazy(value):
            raise InputError(
                f"{title}.__init__ leaves parameter {parameter!r} without a shape, as a lazy module does; "
                "give its sizes in __init__"
            )


def _unregistered(model: Network) -> Iterator[tuple[str, str]]:
    """Yield each plain list, tuple or dict with parameters that no module registers: attribute and type."""
    registered = {id(parameter) for parameter in model.parameters()}
    for module_name, module in model.named_modules():
        for attribute, value in vars(module).items():
            entries = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
            modules = [entry for entry in entries if isinstance(entry, nn.Module)]
            inside = [parameter for entry in modules for parameter in entry.parameters()]
            parameters = [entry for entry in entries if isinstance(entry, nn.Parameter)]
            if any(id(parameter) not in registered for parameter in (*parameters, *inside)):
                yield f"{module_name}.{attribute}".removeprefix("."), type(value).__name__


def _check_use(title: str, initial: dict[str, Tensor], parameters: dict[str, Tensor], losses: Tensor) -> None:
    """Refuse a forward pass that changes parameters, and a loss that depends on none."""
    for parameter, values in initial.items():
        if not torch.equal(values.nan_to_num(), parameters[parameter].nan_to_num()):
            raise InputError(f"{title}.forward changes parameter {parameter!r}; training alone does, from its gradient")
    if not losses.requires_grad:
        raise InputError(
            f"{title}.forward makes no use of any parameter: the loss has no gradient; "
            "answer from parameters, without .detach() and torch.no_grad()"
        )
