"""Temporal attention: which sentences answer the question, as a part that plugs into any memory seen over time.

Palma 2020, "Temporal attention modules for memory-augmented neural networks", Eq. 1-13 and 22. Intra-attention
looks over the slots of the memory after each sentence, inter-attention over the sentences:

    intra_tj = softmax_j(v . tanh(A h_tj + B w_j + C q))        memory_t = sum_j intra_tj h_tj
    align_t = w . tanh(D memory_t + E q)                        inter_t = softmax_t(align_t)

Pre-hoc answers from u = sum_t inter_t memory_t by the plugged network's own head; teacher forced, the supporting facts
stand in for inter_t; weak is pre-hoc without the loss on facts. Post-hoc leaves the answer as it is and explains it: q
has the answer's word vector beside it.

Deviations, on purpose: intra-attention is over slots (the paper's softmax over t, Eq. 2, is a slip that its code does
not make); an answer is embedded by its word (the released code takes the row of its class in the table of words);
blank sentences take no part in either attention or loss; the loss on facts is the mean over a story's facts plus that
over its other sentences, which is the paper's weight n_neg / n_pos but for a factor that is zero where all sentences
are facts (task 17); a memory of semantic and symbolic dims is looked at through the former, and both are summed.
"""

from dataclasses import dataclass, make_dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory
from symshift.models.layers import project
from symshift.models.symbolic import Output, embed, mask_logits
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.slot_attention.function import intra_attention

SPREAD = 0.1  # of the matrices at the start


@dataclass(frozen=True)
class TemporalAttentionConfig:
    """What a preset sets of temporal attention, beside what it sets of the memory."""

    width: int  # of both additive attentions
    answer_weight: float  # lambda_qa
    facts_weight: float  # lambda_sf


class TemporalAttention(nn.Module):
    """Both attentions (Eq. 1-5 and 8-12)."""

    def __init__(self, contents: int, keys: int, asked: int, width: int, generator: torch.Generator):
        super().__init__()

        def matrix(inner: int) -> nn.Parameter:
            return nn.Parameter(SPREAD * torch.randn(inner, width, generator=generator))

        self.contents, self.keys, self.asked = matrix(contents), matrix(keys), matrix(asked)  # A, B, C
        self.memory, self.asked_again = matrix(contents), matrix(asked)  # D, E
        self.slot, self.sentence = (nn.Parameter(torch.ones(width)) for _ in range(2))  # v, w

    def forward(
        self, timeline: MemoryTrajectory, asked: Float[Tensor, "batch asked"]
    ) -> tuple[
        Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"], Float[Tensor, "batch sentence"]
    ]:
        """Intra-attention, the memory it makes of each sentence's slots, and the alignment of each sentence."""
        contents, keys, dims = timeline.contents, timeline.keys, len(self.contents)
        fixed = project(keys[..., : len(self.keys)], self.keys) + (asked @ self.asked).unsqueeze(1)
        intra, memory = intra_attention(contents, fixed, self.contents, self.slot, timeline.present)
        hidden = torch.tanh(project(memory[..., :dims], self.memory) + (asked @ self.asked_again).unsqueeze(1))
        return intra, memory, mask_logits((hidden * self.sentence).sum(-1), timeline.real)


class Temporal(Memory):
    """What the modules share. To be listed before a memory, as `plug` does: `super()` is that memory."""

    explains_answers = True

    def __init__(self, config: TemporalAttentionConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        contents, keys, question = self.memory_dims
        self.attention = TemporalAttention(contents, keys, question + self.beside(), config.width, generator)

    def beside(self) -> int:
        """Dims that stand beside the question's."""
        return 0

    def loss(self, output: Output, batch: Batch) -> Float[Tensor, " batch"]:
        """The joint loss (Eq. 13)."""
        real = (batch.story > 0).any(-1)
        facts = facts_loss(output.alignment, batch.supporting, real)
        return self.config.answer_weight * super().loss(output, batch) + self.config.facts_weight * facts


class PreHoc(Temporal):
    """The answer from the sentences attended to."""

    def over_sentences(self, alignment: Float[Tensor, "batch sentence"], batch: Batch) -> Float[Tensor, "..."]:
        """The weight of each sentence in the answer."""
        return alignment.softmax(-1)

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        timeline = self.unroll(batch, rng)
        intra, memory, alignment = self.attention(timeline, timeline.question[:, : self.memory_dims[2]])
        inter = self.over_sentences(alignment, batch)
        output = self.answer(timeline.question, torch.einsum("bt,btd->bd", inter, memory), rng)
        trace = {"attention": inter.unsqueeze(1), "slot_attention": intra}
        return output._replace(alignment=alignment, trace=timeline.trace | trace)


class TaughtPreHoc(PreHoc):
    """Teacher forced: the answer from the sum over the supporting facts (Eq. 22), when training and when tested."""

    def over_sentences(self, alignment: Float[Tensor, "batch sentence"], batch: Batch) -> Float[Tensor, "..."]:
        return batch.supporting.to(alignment.dtype)


class PostHoc(Temporal):
    """The memory's own answer, explained: the sentences that belong to this question and this answer, which is read by
    the vector of its likeliest known word."""

    def beside(self) -> int:
        return self.answer_words().shape[-1]

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        timeline = self.unroll(batch, rng)
        output = timeline.own_answer()
        vectors = self.answer_words()
        unseen = len(vectors) + 1
        chances = sum(output.component_probabilities(batch.symbols.clamp(max=unseen), unseen + 1))
        chosen = embed(vectors, 1 + chances[:, 1:unseen].argmax(-1))
        asked = torch.cat((timeline.question[:, : self.memory_dims[2]], chosen), -1)
        intra, _, alignment = self.attention(timeline, asked)
        trace = {"attention": alignment.softmax(-1).unsqueeze(1), "slot_attention": intra}
        return output._replace(alignment=alignment, trace=timeline.trace | output.trace | trace)


def facts_loss(
    alignment: Float[Tensor, "batch sentence"],
    supporting: Bool[Tensor, "batch sentence"],
    real: Bool[Tensor, "batch sentence"],
) -> Float[Tensor, " batch"]:
    """The binary cross entropy of each story's alignments, facts and other sentences counting alike."""
    entropy = F.binary_cross_entropy_with_logits(alignment, supporting.to(alignment.dtype), reduction="none")

    def mean(which: Bool[Tensor, "batch sentence"]) -> Float[Tensor, " batch"]:
        return torch.where(which, entropy, 0).sum(-1) / which.sum(-1).clamp(min=1)

    return mean(supporting) + mean(real & ~supporting)


def plug(module: type[Temporal], memory: type[Memory]) -> type[Temporal]:
    """The network of a memory with a temporal attention module, and the sizes of both."""
    name = module.__name__ + memory.__name__
    config = make_dataclass(f"{name}Config", (), bases=(TemporalAttentionConfig, memory.Config), frozen=True)
    config.__module__ = __name__
    globals()[config.__name__] = config  # where pickle looks for it: a sweep sends configs to other processes
    return type(name, (module, memory), {"__doc__": f"{memory.__name__} with {module.__name__}.", "Config": config})
