"""Temporal attention: which sentences answer the question, as a module on top of any memory.

Palma 2020, "Temporal Attention Modules for Memory-Augmented Neural Networks", Eq. 1-13 and 22. Intra-attention looks
over the slots h_tj (with keys w_j) of the memory after each sentence t, inter-attention over the sentences:

    intra_tj = softmax_j(v . tanh(A h_tj + B w_j + C q))        memory_t = sum_j intra_tj h_tj
    alignment_t = w . tanh(D memory_t + E q)                    inter_t = softmax_t(alignment_t)

Pre-hoc answers from u = sum_t inter_t memory_t by the head of the memory's own network; teacher forced, the supporting
facts stand in for inter_t; weak is pre-hoc without the loss on facts. Post-hoc leaves the answer as it is and explains
it: the answer's word vector is appended to q.

Deviations, on purpose: intra-attention is over slots (the paper's softmax over t, Eq. 2 and 9, is a slip that its code
does not make); matrices start from N(0, 0.1), v and w at one, as in the released code (in the paper's appendix C all
start from N(0, 1)); the answer is any word of training, as in `entity_network` (the paper chooses among possible
answers); an answer is embedded by its word (the released code takes the row of its class in the table of words); blank
sentences take no part in attention or loss; the loss on facts is the mean over a story's facts plus that over its other
sentences, which is the paper's weight n_neg / n_pos of this story (the released code counts over all of them) up to a
factor that is zero where all sentences are facts (task 17); teacher forced, alignments are still computed and trained,
as in the released code (the paper predicts none then); of a memory of semantic and symbolic dims, A, B and D see the
semantic ones, and the sums take in both.
"""

from dataclasses import dataclass, make_dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from symshift.constraints import Count
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Memory, MemoryTrajectory, Output
from symshift.models.layers import normal_parameter
from symshift.ops.functional import embed, mask_logits, project, weighted_sum
from symshift.ops.rng import NoRng, StepRng
from symshift.ops.slot_attention import slot_attention

INIT_STD = 0.1  # of the matrices A to E


@dataclass(frozen=True)
class TemporalAttentionConfig:
    """Settings of temporal attention, besides those of the memory."""

    width: Count  # of both additive attentions
    answer_weight: float  # lambda_qa
    facts_weight: float  # lambda_sf


class TemporalAttention(nn.Module):
    """Intra-attention, and the alignments that inter-attention is the softmax of (Eq. 1-4 and 8-11)."""

    def __init__(self, slot_dims: int, key_dims: int, query_dims: int, width: int, generator: torch.Generator):
        super().__init__()
        self.weight_a = normal_parameter(INIT_STD, generator, slot_dims, width)
        self.weight_b = normal_parameter(INIT_STD, generator, key_dims, width)
        self.weight_c = normal_parameter(INIT_STD, generator, query_dims, width)
        self.weight_d = normal_parameter(INIT_STD, generator, slot_dims, width)
        self.weight_e = normal_parameter(INIT_STD, generator, query_dims, width)
        self.slot_score = nn.Parameter(torch.ones(width))  # v
        self.sentence_score = nn.Parameter(torch.ones(width))  # w

    def forward(
        self, trajectory: MemoryTrajectory, query: Float[Tensor, "batch query"]
    ) -> tuple[
        Float[Tensor, "batch sentence slot"], Float[Tensor, "batch sentence dim"], Float[Tensor, "batch sentence"]
    ]:
        """Attend to slots, then score sentences.

        Args:
            trajectory: The memory after each sentence.
            query: q, for post-hoc attention with the answer's word vector appended.

        Returns:
            Intra-attention, the memory that it mixes from each sentence's slots, and the alignment of each sentence.
        """
        contents, keys, dims = trajectory.contents, trajectory.keys, len(self.weight_a)
        key_proj, query_proj = project(keys[..., : len(self.weight_b)], self.weight_b), project(query, self.weight_c)
        key_query_proj = key_proj + query_proj.unsqueeze(1)
        intra, memory = slot_attention(contents, key_query_proj, self.weight_a, self.slot_score, trajectory.slot_mask)
        hidden = torch.tanh(project(memory[..., :dims], self.weight_d) + project(query, self.weight_e).unsqueeze(1))
        return intra, memory, mask_logits((hidden * self.sentence_score).sum(-1), trajectory.sentence_mask)


