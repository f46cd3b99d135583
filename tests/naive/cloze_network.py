"""EntNet with a slot for each candidate, for one story, slot by slot and window by window, from section 5.3 of Henaff
et al. 2017. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from symshift.models.symbolic import NEG_INF
from tests.naive.reading import Reading, context, stretch


class Twin:
    """The slow twin."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network = network
        self.column = {word: place for place, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        listed, *windows = story
        candidates = list(dict.fromkeys(listed))
        keys = slots = {word: self.vector(word, candidates) for word in candidates}
        for window in windows:
            s, opener = (self.embed(window, mask, candidates) for mask in (self.network.sentence, self.network.opener))
            gates = {word: torch.sigmoid(opener @ h + opener @ keys[word]) for word, h in slots.items()}
            slots = {word: h + gates[word] * s for word, h in slots.items()}
        q = self.embed(question, self.network.question, candidates)
        seen, nothing = context(story, question), 0 * self.network.words.sum(-1)
        scores = [q @ slots[word] if word in slots else q.new_tensor(NEG_INF) for word in seen]
        return Reading(self.column, nothing, seen, torch.stack(scores), q.new_zeros(()))

    def vector(self, word: str, candidates: list[str]) -> Tensor:
        """e; of a word never seen, that of its place among the candidates, or zero."""
        if word in self.column:
            return self.network.words[self.column[word]]
        strangers = self.network.strangers
        return strangers[candidates.index(word)] if word in candidates else torch.zeros_like(strangers[0])

    def embed(self, words: list[str], mask: torch.nn.Module, candidates: list[str]) -> Tensor:
        """sum_i f_i * e_i."""
        pairs = zip(words, stretch(mask.position, words), strict=True)
        return sum(f * self.vector(word, candidates) for word, f in pairs)
