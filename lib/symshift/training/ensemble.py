"""Many models of one shape trained as one.

The parameters of S models lie in one tensor of S rows. A step is one vmapped forward and backward pass over them all,
each with its own examples and its own randomness, one clip a row, and one optimizer. What a model does is a function of
its seed and the update alone. So it is the same alone and in any ensemble, bit for bit on a CPU with MKL. That matters:
where a gradient is nothing but rounding, as at the start of stpr, Adam makes whole steps of it. Hence MKL's strict
mode, in which a product rounds alike wherever its numbers lie, and rows of whole registers. On the widest vectors of
the CPU it costs nothing: 85 microseconds for a product of 640 x 100 by 100 x 100, 88 without, 130 if kept to AVX2.
MKL promises it on Intel's processors, and an AMD EPYC does so too. There products of a matrix and a vector rounded
otherwise in an ensemble of one, so they are written as sums, which are no slower.

A model alone is called without vmap (`for_each_model`), which makes its updates 1.2 to 1.65 times as fast.

On a GPU an update is one CUDA graph for each shape of a batch (`cuda_graphs`).
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.func import vmap
from torch.nn.functional import pad

from symshift.config import RunConfig, TrainingConfig
from symshift.data.encoding import Batch, Vocabulary
from symshift.models import NETWORKS
from symshift.models.base import Network
from symshift.ops.rng import NO_RNG, Site, StepRng
from symshift.training.cuda_graphs import Graphs
from symshift.training.optimizers import Adam, Optimizer, Sgd
from symshift.training.stateless import StatelessNetwork

os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")  # MKL reads it at its first product

REGISTERS = 32  # numbers that torch takes at a time, two of the widest vector registers; the rest rounds otherwise
NO_ANSWER = 0  # the id of padding, which is no question's answer


class Ensemble:
    """S models and their optimizer.

    `torch.func.stack_module_state` would give each parameter a tensor of its own; one tensor of all needs one clip and
    one optimizer step, and its rows are padded to whole registers.

    Attributes:
        template: The network through which every model is called.
        call_template: Calls it with the parameters of a model.
        weights: Row i has the parameters of model i, then padding.
        rate: The learning rate of the current update.
        decay: The weight decay of each parameter of a row, or None where none decays.
        hidable_words: Which words, from id 1 on, answer dropout may hide from the semantic half; None: every word.
    """

    def __init__(
        self,
        models: Sequence[Network],
        training: TrainingConfig,
        device: str | torch.device,
        hidable_words: Bool[Tensor, " word"] | None = None,
    ):
        self.template = models[0].to(device)
        self.call_template = StatelessNetwork(self.template)
        self.training = training
        self.names = [name for name, _ in models[0].named_parameters()]
        self.shapes = [parameter.shape for _, parameter in models[0].named_parameters()]
        rows = [nn.utils.parameters_to_vector(model.parameters()).detach().cpu() for model in models]
        padding = (0, -len(rows[0]) % REGISTERS)
        self.weights = torch.stack([pad(row, padding) for row in rows]).to(device).requires_grad_()
        self.decay = self.decay_row() if training.weight_decay else None
        self.hidable_words = None if hidable_words is None else hidable_words.to(device)
        self.restore({})

    @classmethod
    def untrained(
        cls,
        config: RunConfig,
        vocabulary: Vocabulary,
        seeds: Sequence[int],
        device: str | torch.device,
        hidable_words: Bool[Tensor, " word"] | None = None,
    ) -> "Ensemble":
        """Build the models of a config before their first update, one for each seed."""
        build = NETWORKS[config.network]
        models = [build(config.network_config, vocabulary, torch.Generator().manual_seed(seed)) for seed in seeds]
        return cls(models, config.training, device, hidable_words)

    def restore(self, state: dict[str, Tensor]) -> None:
        """Create the optimizer of the present weights, with this state; an empty state is that of the first update."""
        device = self.weights.device
        on_gpu = device.type == "cuda"
        # a tensor, so that a CUDA graph reads the rate of each update from it; on a GPU a fused optimizer wants float32
        self.rate = torch.zeros((), dtype=torch.float32 if on_gpu else torch.float64, device=device)
        self.optimizer: Optimizer
        if self.training.optimizer == "adam":
            self.optimizer = Adam(self.weights, (self.training.beta1, self.training.beta2), state, self.decay)
        else:
            self.optimizer = Sgd(self.decay)
        self.graphs = Graphs(self.train_step, device) if on_gpu else None

    def decay_row(self) -> Float[Tensor, "1 parameter"]:
        """Return the weight decay of each parameter of a row: none for what the network keeps, and for padding."""
        row = torch.zeros_like(self.weights[:1], requires_grad=False)
        for name, part in self.unflatten(row).items():
            part.fill_(self.training.weight_decay if self.template.decays(name) else 0.0)
        return row

    def unflatten(self, weights: Float[Tensor, "*model parameter"]) -> dict[str, Tensor]:
        """Return views of the rows, by parameter name; their first axis is the model, where there is one."""
        sizes, models = [shape.numel() for shape in self.shapes], weights.shape[:-1]
        *parts, _ = weights.split([*sizes, weights.shape[-1] - sum(sizes)], dim=-1)
        return {
            name: part.view((*models, *shape)) for name, part, shape in zip(self.names, parts, self.shapes, strict=True)
        }

    def step(self, batch: Batch, keys: Int[Tensor, "model 2"], update: int) -> Float[Tensor, " model"]:
        """Update every model on its own batch.

        Args:
            batch: The fields of a batch with a leading model axis.
            keys: Of each model's randomness at this update, from `fold_in`.
            update: The number of this update, from 0.

        Returns:
            The losses before the update, in nats an example.
        """
        self.rate.fill_(self.learning_rate(update))
        return (self.graphs or self.train_step)(keys, torch.full((), update, device=keys.device), *batch)

    def train_step(
        self, keys: Int[Tensor, "model 2"], update: Int[Tensor, ""], *fields: Tensor
    ) -> Float[Tensor, " model"]:
        """Update as a function of tensors alone; `fields` are those of the batch."""
        losses, gradient = self.gradient(keys, update, Batch(*fields))
        self.optimizer.step(self.weights, gradient, self.rate)
        return losses

    def gradient(
        self, keys: Int[Tensor, "model 2"], update: Int[Tensor, ""], batch: Batch
    ) -> tuple[Float[Tensor, " model"], Float[Tensor, "model parameter"]]:
        """Return the loss of every model on its own batch, and its clipped gradient."""
        progress = update / self.training.updates

        def loss(parameters: dict[str, Tensor], batch: Batch, key: Tensor) -> Tensor:
            rng = StepRng(key, progress)
            output = self.call_template(parameters, batch, rng)
            if self.training.answer_dropout:
                examples = torch.arange(len(batch.answer), device=key.device)
                keep = rng.bernoulli(1 - self.training.answer_dropout, Site.ANSWER_WORDS, examples)
                output = output.hide_context(batch.symbols, keep, self.hidable_words)
            return self.template.loss(output, batch).mean()

        losses = self.for_each_model(loss, self.weights, batch, keys)
        (gradient,) = torch.autograd.grad(losses.sum(), self.weights)
        norm = gradient.norm(dim=-1, keepdim=True)
        return losses.detach(), gradient * (self.training.clip / norm).clamp(max=1)

    def learning_rate(self, update: int) -> float:
        """Return the rate of an update: halved every `halve_every` updates."""
        every = self.training.halve_every
        return self.training.learning_rate * 0.5 ** (update // every if every else 0)

    @torch.no_grad()
    def evaluate(
        self, weights: Float[Tensor, "model parameter"], batch: Batch, words: int
    ) -> tuple[Float[Tensor, "model batch"], Int[Tensor, "model batch"]]:
        """Answer questions without dropout.

        Args:
            weights: The models.
            batch: Each model's own with a leading model axis, or one for all.
            words: How many word ids there are, padding included.

        Returns:
            The loss of each question in nats, and the id of the likeliest word; NO_ANSWER where a probability is no
            number, so that it counts as wrong.
        """

        def evaluate_model(parameters: dict[str, Tensor], batch: Batch = batch) -> tuple[Tensor, Tensor]:
            output = self.call_template(parameters, batch, NO_RNG)
            semantic, symbolic = output.component_probabilities(batch.symbols, words)
            probability = semantic + symbolic
            answer = torch.where(probability.isfinite().all(-1), probability.argmax(-1), NO_ANSWER)
            return self.template.loss(output, batch), answer

        own_batches = [batch] if batch.answer.ndim == 2 else []
        return self.for_each_model(evaluate_model, weights, *own_batches)

    @torch.no_grad()
    def alignment(
        self, weights: Float[Tensor, "model parameter"], batch: Batch
    ) -> Float[Tensor, "model batch sentence"]:
        """Return how sure each model of temporal attention is that a sentence supports the answer."""

        def align_model(parameters: dict[str, Tensor]) -> Tensor:
            return self.call_template(parameters, batch, NO_RNG).alignment

        return self.for_each_model(align_model, weights)

    def for_each_model(
        self, function: Callable[..., Any], weights: Float[Tensor, "model parameter"], *own: Batch | Tensor
    ) -> Any:
        """Call a function of one model for every model of a stack.

        A single model is called as it is: vmap would make its update 1.2 to 1.65 times as slow. Networks that multiply
        with `project` and normalize with `LayerNorm` have the same bits either way.

        Args:
            function: Of a model's parameters by name and what it has of its own; returns a tensor, or a tuple of some.
            weights: The models.
            own: What each model has of its own, the model axis first.

        Returns:
            What the function returns, with a first axis for the model.
        """

        def call(row: Tensor, *own: Any) -> Any:
            return function(self.unflatten(row), *own)

        if len(weights) > 1:
            return vmap(call)(weights, *own)
        alone = [Batch(*(field[0] for field in value)) if isinstance(value, Batch) else value[0] for value in own]
        result = call(weights.squeeze(0), *alone)  # the gradient of a squeeze is a view, that of an index a copy
        return tuple(part[None] for part in result) if isinstance(result, tuple) else result[None]

    def select(self, rows: Int[Tensor, " remaining"]) -> None:
        """Go on with these models alone."""
        state = self.optimizer.state
        self.weights = self.weights.detach()[rows].requires_grad_()
        self.restore({name: value[rows] if value.ndim == 2 else value for name, value in state.items()})