class Temporal(Memory):
    """Base of the three modules. Stands before a memory in a class's bases, so that `super()` is the memory."""

    explains_answers = True
    config: Any  # its own settings and the memory's

    def __init__(self, config: TemporalAttentionConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        contents, keys, question = self.memory_dims
        self.attention = TemporalAttention(contents, keys, question + self.extra_query_dims(), config.width, generator)

    def extra_query_dims(self) -> int:
        """Return how many dims the query has besides the question's."""
        return 0

    def loss(self, output: Output, batch: Batch) -> Float[Tensor, " batch"]:
        """Return the joint loss of answer and facts (Eq. 13)."""
        sentence_mask = batch.sentence_mask
        assert output.alignment is not None
        facts = facts_loss(output.alignment, batch.supporting, sentence_mask)
        return self.config.answer_weight * super().loss(output, batch) + self.config.facts_weight * facts


class PreHoc(Temporal):
    """Answers from the sentences attended to."""

    def sentence_weights(
        self,
        alignment: Float[Tensor, "batch sentence"],
        batch: Batch,
    ) -> Float[Tensor, "batch sentence"]:
        """Return the weight of each sentence in the answer: inter-attention."""
        return alignment.softmax(-1)

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch, with an alignment of each sentence."""
        trajectory = self.unroll(batch, rng)
        _, _, question_dims = self.memory_dims
        intra, memory, alignment = self.attention(trajectory, trajectory.question[:, :question_dims])
        weights = self.sentence_weights(alignment, batch)
        output = self.answer(trajectory.question, weighted_sum(weights, memory), rng)
        trace = {"attention": weights.unsqueeze(1), "slot_attention": intra}
        return output._replace(alignment=alignment, trace=trajectory.trace | trace)


class TeacherForcedPreHoc(PreHoc):
    """Answers from the sum over the supporting facts (Eq. 22), in training and in tests."""

    def sentence_weights(
        self, alignment: Float[Tensor, "batch sentence"], batch: Batch
    ) -> Float[Tensor, "batch sentence"]:
        """Return 1 for supporting facts, 0 for other sentences."""
        return batch.supporting.to(alignment.dtype)


class PostHoc(Temporal):
    """Explains the memory's own answer: which sentences belong to this question and this answer.

    The answer is embedded by the vector of its most probable word of the vocabulary.
    """

    def extra_query_dims(self) -> int:
        """Return how many dims the answer's vector has."""
        return self.answer_words().shape[-1]

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch as the memory does, with an alignment of each sentence."""
        trajectory = self.unroll(batch, rng)
        output = trajectory.own_answer()
        _, _, question_dims = self.memory_dims
        query = torch.cat((trajectory.question[:, :question_dims], self.embed_answer(output, batch)), -1)
        intra, _, alignment = self.attention(trajectory, query)
        trace = {"attention": alignment.softmax(-1).unsqueeze(1), "slot_attention": intra}
        return output._replace(alignment=alignment, trace=trajectory.trace | output.trace | trace)

    def embed_answer(self, output: Output, batch: Batch) -> Float[Tensor, "batch word"]:
        """Return the vector of each question's most probable word of the vocabulary."""
        vectors = self.answer_words()
        unseen = len(vectors) + 1  # the one id that all words outside the vocabulary get
        semantic, symbolic = output.component_probabilities(batch.symbols.clamp(max=unseen), unseen + 1)
        return embed(vectors, 1 + (semantic + symbolic)[:, 1:unseen].argmax(-1))


def facts_loss(
    alignment: Float[Tensor, "batch sentence"],
    supporting: Bool[Tensor, "batch sentence"],
    sentence_mask: Bool[Tensor, "batch sentence"],
) -> Float[Tensor, " batch"]:
    """Return the binary cross entropy of each story's alignments in nats, its mean over facts plus that over others.

    Args:
        alignment: Logits; the higher, the surer is the model that a sentence supports the answer.
        supporting: Sentences that support the answer.
        sentence_mask: Sentences that are not blank.
    """
    # torch's own function rounds otherwise alone than in an ensemble
    shift = (-alignment).clamp(min=0)  # so that no exponential overflows
    entropy = (1 - supporting.to(alignment.dtype)) * alignment + shift
    entropy = entropy + ((-shift).exp() + (-alignment - shift).exp()).log()

    def mean(mask: Bool[Tensor, "batch sentence"]) -> Float[Tensor, " batch"]:
        return torch.where(mask, entropy, 0).sum(-1) / mask.sum(-1).clamp(min=1)

    return mean(supporting) + mean(sentence_mask & ~supporting)


def with_temporal_attention(module: type[Temporal], memory: type[Memory]) -> type[Temporal]:
    """Return the network of a memory with a temporal attention module, whose config has the settings of both."""
    name = module.__name__ + memory.__name__
    config = make_dataclass(f"{name}Config", (), bases=(TemporalAttentionConfig, memory.Config), frozen=True)
    config.__module__ = __name__
    if not memory.__module__.startswith("symshift."):  # a memory of a person's own may have the name of one of ours
        config.__qualname__ = f"{memory.__module__}_{config.__name__}".replace(".", "_")
    globals()[config.__qualname__] = config  # where pickle looks for it: a sweep sends configs to other processes
    doc = f"{memory.__name__} with {module.__name__}."
    members = {"__doc__": doc, "__module__": memory.__module__, "Config": config}  # a person's memory makes it theirs
    return type(name, (module, memory), members)
