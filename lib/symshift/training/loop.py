"""One protocol for every model: 90% of the stories to learn from, 10% to select on, the test at the very end.

A model's chosen weights are those with the fewest validation errors, among equals the lowest validation loss. It stops
after `updates` updates, when its best validation is `patience` updates old, or when validation has no error and a loss
below `solved`. The loss is the one that training minimizes, in nats. A model that fails starts again from another seed
(`stopping.why_failed`), and the record says how often.
"""

import json
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from symshift.config import RunConfig
from symshift.cpu import single_threaded_cpu
from symshift.data.encoding import EncodedQuestions, Vocabulary, encode
from symshift.errors import InputError
from symshift.models.contract import is_built_in, validate
from symshift.ops.rng import fold_in
from symshift.paths import remove
from symshift.runs.lock import remove_dead_locks, run_locks
from symshift.runs.provenance import provenance
from symshift.runs.record import check_record
from symshift.runs.store import Store
from symshift.training import checkpoint, supporting_facts
from symshift.training.arguments import check_config, check_seeds, stories_error
from symshift.training.checkpoint import checkpoint_file
from symshift.training.data import Data
from symshift.training.device import resolve_device, translate_memory_errors
from symshift.training.ensemble import Ensemble
from symshift.training.evaluate import all_errors, evaluate_split
from symshift.training.progress import Progress
from symshift.training.replica import BestValidation, Replica
from symshift.training.run_record import run_record
from symshift.training.splits import TrainValSplits
from symshift.training.stopping import MAX_ATTEMPTS, has_finished, why_failed

SECONDS_BETWEEN_CHECKPOINTS = 30
# attributes of `Training` that a checkpoint has, with their types
STATE_TYPES = {"update": int, "model_updates": int, "seconds": float, "ensemble_size": int}


def train(
    config: RunConfig,
    seeds: Sequence[int],
    outputs: str | None = None,
    device: str = "auto",
    stories: Data | None = None,
) -> list[str]:
    """Train one model per seed, all as one ensemble.

    Runs that the store has are not trained again; a killed training goes on from its last checkpoint. A second training
    of a run waits for the first one.

    Args:
        config: The settings, from `configure`.
        seeds: Whole numbers from 0 to 999,999.
        outputs: The folder of the store; by default `SYMSHIFT_OUTPUTS`, or outputs/ of the repository.
        device: `auto`, `cpu`, `cuda`, or a GPU by its number, such as `cuda:1`.
        stories: Other stories than those the config names (renamed, or from a file).

    Returns:
        The run ids, in the order of the seeds.

    Raises:
        InputError: An argument is of a wrong kind; the stories, the device, the store or a checkpoint cannot be used;
            a network from elsewhere breaks the contract of `symshift.models.base`; memory is too small; a model has
            diverged in all of its attempts; or a run cannot be written, or its record is refused.
    """
    check_config(config)
    seeds = check_seeds(seeds)
    if not isinstance(stories, Data | None):
        raise stories_error(stories)
    store = Store(outputs)
    data = stories or Data.load(config)
    torch_device = resolve_device(device)
    config = data.describe(config)
    run_ids = {seed: config.id(seed, data.key) for seed in seeds}
    if not all(store.has(run) for run in run_ids.values()):
        store.prepare()
    with single_threaded_cpu(), run_locks(store.outputs, [run for run in run_ids.values() if not store.has(run)]):
        while missing := [seed for seed in seeds if not store.has(run_ids[seed])]:
            replicas = [Replica(seed, store.attempts(run_ids[seed])) for seed in missing]
            replicas = [replica for replica in replicas if replica.attempt < MAX_ATTEMPTS]
            if not replicas:
                raise _divergence_error(config, data, missing[0])
            with translate_memory_errors(_label(config, data, len(replicas))):
                Training(config, data, replicas, run_ids, store, torch_device).run()
    remove(checkpoint_file(store.outputs, run_ids.values()))  # which a kill after the last record leaves
    remove_dead_locks(store.outputs, run_ids.values())
    return [run_ids[seed] for seed in seeds]


