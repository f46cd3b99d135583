"""`make bench`: milliseconds a model-update, the loop form against the fast form, alone and stacked by ten.

Everything is measured in one run, on one thread, at batch 32, on random stories of fixed size: forward, loss, backward,
clip and Adam. The loop form is the same network in a plain PyTorch program, as public code does it: the memory built
sentence by sentence, with the equations inside the loop, and for TPR-RNN as the tensor F. The oracle is the slow twin
of the tests, which goes through stories and slots one by one too. Then training itself, on the
stories of two tasks as its batches come, the official ones where they are found; the loop's batches are drawn from all
stories, as in a plain program, and padded to their longest. Writes outputs/bench.csv.
"""

import platform
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import dropout, normalize, prelu

from symshift import configure
from symshift.command_line import Parser
from symshift.config import RunConfig
from symshift.cpu import single_threaded_cpu
from symshift.data.encoding import Batch, Vocabulary, encode
from symshift.models import NETWORKS, Network
from symshift.models.entity_network.model import EntityNetwork
from symshift.models.temporal_attention import PreHoc, with_temporal_attention
from symshift.models.tensor_product.model import EntityRelationVectors, TensorProduct
from symshift.models.tensor_product.symbolic import SymbolicTensorProduct
from symshift.ops.backend import use_backend
from symshift.ops.entity_recurrence import Slots
from symshift.ops.rng import StepRng, fold_in
from symshift.ops.tensor_product_memory import DenseTensor, read_in_chain
from symshift.paths import ROOT, write_atomically
from symshift.training.data import Data
from symshift.training.ensemble import Ensemble
from symshift.training.profiling import Size, median, milliseconds, random_stories
from tests.naive import entity_network, temporal_attention

Line = dict[str, Any]  # of the table
STACKED, SECONDS, UPDATES, CPU = 10, 3.0, 30, torch.device("cpu")
EXPECTED_MS: dict[str, dict[int, float]] = {
    "tpr": {1: 2.5, 3: 40},
    "tpr-large": {1: 12, 3: 250},
    "stpr-sm": {1: 8, 3: 120},
}  # by task
ENTITIES_EXPECTED = 3  # times faster than the loop, a model of the stack
BESIDE = {"stransformer-nodrop": ("gstpr-sm", 2)}  # what it costs in updates of another preset, at most


class DenseMemoryLoop:
    """The memory as public code has it: a loop over sentences, and F in full; it goes before a TPR-RNN's own."""

    gains_and_biases: Callable[[], tuple[Tensor, Tensor]]

    def read_memory(self, vectors: EntityRelationVectors, sentence_mask: Tensor, dim_mask: Tensor) -> Tensor:
        entities, relations, query_entity, query_relations = vectors
        memory = entities.new_zeros(len(entities), entities.shape[-1], relations.shape[-1], entities.shape[-1])

        def read(entity: Tensor, relation: Tensor) -> Tensor:
            return torch.einsum("berv,be,br->bv", memory, entity, relation)

        def bind(entity: Tensor, relation: Tensor, value: Tensor) -> Tensor:
            return torch.einsum("be,br,bv->berv", entity, relation, value)

        for (e1, e2), (r1, r2, r3), mask in zip(
            _steps(entities), _steps(relations), sentence_mask.unbind(1), strict=True
        ):
            e1, e2 = e1 * mask[:, None], e2 * mask[:, None]
            old, moved, linked = read(e1, r1), read(e1, r2), read(e2, r3)
            memory = memory + bind(e1, r1, e2 - old) + bind(e1, r2, old - moved) + bind(e2, r3, e1 - linked)
        dense = DenseTensor(memory.flatten(1, 2))
        return read_in_chain(dense, query_entity.squeeze(1), query_relations, dim_mask, *self.gains_and_biases())


def _steps(keys: Tensor) -> list[tuple[Tensor, ...]]:
    return [sentence.unbind(1) for sentence in keys.unbind(1)]


class LoopTensorProduct(DenseMemoryLoop, TensorProduct):
    """TPR-RNN by the loop."""


class LoopSymbolicTensorProduct(DenseMemoryLoop, SymbolicTensorProduct):
    """STPR by the loop."""


class LoopEntityNetwork(EntityNetwork):
    """EntNet by the loop, with all of its equations inside, as public code has them."""

    def slots(self, batch: Batch, sentences: Tensor) -> Slots:
        keys, after, gates = self.keys(), [], []
        h = normalize(keys, dim=-1).expand(len(sentences), *keys.shape)
        for s, mask in zip(sentences.unbind(1), (batch.story > 0).any(-1).unbind(1), strict=True):
            s = s.unsqueeze(1)
            gate = torch.sigmoid((s * h).sum(-1) + (s * keys).sum(-1) + self.gate_bias) * mask[:, None]
            inner = h @ self.weight_u.mT + keys @ self.weight_v.mT + s @ self.weight_w.mT + self.bias
            candidate = prelu(inner.flatten(0, 1), self.slope).view_as(h)
            h = normalize(h + gate.unsqueeze(-1) * candidate, dim=-1)
            after.append(h)
            gates.append(gate)
        return Slots(h, torch.stack(after, 1), torch.stack(gates, -1))


