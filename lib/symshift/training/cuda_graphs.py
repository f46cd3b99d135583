"""A method of tensors as CUDA graphs: thousands of small kernels in one launch.

A graph is captured for each set of shapes. It reads its arguments in buffers of its own, which every call fills. All
else that it reads or changes, as weights and the optimizer's state, is where it was at capture: whoever puts other
tensors in their place needs a new `Graphs`.

Capture asks of the method that nothing in it depends on a tensor's value on the host, neither a shape nor a branch
nor a Python number, and that all of its tensors are on the device. It also asks for a run on a side stream before, in
which libraries set themselves up and an optimizer makes its state. That is the first call of each set of shapes, and
counts as any other.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakMethod

import torch
from torch import Tensor


class CapturedGraph(NamedTuple):
    """A graph, the buffers it reads its arguments from, and the buffer of its result."""

    graph: torch.cuda.CUDAGraph
    arguments: tuple[Tensor, ...]
    result: Tensor


class Graphs:
    """A captured method; call it as the method.

    Its graphs share their memory, for they run one at a time. The method is referenced weakly: its object, which owns
    these graphs, is freed with its last user, and their memory with it.
    """

    def __init__(self, method: Callable[..., Tensor], device: torch.device):
        self.method, self.device = WeakMethod(method), device
        self.stream, self.pool = torch.cuda.Stream(device), torch.cuda.graph_pool_handle()
        self.warm: set[tuple[torch.Size, ...]] = set()
        self.captured: dict[tuple[torch.Size, ...], CapturedGraph] = {}

    def __call__(self, *arguments: Tensor) -> Tensor:
        """Return what the method returns."""
        shapes = tuple(argument.shape for argument in arguments)
        if shapes not in self.warm:
            self.warm.add(shapes)
            return self._warm_up(arguments)
        if shapes not in self.captured:
            self.captured[shapes] = self._capture(arguments)
        graph, buffers, result = self.captured[shapes]
        for buffer, argument in zip(buffers, arguments, strict=True):
            buffer.copy_(argument)
        graph.replay()
        return result.clone()

    def _warm_up(self, arguments: tuple[Tensor, ...]) -> Tensor:
        current = torch.cuda.current_stream(self.device)
        self.stream.wait_stream(current)
        with torch.cuda.stream(self.stream), warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* capturable=True")  # a step outside a graph, as this one has to be
            result = self._call(arguments)
        current.wait_stream(self.stream)
        return result

    def _capture(self, arguments: tuple[Tensor, ...]) -> CapturedGraph:
        buffers, graph = tuple(argument.clone() for argument in arguments), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, self.pool, self.stream):
            result = self._call(buffers)
        return CapturedGraph(graph, buffers, result)

    def _call(self, arguments: tuple[Tensor, ...]) -> Tensor:
        method = self.method()
        assert method is not None  # its object is the one that calls
        return method(*arguments)
