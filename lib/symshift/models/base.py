"""What every network is to training: a loss for each question, by default how unlikely it holds the right answer."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.data.encoding import Batch
from symshift.models.symbolic import Output
from symshift.ops.rng import NoRng, StepRng


class Network(nn.Module):
    """A reader of stories. A subclass names the dataclass of what a preset sets of it as `Config`, and is built from
    one, a vocabulary and a random generator."""

    Config: ClassVar[type[Any]]  # a dataclass
    explains_answers: ClassVar[bool] = False  # its outputs align sentences with answers, so that these can be scored

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """What the network says of each question of a batch."""
        raise NotImplementedError

    def loss(self, output: Output, batch: Batch) -> Float[Tensor, " batch"]:
        """What training minimizes, in nats a question."""
        return -output.log_likelihood(batch.symbols, batch.answer)


class MemoryTrajectory(NamedTuple):
    """A memory over time: what its slots hold after each sentence. A memory whose vectors have further, symbolic dims
    has them behind its semantic ones."""

    contents: Float[Tensor, "batch sentence slot dim"]  # h_tj
    keys: Float[Tensor, "#batch slot key"]  # w_j
    present: Bool[Tensor, "batch sentence slot"]  # slots that exist by then
    question: Float[Tensor, "batch asked"]  # q
    real: Bool[Tensor, "batch sentence"]
    trace: dict[str, Tensor]  # as in `symbols.Output`, of all but the answer
    own_answer: Callable[[], Output]  # the network's, from what the slots hold at the end


class Memory(Network):
    """A network whose memory can be looked at as it was after each sentence, so that others answer from it, or explain
    its answers (`temporal_attention`)."""

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        """Semantic dims of contents, keys and question."""
        raise NotImplementedError

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """The memory over time."""
        raise NotImplementedError

    def answer(
        self, question: Float[Tensor, "batch asked"], found: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """The answer from what was found in the memory's contents."""
        raise NotImplementedError

    def answer_words(self) -> Float[Tensor, "vocabulary word"]:
        """The vectors by which an answer is read again, a row a word."""
        raise NotImplementedError