ORACLES = {"entnet": entity_network, "prehoc": temporal_attention}
LOOPS: dict[str, type[Network]] = {
    "entnet": LoopEntityNetwork,
    "prehoc": with_temporal_attention(PreHoc, LoopEntityNetwork),
}


class TorchDropout(StepRng):
    """Dropout as PyTorch has it."""

    def dropout(self, x: Tensor, rate: float, site: int) -> Tensor:
        return dropout(x, rate)


@dataclass(frozen=True)
class Case:
    """One line of the bench: a preset at a length of story and a number of context symbols."""

    name: str
    config: RunConfig
    size: Size
    loop: type[Network] | None = None
    expected: float | None = None  # times faster than the loop
    expected_stacked: float | None = None  # a model of the stack, times faster than the loop
    oracle: ModuleType | None = None
    slices: int = 1  # the loop takes the batch in so many parts, where all of it needs more memory than 24 GiB


def cases() -> Iterator[Case]:
    tpr, large = configure({"model": "tpr"}), configure({"model": "tpr-large"})
    yield Case("tpr T10 E15 R10", tpr, Size(10, 19), LoopTensorProduct, 5)
    yield Case("tpr-large T10 E90 R20", large, Size(10, 19), LoopTensorProduct, 30)
    yield Case("tpr-large T130 E90 R20", large, Size(130, 30), LoopTensorProduct, 50, slices=4)
    stpr = LoopSymbolicTensorProduct
    yield Case("stpr T10 d+m=45", configure({"model": "stpr"}), Size(10, 15), stpr, 40)
    yield Case("stpr-large T10 d+m=110", configure({"model": "stpr-large"}), Size(10, 20), stpr, 500)
    for model in ("stpr-sm", "gstpr-sm", "mn", "smn", *BESIDE):
        yield Case(f"{model} T10", configure({"model": model}), Size(10, 19))
    for sentences, (model, loop) in product((10, 70), LOOPS.items()):
        config, oracle = configure({"model": model}), ORACLES[model] if sentences == 10 else None
        size = Size(sentences, 19)
        yield Case(f"{model} T{sentences}", config, size, loop, expected_stacked=ENTITIES_EXPECTED, oracle=oracle)


def loop_milliseconds(case: Case) -> float:
    """The same update of one model by the loop, as a plain PyTorch program does it."""
    vocabulary, batch = random_stories(replace(case.size, stack=1))
    slices = [Batch(*part) for part in zip(*(field[0].chunk(case.slices) for field in batch), strict=True)]
    assert case.loop is not None
    step = by_loop(case.config, case.loop, vocabulary)
    with use_backend("torch"):
        return median(lambda: step(slices), SECONDS, CPU)


def oracle_milliseconds(case: Case) -> float:
    """The same update by the oracle, without dropout, from the loss on answers alone."""
    assert case.oracle is not None
    twin_class = case.oracle.Twin
    vocabulary, batch = random_stories(replace(case.size, stack=1))
    model = case.config.model
    network = NETWORKS[case.config.network](case.config.network_config, vocabulary, torch.Generator().manual_seed(0))
    questions = zip(*(field[0].tolist() for field in (batch.story, batch.question, batch.answer)), strict=True)

    def words(ids: Sequence[int]) -> list[str]:
        return [vocabulary.words[number - 1] for number in ids]

    examples = [
        ([words(ids) for ids in sentences], words(question), answer) for sentences, question, answer in questions
    ]

    def loss() -> Tensor:
        twin = twin_class(network, model, vocabulary)
        probabilities = [
            twin.read(sentences, question).probability(*words([answer])) for sentences, question, answer in examples
        ]
        return -torch.stack(probabilities).log().mean()

    step = plain_update(case.config, network)
    return median(lambda: step([loss]), SECONDS, CPU)


def plain_update(config: RunConfig, model: Network) -> Callable[[Sequence[Callable[[], Tensor]]], None]:
    """The update of a plain program, from the losses of the slices of a batch."""
    training = config.training
    adam = torch.optim.Adam(model.parameters(), training.learning_rate, (training.beta1, training.beta2), fused=True)

    def step(losses: Sequence[Callable[[], Tensor]]) -> None:
        adam.zero_grad()
        for loss in losses:
            (loss() / len(losses)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.clip)
        adam.step()

    return step


