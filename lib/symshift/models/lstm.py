"""The LSTM baseline: the story and then the question, word by word, and an answer from the last state.

Hochreiter & Schmidhuber 1997, with a forget gate; the baseline of Weston et al. 2015.

    i f o = sigmoid(W x + U h + b)    c <- f * c + i * tanh(W' x + U' h + b')    h = o * tanh(c)

Deviations, on purpose: blank words change nothing; the forget gate's bias starts at one.

Why not `nn.LSTM`: it skips padding at the end of a sequence only, and here every sentence is padded; and its fused
kernel cannot run under `torch.func.vmap`, which is how many models train as one.
"""

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.constraints import Count, Rate
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Network, Output
from symshift.models.layers import normal_parameter, uniform_parameter
from symshift.models.registry import register
from symshift.ops.functional import embed, project
from symshift.ops.rng import NoRng, Site, StepRng


@dataclass(frozen=True)
class LongShortTermMemoryConfig:
    """What a preset sets of an LSTM."""

    dim: Count  # of a word vector
    hidden: Count
    dropout: Rate  # of word vectors and of the last state


@register("lstm", colour="#A6A6A6", marker="<", after="posthoc")
class LongShortTermMemory(Network):
    """An LSTM of one layer."""

    Config = LongShortTermMemoryConfig

    def __init__(self, config: LongShortTermMemoryConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__()
        self.config = config
        words, dim, hidden = len(vocabulary.words), config.dim, config.hidden
        uniform = partial(uniform_parameter, hidden**-0.5, generator)
        self.words = normal_parameter(0.1, generator, words, dim)
        self.from_word = uniform(dim, 4 * hidden)  # of i, f, o and the cell's candidate
        self.from_state = uniform(hidden, 4 * hidden)
        self.bias = nn.Parameter(torch.zeros(4 * hidden))
        with torch.no_grad():
            self.bias[hidden : 2 * hidden] = 1
        self.projection = uniform(words, hidden)

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch word dim"]]:
        """Return the state after the last word of the question, and the question's word vectors."""
        ids = torch.cat((batch.story.flatten(1), batch.question), 1)
        vectors = rng.dropout(embed(self.words, ids), self.config.dropout, site=Site.LSTM_WORDS)
        word_proj = project(vectors, self.from_word) + self.bias
        word_mask = (ids > 0).unsqueeze(-1)
        state = cell = torch.zeros_like(word_proj[:, 0, : self.config.hidden])
        for proj, mask in zip(word_proj.unbind(1), word_mask.unbind(1), strict=True):
            inner = proj + project(state, self.from_state)
            gates, candidate = inner.split((3 * self.config.hidden, self.config.hidden), -1)
            input_gate, forget_gate, output_gate = gates.sigmoid().chunk(3, -1)
            next_cell = forget_gate * cell + input_gate * candidate.tanh()
            state = torch.where(mask, output_gate * next_cell.tanh(), state)
            cell = torch.where(mask, next_cell, cell)
        return state, vectors[:, -batch.question.shape[1] :]

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch."""
        state, question_words = self.encode(batch, rng)
        last = rng.dropout(state, self.config.dropout, site=Site.LSTM_STATE)
        return Output(project(last, self.projection.mT), None, None, {"question_words": question_words})