class Training:
    """The training of an ensemble from its first update, or its last checkpoint, to its last record."""

    def __init__(
        self,
        config: RunConfig,
        data: Data,
        replicas: list[Replica],
        run_ids: dict[int, str],
        store: Store,
        device: torch.device,
    ):
        self.config, self.data, self.run_ids, self.store, self.device = config, data, run_ids, store, device
        self.vocabulary = Vocabulary.of(data.train, config.sentences, config.training.answers == "items")
        self.questions = encode((*data.train, *data.valid), self.vocabulary, config.sentences).to(device)
        self.hidable_words = self._hidable_words() if config.training.answer_dropout else None
        if not is_built_in(config.network):
            batch = self.questions.buckets[0]
            validate(config.network, config.network_config, self.vocabulary, batch, config.sentences)
        self.checkpoint = checkpoint_file(store.outputs, run_ids.values())
        self.update = 0
        self.model_updates = 0
        self.seconds = 0.0
        self.ensemble_size = len(replicas)
        if self.checkpoint.exists():
            self._resume()
        else:
            self.replicas = replicas
            self.ensemble = self._new_ensemble()
            self.best_weights = self.ensemble.weights.detach().clone()
            self.loss_sums = torch.zeros(len(replicas), device=device)
            self._set_splits()

    def run(self) -> None:
        """Train until every model has its record or has failed."""
        label = _label(self.config, self.data, len(self.replicas))
        progress = Progress(label, self.config.training.updates, self.update)
        last_validation = last_checkpoint = time.monotonic()
        while self.replicas:
            self._step()
            if self.update % self.config.training.evaluate_every and self.update < self.config.training.updates:
                continue
            self._validate()
            now = time.monotonic()
            self.seconds += now - last_validation
            last_validation = now
            self._retire_finished()
            if not self.replicas:
                break
            errors = ", ".join(f"{replica.best.error:.0f}" for replica in self.replicas)
            progress.show(self.update, f"best validation errors {errors} %")
            if time.monotonic() - last_checkpoint > SECONDS_BETWEEN_CHECKPOINTS:
                self._save_checkpoint()
                last_checkpoint = time.monotonic()
        progress.close()
        remove(self.checkpoint)

    def _step(self) -> None:
        keys = fold_in(self._rng_seeds(), self.update, self.device)
        batch = self.splits.batch(keys, self.update, self.config.training.batch)
        self.loss_sums += self.ensemble.step(batch, keys, self.update)
        self.update += 1
        self.model_updates += len(self.replicas)

    def _validate(self) -> None:
        scores = evaluate_split(self.ensemble, self.ensemble.weights, self.splits, "valid")
        for row, replica in enumerate(self.replicas):
            loss = self.loss_sums[row].item() / (self.update - replica.validated_at)
            if replica.validate(self.update, loss, scores.errors[row], scores.losses[row]):
                self.best_weights[row] = self.ensemble.weights.detach()[row]
        self.loss_sums.zero_()

    def _retire_finished(self) -> None:
        """Write the records of models that have finished, note those that have failed, and go on with the others."""
        finite = self.ensemble.weights.detach().isfinite().all(-1).tolist()
        remaining = []
        for row, replica in enumerate(self.replicas):
            if reason := why_failed(replica, self.update, self.config.training, finite[row]):
                error = {"attempts": replica.attempt + 1, "update": self.update, "reason": reason}
                self.store.fail(self.run_ids[replica.seed], error)
            elif has_finished(replica, self.update, self.config.training):
                self._write(row, replica)
            else:
                remaining.append(row)
        if len(remaining) < len(self.replicas):
            self._select(remaining)

    def _select(self, remaining: list[int]) -> None:
        """Go on with the models of these rows alone."""
        rows = torch.tensor(remaining, dtype=torch.long, device=self.device)
        self.replicas = [self.replicas[row] for row in remaining]
        self.best_weights, self.loss_sums = self.best_weights[rows], self.loss_sums[rows]
        self.ensemble.select(rows)
        self._set_splits()

    def _new_ensemble(self) -> Ensemble:
        return Ensemble.untrained(self.config, self.vocabulary, self._rng_seeds(), self.device, self.hidable_words)

    def _hidable_words(self) -> Bool[Tensor, " word"]:
        """Return which words answer dropout may hide: those that stand in every story whose answer they are.

        The *wolf* of task 15 is not one of them: it is also the answer where the story has *wolves* alone.
        """
        return encode(self.data.train, self.vocabulary, self.config.sentences).answers_in_context()

    def _rng_seeds(self) -> list[int]:
        return [replica.rng_seed for replica in self.replicas]

    def _set_splits(self) -> None:
        if self.replicas:
            self.splits = self.data.split(self.questions, [replica.seed for replica in self.replicas])

    @cached_property
    def tests(self) -> dict[str, EncodedQuestions]:
        """The test sets, which no model meets before its record."""
        return self.data.tests(self.vocabulary, self.config.sentences, self.device)

    def _write(self, row: int, replica: Replica) -> None:
        weights, splits = self.best_weights[row : row + 1], self.splits.select(row)
        record = run_record(
            config=self.config.flat(),
            seed=replica.seed,
            errors=all_errors(self.ensemble, weights, splits, self.tests),
            chosen_update=replica.best.update,
            updates=self.update,
            restarts=replica.attempt,
            seconds=self.seconds,
            model_updates=self.model_updates,
            ensemble_size=self.ensemble_size,
            provenance=self._provenance(),
            facts=self._score_facts(weights, splits),
        )
        parameters = {name: value[0].clone() for name, value in self.ensemble.unflatten(weights.cpu()).items()}
        metadata = {"vocabulary": json.dumps(vars(self.vocabulary)), "sentences": str(self.config.sentences)}
        run = self.run_ids[replica.seed]
        self.store.write(run, record, pd.DataFrame(replica.curve), parameters, metadata)
        self._check_finished(run, record)

    def _provenance(self) -> dict[str, str | bool]:
        """Return code, libraries and machine, and the stories; of a network from elsewhere also its code."""
        entries = provenance(self.device)
        entries |= {"data": self.data.checksum, "stories": self.data.name or self.data.source}
        return entries | {"code": self.config.code} if self.config.code else entries

    def _score_facts(self, weights: Float[Tensor, "1 parameter"], splits: TrainValSplits) -> dict[str, float] | None:
        """Score a model's supporting facts; None where the network names none, or the test has none."""
        if self.ensemble.template.explains_answers and any(question.supporting for question in self.data.test):
            return supporting_facts.score_model(self.ensemble, weights, splits, self.tests["test"])
        return None

    def _check_finished(self, run: str, record: dict[str, Any]) -> None:
        """Stop where the store does not take a run for finished: it would be trained again, without end."""
        if self.store.has(run):
            return
        try:
            check_record(record)
        except ValueError as error:
            remedy = "mend that and start the same training again"
            raise InputError(f"run {run} is trained, but its record is refused ({error}); {remedy}") from None
        self.store.record(run)  # its file cannot be read: this says why

    def _save_checkpoint(self) -> None:
        state: dict[str, Any] = {name: getattr(self, name) for name in STATE_TYPES}
        tensors = {"weights": self.ensemble.weights, "best": self.best_weights, "losses": self.loss_sums}
        tensors |= {f"optimizer.{name}": value for name, value in self.ensemble.optimizer.state.items()}
        state["replicas"] = [vars(replica) for replica in self.replicas]
        try:
            checkpoint.save(self.checkpoint, tensors, state)
        except OSError as error:
            print(f"{self.checkpoint} cannot be written ({error.strerror}); training goes on", flush=True)

    def _resume(self) -> None:
        """Go on from the checkpoint with those of its models that the store has no run of by now."""
        tensors, state = checkpoint.load(self.checkpoint, [*STATE_TYPES, "replicas"])
        with checkpoint.translate_checkpoint_errors(self.checkpoint):
            for name, kind in STATE_TYPES.items():
                setattr(self, name, kind(state[name]))
            self.replicas = [Replica(**row | {"best": BestValidation(*row["best"])}) for row in state["replicas"]]
            self.ensemble = self._new_ensemble()
            shape, count = self.ensemble.weights.shape, len(self.replicas)
            shapes = {"weights": shape, "best": shape, "losses": (count,)}
            if any(tensors[name].shape != expected for name, expected in shapes.items()):
                raise ValueError("of other models")
            if any(replica.seed not in self.run_ids for replica in self.replicas) or self.update < 0:
                raise ValueError("of other runs")
            self.ensemble.weights = tensors["weights"].to(self.device).requires_grad_()
            self.best_weights, self.loss_sums = tensors["best"].to(self.device), tensors["losses"].to(self.device)
            names = [name for name in tensors if name.startswith("optimizer.")]
            self.ensemble.restore({name.removeprefix("optimizer."): tensors[name] for name in names})
        runs = [self.run_ids[replica.seed] for replica in self.replicas]
        self._select([row for row, run in enumerate(runs) if not self.store.has(run)])


def _label(config: RunConfig, data: Data, seeds: int) -> str:
    """Return a training as output names it."""
    return f"{config.model} {data.title(config.task)}, {seeds} seed{'s' if seeds > 1 else ''}"


def _divergence_error(config: RunConfig, data: Data, seed: int) -> InputError:
    keys = getattr(config.network_config, "keys", "")
    alternative = "the setting `keys: bounded` or " if keys == "free" else ""
    return InputError(
        f"{config.model} on {data.title(config.task)} diverged {MAX_ATTEMPTS} times with seed {seed}; "
        f"try {alternative}a lower learning_rate than {config.training.learning_rate}"
    )