def by_loop(config: RunConfig, network: type[Network], vocabulary: Vocabulary) -> Callable[[Sequence[Batch]], None]:
    """The update of the loop, on a batch in slices."""
    model = network(config.network_config, vocabulary, torch.Generator().manual_seed(0))
    rng = TorchDropout(fold_in([0], 0)[0], torch.tensor(0.0))
    step = plain_update(config, model)

    def loss(part: Batch) -> Tensor:
        return model.loss(model(part, rng), part).mean()

    return lambda slices: step([partial(loss, part) for part in slices])


def measure(case: Case) -> Line:
    """One line of the table; ratios say how many times faster."""
    alone, stacked = (
        milliseconds(case.config, replace(case.size, stack=models), SECONDS, CPU) for models in (1, STACKED)
    )
    line: Line = {
        "case": case.name,
        "alone_ms": alone,
        f"stacked{STACKED}_ms": stacked,
        "stacked_over_alone": alone / stacked,
    }
    if case.loop is None:
        return line
    loop = loop_milliseconds(case)
    ratios: Line = {"fast_over_loop": loop / alone, "expected": case.expected}
    stacked_ratios: Line = {"stacked_over_loop": loop / stacked, "expected_stacked": case.expected_stacked}
    if case.oracle:
        oracle = oracle_milliseconds(case)
        stacked_ratios |= {"oracle_ms": oracle, "stacked_over_oracle": oracle / stacked}
    return line | {"loop_ms": loop} | ratios | stacked_ratios


def trained() -> Iterator[Line]:
    """A line of the table for each preset and task of `EXPECTED_MS`, of `BESIDE`, and of those that have a loop."""
    for model, limits in EXPECTED_MS.items():
        for task, limit in limits.items():
            spent = training_milliseconds(configure({"model": model, "task": task}))
            yield {"case": f"{model} task {task}", f"stacked{STACKED}_ms": spent, "expected_ms": limit}
    for (model, (other, limit)), task in product(BESIDE.items(), (1, 3)):
        spent, others = (training_milliseconds(configure({"model": name, "task": task})) for name in (model, other))
        times = {f"over_{other}": spent / others, f"expected_over_{other}": limit}
        yield {"case": f"{model} task {task}", f"stacked{STACKED}_ms": spent} | times
    for (model, network), task in product(LOOPS.items(), (1, 3)):
        config = configure({"model": model, "task": task})
        spent, loop = training_milliseconds(config), loop_training_milliseconds(config, network)
        times = {"stacked_over_loop": loop / spent, "expected_stacked": ENTITIES_EXPECTED}
        yield {"case": f"{model} task {task}", f"stacked{STACKED}_ms": spent, "loop_ms": loop} | times


def training_milliseconds(config: RunConfig) -> float:
    """What an update takes for each model of the stack, the mean over the first updates, from the stories on."""
    data, seeds = Data.load(config), range(STACKED)
    vocabulary = Vocabulary.of(data.train, config.sentences, data.describe(config).training.answers == "items")
    splits = data.split(encode(data.train, vocabulary, config.sentences), seeds)
    stack = Ensemble.untrained(config, vocabulary, seeds, CPU)

    def step(update: int) -> None:
        keys = fold_in(seeds, update)
        stack.step(splits.batch(keys, update, config.training.batch), keys, update)

    return mean(step) / STACKED


def loop_training_milliseconds(config: RunConfig, network: type[Network]) -> float:
    """The same of one model by the loop, its batches made before."""
    train, random = Data.load(config).train, Random(0)
    vocabulary = Vocabulary.of(train, config.sentences)
    samples = [random.sample(train, config.training.batch) for _ in range(UPDATES + 1)]
    batches = [encode(questions, vocabulary, config.sentences).buckets for questions in samples]
    step = by_loop(config, network, vocabulary)
    with use_backend("torch"):
        return mean(lambda update: step(batches[update]))


def mean(step: Callable[[int], None]) -> float:
    """The mean time of the first updates of this process in milliseconds, update 0 left out."""
    step(0)
    before = time.process_time()
    for update in range(1, UPDATES + 1):
        step(update)
    return 1000 * (time.process_time() - before) / UPDATES


def processor() -> str:
    """Return the processor's name where Linux has it."""
    path = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", path.read_text(), re.MULTILINE) if path.exists() else []
    return names[0] if names else platform.machine()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = Parser(prog="python -m benchmarks.updates", description=__doc__.partition("\n")[0])
    parser.add_argument("--case", help="measure only cases whose name has this text, and write no file")
    options = parser.parse_args(arguments)
    chosen = [case for case in cases() if options.case is None or options.case in case.name]
    with single_threaded_cpu():
        lines = []
        for line in chain(map(measure, chosen), trained() if options.case is None else []):
            lines.append(line)
            print(pd.DataFrame(lines[-1:]).round(2).to_string(index=False), flush=True)
    if options.case is not None:
        return
    table = pd.DataFrame(lines).round(3).assign(torch=torch.__version__, machine=processor(), threads=1)
    write_atomically(ROOT / "outputs" / "bench.csv", table.to_csv(index=False).encode())
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
