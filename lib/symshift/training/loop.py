"""One protocol for every model: 90% of the stories to learn from, 10% to select on, the test at the very end.

A model's chosen weights are those with the fewest validation errors, among equals the lowest validation loss. It stops
when its best validation is `patience` updates old, or when validation is without error at a loss below `solved`, in the
nats that are trained. A model whose weights are no longer finite starts again from another seed, as the symbol-shift
paper does; so does, where a preset asks for it, one that validation shows far behind at a given update. The record says
how often."""

import hashlib
import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from symshift.config import RunConfig
from symshift.cpu import single_threaded_cpu
from symshift.data.encoding import Encoded, Vocabulary, encode
from symshift.errors import InputError
from symshift.paths import remove
from symshift.runs.provenance import provenance
from symshift.runs.store import Store
from symshift.training import checkpoint
from symshift.training import supporting_facts as facts
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble
from symshift.training.progress import Progress

ATTEMPTS = 5  # the last goes on, however far behind
OTHER_SEED = 1_000_000  # attempt n of seed s starts from seed s + n * OTHER_SEED
SECONDS_BETWEEN_CHECKPOINTS = 30
RULE = "fewest validation errors, among equals the lowest validation loss"


@dataclass
class Replica:
    """One model of the stack. `best` is (validation error, validation loss, update)."""

    seed: int
    attempt: int = 0
    best: tuple[float, float, int] = (math.inf, math.inf, 0)
    curve: list[dict[str, int | float]] = field(default_factory=list)

    @property
    def start(self) -> int:
        """The seed of its weights, examples and noise."""
        return self.seed + self.attempt * OTHER_SEED


def train(
    config: RunConfig,
    seeds: Sequence[int],
    outputs: str | None = None,
    device: str = "auto",
    stories: Data | None = None,
) -> list[str]:
    """Train one model a seed, all as one stack, and return the ids of their runs, in the order of the seeds.

    Runs that the store has are not trained again; a killed training goes on from its last checkpoint. `stories` are
    other stories than the config's task names (renamed, or from a file)."""
    if wrong := [seed for seed in seeds if type(seed) is not int or not 0 <= seed < OTHER_SEED]:
        raise InputError(f"seeds has {wrong[0]!r}; a seed is a whole number from 0 to {OTHER_SEED - 1}")
    store, data, place = Store(outputs), stories or Data.load(config), choose(device)
    store.prepare()
    config = data.describe(config)
    runs = {seed: config.id(seed, data.key) for seed in seeds}
    with single_threaded_cpu():
        while left := [seed for seed in seeds if not store.has(runs[seed])]:
            members = [Replica(seed, store.attempts(runs[seed])) for seed in left]
            members = [member for member in members if member.attempt < ATTEMPTS]
            if not members:
                raise InputError(
                    f"{config.model} on {data.called(config.task)} diverged {ATTEMPTS} times with seed {left[0]}; "
                    f"try {'bounded keys (-p keys bounded) or ' * hasattr(config.network_config, 'keys')}"
                    f"a lower learning_rate than {config.training.learning_rate}"
                )
            Training(config, data, members, runs, store, place).run()
    return [runs[seed] for seed in seeds]


def checkpoint_file(store: Store, runs: Iterable[str]) -> Path:
    """Where the stack of these runs keeps its checkpoint."""
    name = hashlib.sha256(json.dumps(sorted(runs)).encode()).hexdigest()[:12]
    return store.outputs / "checkpoints" / f"{name}.safetensors"


