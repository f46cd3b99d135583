"""EntNet with a slot for each candidate, for one story, slot by slot and window by window, from section 5.3 of Henaff
et al. 2017. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from symshift.ops.functional import NEG_INF
from tests.naive.reading import Reading, context, stretch


class Twin:
    """The slow twin."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        self.network = network
        self.column = {word: column for column, word in enumerate(vocabulary.words)}

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        listed, *windows = story
        candidates = list(dict.fromkeys(listed))
        keys = slots = {word: self.vector(word, candidates) for word in candidates}
        for window in windows:
            s = self.embed(window, self.network.sentence_encoder, candidates)
            opener = self.embed(window, self.network.gate_encoder, candidates)
            gates = {word: torch.sigmoid(opener @ h + opener @ keys[word]) for word, h in slots.items()}
            slots = {word: h + gates[word] * s for word, h in slots.items()}
        q = self.embed(question, self.network.question_encoder, candidates)
        seen, nothing = context(story, question), 0 * self.network.words.sum(-1)
        scores = [q @ slots[word] if word in slots else q.new_tensor(NEG_INF) for word in seen]
        return Reading(self.column, nothing, seen, torch.stack(scores), q.new_zeros(()))

    def vector(self, word: str, candidates: list[str]) -> Tensor:
        """Return e; of a word never seen, the vector of its index among the candidates, or zero."""
        if word in self.column:
            return self.network.words[self.column[word]]
        by_index = self.network.candidate_embeddings
        return by_index[candidates.index(word)] if word in candidates else torch.zeros_like(by_index[0])

    def embed(self, words: list[str], encoder: torch.nn.Module, candidates: list[str]) -> Tensor:
        """Return sum_i f_i * e_i."""
        pairs = zip(words, stretch(encoder.position, words), strict=True)
        return sum(f * self.vector(word, candidates) for word, f in pairs)
