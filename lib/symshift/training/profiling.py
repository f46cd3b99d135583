"""What an update costs: milliseconds on random stories of a given size, the work in it, and what the machine can do.

The work is counted in two ways. Arithmetic: the multiplications and additions of matrix products and triangular solves,
also where a compiled loop makes them. Memory: every operation reads its arguments and writes its result; what stays in
a cache between two of them is counted all the same, so it is an upper bound, but for what compiled loops read and
write, which is not seen. The machine's limits are measured too, at a large matrix product and at a large copy. `make
bench` and notebook 11 measure with the same functions."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from symshift.config import RunConfig
from symshift.cpu import single_threaded_cpu
from symshift.data.encoding import Batch, Vocabulary
from symshift.errors import InputError
from symshift.ops.backend import FlopCounter
from symshift.training.ensemble import Ensemble

BATCH, WORDS, ASKED = 32, 6, 3  # questions a batch, words a sentence and a question
SQUARE, COPIED = 2048, 1 << 26  # side of the large matrices, numbers of the large copy
MOST = 200  # repetitions


@dataclass(frozen=True)
class Size:
    """How much there is to read: sentences a story, context symbols a story, models in the stack."""

    sentences: int = 10
    symbols: int = 19
    stack: int = 10

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise InputError(f"{name} is {value}; at least 1 is needed to measure anything")


class Work(NamedTuple):
    """Of one model-update: floating-point operations, and bytes read and written."""

    operations: float
    bytes: float


class Limits(NamedTuple):
    """Of one thread of a CPU, or of a GPU: floating-point operations and bytes a second."""

    operations: float
    bytes: float

    def milliseconds(self, work: Work) -> tuple[float, float]:
        """How long the arithmetic and the memory of this work take at these speeds."""
        return 1000 * work.operations / self.operations, 1000 * work.bytes / self.bytes


def story(size: Size) -> tuple[Vocabulary, Batch]:
    """Random full-length stories in which each context has all symbols."""
    generator = torch.Generator().manual_seed(0)
    shape = (size.stack, BATCH, size.sentences, WORDS)
    words = torch.randint(size.symbols, shape, generator=generator)
    question = torch.randint(size.symbols, (size.stack, BATCH, ASKED), generator=generator)
    symbols = torch.arange(1, size.symbols + 1).expand(size.stack, BATCH, size.symbols)
    answer = torch.randint(1, size.symbols + 1, (size.stack, BATCH), generator=generator)
    vocabulary = Vocabulary(tuple(f"w{n}" for n in range(size.symbols)), size.sentences, WORDS, ASKED)
    supporting = torch.randint(2, shape[:-1], generator=generator, dtype=torch.bool)
    return vocabulary, Batch(words + 1, words, question + 1, question, symbols, answer, supporting)


def update(config: RunConfig, size: Size, device: torch.device) -> Callable[[], Tensor]:
    """The update of a stack on its stories: forward, loss, backward, clip, optimizer."""
    vocabulary, batch = story(size)
    stack = Ensemble.of(config, vocabulary, range(size.stack), device)
    batch, seeds = batch.to(device), torch.arange(size.stack).to(device)
    return lambda: stack.step(batch, seeds, 0)


def median(step: Callable[[], object], seconds: float, device: torch.device) -> float:
    """The median time of a repeated step in milliseconds, the first left out. On a CPU it is the time of this process,
    so that whatever else runs on the machine counts less."""
    on_cpu = device.type == "cpu"
    clock, times = time.process_time if on_cpu else time.perf_counter, []
    step()
    started = time.perf_counter()
    while not times or (time.perf_counter() - started < seconds and len(times) < MOST):
        before = clock()
        step()
        if not on_cpu:
            torch.accelerator.synchronize(device)
        times.append(clock() - before)
    return 1000 * statistics.median(times)


@single_threaded_cpu()
def milliseconds(config: RunConfig, size: Size, seconds: float, device: torch.device) -> float:
    """What an update takes for each model of the stack."""
    return median(update(config, size, device), seconds, device) / size.stack


def scan(configs: Iterable[RunConfig], sizes: Sequence[Size], seconds: float, device: torch.device) -> pd.DataFrame:
    """A row each config and size, with columns model, sentences, symbols, stack, ms."""
    return pd.DataFrame(
        {"model": config.model, **vars(size), "ms": milliseconds(config, size, seconds, device)}
        for config in configs
        for size in sizes
    )


def work(config: RunConfig, size: Size) -> Work:
    """The work in one model-update."""
    step = update(config, replace(size, stack=1), torch.device("cpu"))
    with _Bytes() as moved, FlopCounterMode(display=False, custom_mapping=_FURTHER) as counted, FlopCounter() as looped:
        step()
    return Work(counted.get_total_flops() + looped.total, moved.total)


@single_threaded_cpu()
def limits(seconds: float, device: torch.device) -> Limits:
    """The speed of a large matrix product and of a large copy."""
    left, product = torch.rand(SQUARE, SQUARE, device=device), torch.empty(SQUARE, SQUARE, device=device)
    source, target = torch.rand(COPIED, device=device), torch.empty(COPIED, device=device)
    multiplied = median(lambda: torch.mm(left, left, out=product), seconds, device)
    copied = median(lambda: target.copy_(source), seconds, device)
    return Limits(1000 * 2 * SQUARE**3 / multiplied, 1000 * 2 * source.nbytes / copied)


def _added_product(_: Sequence[int], left: Sequence[int], right: Sequence[int], **__: object) -> int:
    return 2 * math.prod(left) * right[-1]


def _triangular_solve(_: Sequence[int], right: Sequence[int], **__: object) -> int:
    """Each number below the diagonal is multiplied with each column, and added."""
    return math.prod(right) * right[-2]


_FURTHER = {  # what torch's counter does not know
    torch.ops.aten.addmm_: _added_product,
    torch.ops.aten.baddbmm_: _added_product,
    torch.ops.aten.linalg_solve_triangular: _triangular_solve,
}


class _Bytes(TorchDispatchMode):
    """Adds up what operations read and write; a view moves nothing."""

    total = 0

    def __torch_dispatch__(self, call: Any, types: Any, arguments: tuple = (), options: dict | None = None) -> Any:
        made = call(*arguments, **(options or {}))
        if not call.is_view:
            tensors = [leaf for leaf in tree_leaves((arguments, options, made)) if isinstance(leaf, Tensor)]
            self.total += sum(min(tensor.nbytes, tensor.untyped_storage().nbytes()) for tensor in tensors)
        return made
