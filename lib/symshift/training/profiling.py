"""What an update costs: milliseconds on random stories of a given size, the work in it, and what the machine can do.

Work is counted in two ways. Arithmetic: multiplications and additions of matrix products and triangular solves, also in
compiled kernels. Memory: every operation reads its arguments and writes its result. What stays in a cache between two
operations is counted too, so this is an upper bound; what compiled kernels read and write is not counted. The machine's
limits are those of a large matrix product and of a large copy. `make bench` and notebook 11 measure with these
functions.
"""

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
from symshift.ops.rng import fold_in
from symshift.paths import ROOT
from symshift.training.ensemble import Ensemble

BATCH, SENTENCE_WORDS, QUESTION_WORDS = 32, 6, 3
MATRIX_SIDE, COPY_NUMBERS = 2048, 1 << 26  # of the large product and the large copy
MAX_REPETITIONS = 200
GPU_TIMES = ROOT / "outputs" / "gpu.csv"  # what benchmarks.stacks wrote


@dataclass(frozen=True)
class Size:
    """How much a network reads: sentences and context symbols of a story, and models in the ensemble.

    Raises:
        InputError: A number is below 1.
    """

    sentences: int = 10
    symbols: int = 19
    stack: int = 10

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise InputError(f"{name} is {value}; at least 1 is needed to measure anything")


class Work(NamedTuple):
    """Floating-point operations of an update of one model, and bytes read and written."""

    operations: float
    bytes: float


class Limits(NamedTuple):
    """Floating-point operations and bytes a second, of one CPU thread or of a GPU."""

    operations: float
    bytes: float

    def milliseconds(self, work: Work) -> tuple[float, float]:
        """Return the milliseconds that arithmetic and memory of this work take at these speeds."""
        return 1000 * work.operations / self.operations, 1000 * work.bytes / self.bytes


def random_stories(size: Size) -> tuple[Vocabulary, Batch]:
    """Return a vocabulary, and a batch of random stories of full length in which each context has all symbols."""
    generator = torch.Generator().manual_seed(0)
    shape = (size.stack, BATCH, size.sentences, SENTENCE_WORDS)
    words = torch.randint(size.symbols, shape, generator=generator)
    question = torch.randint(size.symbols, (size.stack, BATCH, QUESTION_WORDS), generator=generator)
    symbols = torch.arange(1, size.symbols + 1).expand(size.stack, BATCH, size.symbols)
    answer = torch.randint(1, size.symbols + 1, (size.stack, BATCH), generator=generator)
    vocabulary = Vocabulary(tuple(f"w{n}" for n in range(size.symbols)), size.sentences, SENTENCE_WORDS, QUESTION_WORDS)
    supporting = torch.randint(2, shape[:-1], generator=generator, dtype=torch.bool)
    return vocabulary, Batch(words + 1, words, question + 1, question, symbols, answer, supporting)


def update(config: RunConfig, size: Size, device: torch.device) -> Callable[[], Tensor]:
    """Return an update of an ensemble on its stories: forward, loss, backward, clip, optimizer."""
    vocabulary, batch = random_stories(size)
    ensemble = Ensemble.untrained(config, vocabulary, range(size.stack), device)
    batch, keys = batch.to(device), fold_in(range(size.stack), 0, device)
    return lambda: ensemble.step(batch, keys, 0)


def median(step: Callable[[], object], seconds: float, device: torch.device) -> float:
    """Return the median time of a repeated step in milliseconds, without the first.

    On a CPU it is the time of this process, so that other processes of the machine count less.
    """
    on_cpu = device.type == "cpu"
    clock = time.process_time if on_cpu else time.perf_counter
    times: list[float] = []
    step()
    started = time.perf_counter()
    while not times or (time.perf_counter() - started < seconds and len(times) < MAX_REPETITIONS):
        before = clock()
        step()
        if not on_cpu:
            torch.accelerator.synchronize(device)
        times.append(clock() - before)
    return 1000 * statistics.median(times)


@single_threaded_cpu()
def milliseconds(config: RunConfig, size: Size, seconds: float, device: torch.device) -> float:
    """Return the time of an update for each model of the ensemble, in milliseconds."""
    return median(update(config, size, device), seconds, device) / size.stack


def scan(configs: Iterable[RunConfig], sizes: Sequence[Size], seconds: float, device: torch.device) -> pd.DataFrame:
    """Time every config at every size: columns model, sentences, symbols, stack, ms (for each model)."""
    return pd.DataFrame(
        {"model": config.model, **vars(size), "ms": milliseconds(config, size, seconds, device)}
        for config in configs
        for size in sizes
    )


def work(config: RunConfig, size: Size) -> Work:
    """Count the work in an update of one model."""
    step = update(config, replace(size, stack=1), torch.device("cpu"))
    operations = FlopCounterMode(display=False, custom_mapping=_FLOPS_OF)
    with _Bytes() as moved, operations, FlopCounter() as kernels:
        step()
    return Work(operations.get_total_flops() + kernels.total, moved.total)


@single_threaded_cpu()
def limits(seconds: float, device: torch.device) -> Limits:
    """Measure the speed of a large matrix product and of a large copy."""
    left = torch.rand(MATRIX_SIDE, MATRIX_SIDE, device=device)
    product = torch.empty_like(left)
    source = torch.rand(COPY_NUMBERS, device=device)
    target = torch.empty_like(source)
    multiplied = median(lambda: torch.mm(left, left, out=product), seconds, device)
    copied = median(lambda: target.copy_(source), seconds, device)
    return Limits(1000 * 2 * MATRIX_SIDE**3 / multiplied, 1000 * 2 * source.nbytes / copied)


def _added_product(_: Sequence[int], left: Sequence[int], right: Sequence[int], **__: object) -> int:
    return 2 * math.prod(left) * right[-1]


def _triangular_solve(_: Sequence[int], right: Sequence[int], **__: object) -> int:
    """Each number below the diagonal is multiplied with each column, and added."""
    return math.prod(right) * right[-2]


_FLOPS_OF = {  # what torch's counter does not know
    torch.ops.aten.addmm_: _added_product,
    torch.ops.aten.baddbmm_: _added_product,
    torch.ops.aten.linalg_solve_triangular: _triangular_solve,
}


class _Bytes(TorchDispatchMode):
    """Adds up what operations read and write; a view moves nothing."""

    total = 0

    def __torch_dispatch__(self, call: Any, types: Any, arguments: tuple = (), options: dict | None = None) -> Any:
        result = call(*arguments, **(options or {}))
        if not call.is_view:
            tensors = [leaf for leaf in tree_leaves((arguments, options, result)) if isinstance(leaf, Tensor)]
            self.total += sum(min(tensor.nbytes, tensor.untyped_storage().nbytes()) for tensor in tensors)
        return result