def choose(device: str) -> torch.device:
    """The device by its name; `auto` takes the GPU where there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise InputError(f"device {device!r} is not on this machine; choose auto or cpu") from None
    return torch.device(device)


class Training:
    """A stack on its way from its first update, or its last checkpoint, to its last record."""

    def __init__(
        self,
        config: RunConfig,
        data: Data,
        members: list[Replica],
        runs: dict[int, str],
        store: Store,
        device: torch.device,
    ):
        self.config, self.data, self.runs, self.store, self.device = config, data, runs, store, device
        self.vocabulary = Vocabulary.of(data.train, config.sentences)
        self.questions = encode((*data.train, *data.valid), self.vocabulary, config.sentences).to(device)
        self.file = checkpoint_file(store, runs.values())
        self.update, self.work, self.seconds, self.stacked = 0, 0, 0.0, len(members)
        if self.file.exists():
            self._resume()
        else:
            self.members = members
            self.stack = self._stack()
            self.best = self.stack.weights.detach().clone()
            self.losses = torch.zeros(len(members), device=device)
        self._regroup()

    def run(self) -> None:
        """Train until every member has its record or has failed."""
        what, seeds = self.data.called(self.config.task), len(self.members)
        label = f"{self.config.model} {what}, {seeds} seed{'s' * (seeds > 1)}"
        progress = Progress(label, self.config.training.updates, self.update)
        clock, kept = time.monotonic(), time.monotonic()
        while self.members:
            self._step()
            if self.update % self.config.training.evaluate_every and self.update < self.config.training.updates:
                continue
            self._validate()
            self.seconds, clock = self.seconds + time.monotonic() - clock, time.monotonic()
            self._part()
            if not self.members:
                break
            errors = ", ".join(f"{member.best[0]:.0f}" for member in self.members)
            progress.show(self.update, f"best validation errors {errors} %")
            if time.monotonic() - kept > SECONDS_BETWEEN_CHECKPOINTS:
                self._keep()
                kept = time.monotonic()
        progress.close()
        remove(self.file)

    def _stack(self) -> Ensemble:
        return Ensemble.of(self.config, self.vocabulary, [member.start for member in self.members], self.device)

    def _regroup(self) -> None:
        """What depends on who is in the stack."""
        self.seeds = torch.tensor([member.start for member in self.members], device=self.device)
        self.parts = self.data.parts(self.questions, [member.seed for member in self.members])

    def _step(self) -> None:
        batch = self.parts.batch(self.seeds, self.update, self.config.training.batch)
        self.losses += self.stack.step(batch, self.seeds, self.update)
        self.update, self.work = self.update + 1, self.work + len(self.members)

    def _validate(self) -> None:
        errors, losses = self.parts.judge(self.stack, self.stack.weights, "valid")
        since = self.update - (self.members[0].curve[-1]["update"] if self.members[0].curve else 0)
        for row, member in enumerate(self.members):
            scores = {"valid_error": errors[row], "valid_loss": losses[row]}
            member.curve.append({"update": self.update, "loss": self.losses[row].item() / since, **scores})
            if (errors[row], losses[row]) < member.best[:2]:
                member.best = (errors[row], losses[row], self.update)
                self.best[row] = self.stack.weights.detach()[row]
        self.losses.zero_()

    def _part(self) -> None:
        """Write the records of members that are done, note those that failed, let both leave."""
        training, finite = self.config.training, self.stack.weights.detach().isfinite().all(-1).tolist()
        stay = []
        for row, member in enumerate(self.members):
            last = member.curve[-1]
            solved = last["valid_error"] == 0 and last["valid_loss"] < training.solved
            stale = self.update - member.best[2] >= training.patience
            seed_note = self._at_restart and member.best[0] > training.restart_above
            done = solved or stale or self.update >= training.updates
            if not finite[row]:
                self._fail(member, "weights are not finite")
            elif seed_note and member.attempt + 1 < ATTEMPTS:
                self._fail(member, f"best validation error {member.best[0]:.1f} %")
            elif done:
                self._write(row, member)
            else:
                stay.append(row)
        if len(stay) < len(self.members):
            rows = torch.tensor(stay, dtype=torch.long, device=self.device)
            self.members = [self.members[row] for row in stay]
            self.best, self.losses = self.best[rows], self.losses[rows]
            self.stack.keep(rows)
            if self.members:
                self._regroup()

    @property
    def _at_restart(self) -> bool:
        """Whether this is the first validation at `restart_at` or after it."""
        at, since = self.config.training.restart_at, self.update - self.config.training.evaluate_every
        return max(since, 0) < at <= self.update

    def _fail(self, member: Replica, reason: str) -> None:
        error = {"attempts": member.attempt + 1, "update": self.update, "reason": reason}
        self.store.fail(self.runs[member.seed], error)

    @cached_property
    def tests(self) -> dict[str, Encoded]:
        """The test sets, which no model meets before its record."""
        return self.data.tests(self.vocabulary, self.config.sentences, self.device)

    def _write(self, row: int, member: Replica) -> None:
        weights = self.best[row : row + 1]
        parts = self.parts.only(row)
        scores = parts.scores(self.stack, weights, self.tests)
        stories = {"data": self.data.checksum, "stories": self.data.name or self.data.source}
        record: dict[str, Any] = {
            "config": self.config.flat(),
            "seed": member.seed,
            "error": {name: round(error, 4) for name, error in scores.items()},
            "chosen": {"update": member.best[2], "rule": RULE},
            "updates": self.update,
            "restarts": member.attempt,
            "seconds": round(self.seconds, 1),
            "updates_per_second": round(self.work / max(self.seconds, 1e-9), 1),
            "stacked": self.stacked,
            "provenance": provenance(self.device) | stories,
        }
        if self.stack.template.explains_answers:
            record["facts"] = facts.scores(self.stack, weights, parts, self.tests["test"])
        named = {name: value[0].clone() for name, value in self.stack.named(weights.cpu()).items()}
        words = {"vocabulary": json.dumps(vars(self.vocabulary)), "sentences": str(self.config.sentences)}
        self.store.write(self.runs[member.seed], record, pd.DataFrame(member.curve), named, words)

    def _keep(self) -> None:
        state = {
            "update": self.update,
            "work": self.work,
            "seconds": self.seconds,
            "stacked": self.stacked,
            "members": [vars(member) for member in self.members],
        }
        moments = self.stack.optimizer.state.get(self.stack.weights, {})
        tensors = {"weights": self.stack.weights, "best": self.best, "losses": self.losses}
        tensors |= {f"optimizer.{name}": value for name, value in moments.items() if isinstance(value, Tensor)}
        checkpoint.save(self.file, tensors, state)

    def _resume(self) -> None:
        tensors, state = checkpoint.load(self.file, ["update", "work", "seconds", "stacked", "members"])
        self.update, self.work = state["update"], state["work"]
        self.seconds, self.stacked = state["seconds"], state["stacked"]
        self.members = [Replica(m["seed"], m["attempt"], tuple(m["best"]), m["curve"]) for m in state["members"]]
        self.stack = self._stack()
        self.stack.weights = tensors["weights"].to(self.device).requires_grad_()
        self.best, self.losses = tensors["best"].to(self.device), tensors["losses"].to(self.device)
        names = [name for name in tensors if name.startswith("optimizer.")]
        self.stack.restore({name.removeprefix("optimizer."): tensors[name] for name in names})
