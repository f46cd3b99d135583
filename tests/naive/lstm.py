"""The LSTM baseline for one story, word by word, by PyTorch's own cell. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive.reading import Reading


class Twin:
    """The slow twin of the LSTM."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network = network
        self.column = {word: place for place, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        hidden = self.network.config.hidden
        state = cell = self.network.words.new_zeros(1, hidden)
        blank = state.new_zeros(4 * hidden)
        parts = (self.network.from_word.T, self.network.from_state.T, self.network.bias)
        weights = [self.torch_order(part, hidden) for part in parts]
        for word in [word for sentence in story for word in sentence] + question:
            state, cell = torch.lstm_cell(self.vector(word)[None], (state, cell), *weights, blank)
        return Reading(self.column, self.network.projection @ state[0])

    def torch_order(self, rows: Tensor, hidden: int) -> Tensor:
        """Rows for i, f, o and the candidate, as PyTorch wants them: i, f, candidate, o."""
        enter, keep, show, candidate = rows.split(hidden)
        return torch.cat((enter, keep, candidate, show))

    def vector(self, word: str) -> Tensor:
        """Zero for a word never seen."""
        table = self.network.words
        return table[self.column[word]] if word in self.column else table.new_zeros(table.shape[-1])
