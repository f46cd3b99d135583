"""Temporal attention for one story, slot by slot and sentence by sentence, from Eq. 1-13 and 22 of its paper, on the
slow twin of any memory. Only the parameters are the network's."""

import torch
from torch import Tensor

from symshift.data.encoding import Vocabulary
from tests.naive import entity_network, memory_network, tensor_product
from tests.naive.reading import Moment, Reading


class Twin:
    """The slow twin of a memory with temporal attention. Every other sentence is a fact, as in `helpers.small`."""

    def __init__(self, network: torch.nn.Module, kind: str, vocabulary: Vocabulary):
        memory, _, module = kind.rpartition("+")
        twins = {"": entity_network, "mn": memory_network}
        self.memory = twins.get(memory, tensor_product).Twin(network, memory or "entnet", vocabulary)
        self.network, self.module, self.attention = network, module, network.attention
        self.words, self.column = vocabulary.words, self.memory.column

    def read(self, story: list[list[str]], question: list[str]) -> Reading:
        moments = self.memory.unroll(story, question)
        q = moments[0].question
        if self.module == "posthoc":
            return self.memory.read(story, question)
        query = self.semantic_dims(q, self.attention.weight_c)
        memories, alignments = zip(*[self.attend(moment, query) for moment in moments], strict=True)
        if self.module == "prehoc":
            weights = torch.softmax(torch.stack(alignments), 0)
        else:
            weights = [1.0 - number % 2 for number in range(len(story))]
        return self.memory.answer(q, sum(weight * memory for weight, memory in zip(weights, memories, strict=True)))

    def align(self, story: list[list[str]], question: list[str]) -> Tensor:
        """align_t of each sentence."""
        moments = self.memory.unroll(story, question)
        query = self.semantic_dims(moments[0].question, self.attention.weight_c)
        if self.module == "posthoc":
            reading, vectors = self.memory.read(story, question), moments[0].words
            best = max(range(len(self.words)), key=lambda column: reading.probability(self.words[column]).item())
            dims = len(self.attention.weight_c) - vectors.shape[-1]
            query = torch.cat((moments[0].question[:dims], vectors[best]))
        return torch.stack([self.attend(moment, query)[1] for moment in moments])

    def attend(self, moment: Moment, query: Tensor) -> tuple[Tensor, Tensor]:
        """The memory made of a sentence's slots, and its alignment."""
        attention = self.attention
        a, b, c, d, e = (getattr(attention, f"weight_{letter}") for letter in "abcde")
        scores = [
            attention.slot_score @ torch.tanh(self.semantic_dims(h, a) @ a + self.semantic_dims(w, b) @ b + query @ c)
            for h, w in zip(moment.contents, moment.keys, strict=True)
        ]
        intra = torch.softmax(torch.stack(scores), 0)
        memory = sum(share * h for share, h in zip(intra, moment.contents, strict=True))
        return memory, attention.sentence_score @ torch.tanh(self.semantic_dims(memory, d) @ d + query @ e)

    def semantic_dims(self, x: Tensor, matrix: Tensor) -> Tensor:
        """The semantic dims, as many as the matrix takes."""
        return x[: len(matrix)]

    def facts_loss(self, story: list[list[str]], question: list[str]) -> Tensor:
        """The mean over the facts of -log sigmoid(align_t), and that over the others of -log(1 - sigmoid(align_t))."""
        chances = torch.sigmoid(self.align(story, question))
        facts, others = chances[::2], 1 - chances[1::2]
        return sum(-part.log().mean() for part in (facts, others) if len(part))
