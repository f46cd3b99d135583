"""What `forward` and `loss` of a network must return: tensors of these shapes, and a trace that `ask` can show."""

from torch import Tensor

from symshift.data.encoding import Batch, Vocabulary
from symshift.errors import InputError
from symshift.models.base import Network, Output
from symshift.models.contract_errors import network_title

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


def check_output(name: str, model: Network, output: object, batch: Batch, vocabulary: Vocabulary) -> None:
    """Refuse what `forward` returns where it is no output, or has a part of another shape.

    Raises:
        InputError: It is no output, or a part has another shape, or the trace cannot be shown.
    """
    title = f"{network_title(name, model)}.forward"
    if not isinstance(output, Output):
        raise InputError(f"{title} returns {_kind(output)}; an Output of symshift.models.base is right")
    questions, symbols = batch.symbols.shape
    words = len(vocabulary.words)
    expect_shape(title, "`semantic`", output.semantic, (questions, words), "questions by words of the vocabulary")
    if (output.symbolic is None) != (output.log_odds is None):
        raise InputError(f"{title} gives one of `symbolic` and `log_odds`; both are right, or neither")
    if output.symbolic is not None:
        expect_shape(title, "`symbolic`", output.symbolic, (questions, symbols), "questions by context symbols")
        shape = (questions,) if isinstance(output.log_odds, Tensor) and output.log_odds.ndim else ()
        expect_shape(title, "`log_odds`", output.log_odds, shape, "one number, or one for each question")
    if model.explains_answers:
        expect_shape(
            title, "`alignment`", output.alignment, (questions, batch.story.shape[1]), "questions by sentences"
        )
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


def expect_shape(title: str, what: str, value: object, shape: tuple[int, ...], axes: str) -> None:
    """Refuse what is no tensor of this shape.

    Args:
        title: The network and its method, as errors name them.
        what: Which of its results.
        value: The result.
        shape: What is right.
        axes: The axes of that shape in words.

    Raises:
        InputError: It is none.
    """
    if not isinstance(value, Tensor):
        raise InputError(f"{title} gives {what} {_kind(value)}; a tensor of shape {shape} is right: {axes}")
    if tuple(value.shape) != shape:
        raise InputError(f"{title} gives {what} of shape {tuple(value.shape)}; {shape} is right: {axes}")


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
