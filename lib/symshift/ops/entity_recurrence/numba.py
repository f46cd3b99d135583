"""`entity_steps` for a CPU, in one compiled loop over the slots."""

from collections.abc import Callable
from functools import partial
from typing import Any, no_type_check

import numpy as np

from symshift.ops.backend import loop
from symshift.ops.entity_recurrence.torch import SMALLEST, ForwardState, Gradients, Step, StepInputs


def there(course: ForwardState, entering: StepInputs) -> Step:
    """`entity_steps.there`."""
    return _step(_there, course, entering)


def back(course: ForwardState, of: Gradients) -> Step:
    """`entity_steps.back`."""
    return _step(_back, course, of)


def _step(compiled: Callable[..., None], *tensors: Any) -> Step:
    arrays = [type(some)(*(tensor.numpy() for tensor in some)) for some in tensors]
    return lambda t, models: compiled(*arrays, t, models.start, models.stop)


@partial(loop, any_order=True)
@no_type_check
def _there(course, entering, t, first, last):
    _, _, batch, slots, dims = course.states.shape
    number = course.start.dtype.type
    zero, one, smallest = number(0), number(1), number(SMALLEST)
    for m in range(first, last):
        slope = course.slope[m]
        for b in range(batch):
            h = course.states[t - 1, m, b] if t else course.start[m]
            s, a, after = course.sentences[m, b, t], course.inner[t, m, b], course.states[t, m, b]
            told, held = entering.told[m, b, t], entering.held[m]
            for j in range(slots):
                overlap = entering.opening[m, b, t, j]
                for d in range(dims):
                    overlap += h[j, d] * s[d]
                gate = one / (one + np.exp(-overlap))
                square = zero
                for d in range(dims):
                    x = a[j, d] + told[d] + held[j, d]
                    y = h[j, d] + gate * (x + (slope[d] - one) * min(x, zero))
                    square += y * y
                    a[j, d], after[j, d] = x, y
                scale = one / max(np.sqrt(square), smallest)
                for d in range(dims):
                    after[j, d] *= scale
                course.gates[t, m, b, j, 0], course.scales[t, m, b, j, 0] = gate, scale


@partial(loop, any_order=True)
@no_type_check
def _back(course, of, t, first, last):
    _, _, batch, slots, dims = course.states.shape
    number = course.start.dtype.type
    zero, one = number(0), number(1)
    for m in range(first, last):
        slope, dslope = course.slope[m], of.slope[m]
        for b in range(batch):
            h = course.states[t - 1, m, b] if t else course.start[m]
            s, a, after = course.sentences[m, b, t], course.inner[t, m, b], course.states[t, m, b]
            flow, da, dheld = of.slots[m, b], of.inner[m - first, b], of.held[m]
            ds, dtold = of.sentences[m, b, t], of.told[m, b, t]
            ds[:] = zero
            dtold[:] = zero
            for j in range(slots):
                gate, scale = course.gates[t, m, b, j, 0], course.scales[t, m, b, j, 0]
                if len(of.each):
                    for d in range(dims):
                        flow[j, d] += of.each[t, m, b, j, d]
                along = zero
                for d in range(dims):
                    along += flow[j, d] * after[j, d]
                opens = zero
                for d in range(dims):
                    x, k, f = a[j, d], slope[d], (flow[j, d] - along * after[j, d]) * scale
                    below, through = min(x, zero), f * gate
                    opens += f * (x + (k - one) * below)
                    dslope[d] += below * through
                    inner = through * (k if x < zero else one)
                    dtold[d] += inner
                    dheld[j, d] += inner
                    da[j, d], flow[j, d] = inner, f
                opens *= gate * (one - gate)
                of.opening[m, b, t, j] = opens
                for d in range(dims):
                    ds[d] += h[j, d] * opens
                    flow[j, d] += s[d] * opens
