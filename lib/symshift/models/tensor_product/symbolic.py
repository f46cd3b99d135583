"""STPR and GSTPR: TPR-RNN whose keys have a semantic and a symbolic half (symbol-shift paper, section 4.1).

GSTPR is ours: STPR with signed pointers in place of the symbolic layers.

What the paper leaves open: alpha and beta start at 0.5, lambda and gamma as `SymbolicLayers` says; dropout spares the
symbolic half; layer norm is over the dims of this story's symbols, with scalars, for a gain of each dim would tell
symbols apart.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from symshift.constraints import Signed
from symshift.data.encoding import Batch, Vocabulary
from symshift.models.base import Output
from symshift.models.registry import register
from symshift.models.symbolic import SignedPointers, SymbolicLayers, SymbolWeight, count_symbols
from symshift.models.tensor_product.model import (
    NUM_ENTITIES,
    NUM_READS,
    RELATIONS,
    EntityRelationVectors,
    TensorProduct,
    TensorProductConfig,
    encoder_trace,
)
from symshift.ops.functional import project
from symshift.ops.rng import NoRng, Site, StepRng

SENTENCE_HEADS = (NUM_ENTITIES, len(RELATIONS))  # e1 e2, r1 r2 r3
QUESTION_HEADS = (1, NUM_READS)  # n, l1 l2 l3


class HybridTensorProduct(TensorProduct):
    """What STPR and GSTPR share: keys of semantic, then symbolic dims, and an answer mixed from both halves."""

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.alpha = SymbolWeight(len(vocabulary.words))
        self.beta = nn.Parameter(torch.zeros(()))  # its log-odds

    def symbolic_vectors(
        self, batch: Batch, question: Float[Tensor, "batch word dim"], rng: StepRng | NoRng
    ) -> tuple[EntityRelationVectors, dict[str, Tensor]]:
        """Return the symbolic halves of the keys, and their part of the trace.

        Args:
            batch: Stories and questions.
            question: Word vectors of the question.
            rng: Dropout.
        """
        raise NotImplementedError

    def encode(
        self, batch: Batch, rng: StepRng | NoRng
    ) -> tuple[EntityRelationVectors, Float[Tensor, "batch entity"], dict[str, Tensor]]:
        """Return keys of both halves, which dims of an entity are real (1, else 0), and the trace so far."""
        question = self.embed_words(batch.question, rng)
        bags = self.embed_sentences(batch.story, rng), self.question(question)
        semantic = self.entity_relation_vectors(*bags, rng)
        symbolic, trace = self.symbolic_vectors(batch, question, rng)
        pairs = zip(semantic, symbolic, strict=True)
        vectors = self.clip_key_norms(EntityRelationVectors(*(torch.cat(pair, -1) for pair in pairs)))
        symbol_mask = (batch.symbols > 0).to(question.dtype)
        dim_mask = torch.cat((torch.ones_like(semantic.query_entity[:, 0]), symbol_mask), -1)
        return vectors, dim_mask, trace | encoder_trace(question, vectors)

    def decode(self, h: Float[Tensor, "batch entity"], rng: StepRng | NoRng) -> Output:
        """Answer from both halves of the sum of the reads."""
        semantic, symbolic = h[:, : self.config.entity], h[:, self.config.entity :]
        logits = project(self.drop(semantic, rng, Site.READS), self.projection.mT)
        return Output(logits, symbolic, self.beta, {})


@register("stpr", colour="#CC6A14", marker="v", after="tpr")
class SymbolicTensorProduct(HybridTensorProduct):
    """STPR: the symbolic half of each head is the sentence's bag of symbols through two symbolic layers (Eq. 14-15)."""

    def __init__(self, config: TensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        self.story_symbols = SymbolicLayers(sum(SENTENCE_HEADS), generator)
        self.question_symbols = SymbolicLayers(sum(QUESTION_HEADS), generator)

    def symbolic_vectors(
        self, batch: Batch, question: Float[Tensor, "batch word dim"], rng: StepRng | NoRng
    ) -> tuple[EntityRelationVectors, dict[str, Tensor]]:
        """Return the symbols of sentences and question through the layers of each head."""
        symbol_mask, symbols = batch.symbols > 0, batch.symbols.shape[-1]
        alpha, alpha_question = self.alpha(batch.story), self.alpha(batch.question)
        story_heads = self.story_symbols(count_symbols(alpha, batch.story_symbols, symbols), symbol_mask)
        question_heads = self.question_symbols(
            count_symbols(alpha_question, batch.question_symbols, symbols), symbol_mask
        )
        return _split_heads(story_heads, question_heads), {"alpha": alpha, "alpha_question": alpha_question}


@dataclass(frozen=True)
class PointerTensorProductConfig(TensorProductConfig):
    """Settings of GSTPR: also where the mixture of bag, positive and negative pointer starts, give or take 0.5."""

    bag: Signed
    toward: Signed
    away: Signed


@register("gstpr", colour="#630A02", marker="^", after="stpr")
class PointerTensorProduct(HybridTensorProduct):
    """GSTPR: the symbolic half of each head is its own signed mixture of the sentence's words."""

    Config = PointerTensorProductConfig

    def __init__(self, config: PointerTensorProductConfig, vocabulary: Vocabulary, generator: torch.Generator):
        super().__init__(config, vocabulary, generator)
        start, dim = (config.bag, config.toward, config.away), self.words.shape[-1]
        self.story_pointers = SignedPointers(sum(SENTENCE_HEADS), dim, vocabulary.words_a_sentence, start, generator)
        self.question_pointers = SignedPointers(sum(QUESTION_HEADS), dim, vocabulary.words_a_question, start, generator)

    def symbolic_vectors(
        self, batch: Batch, question: Float[Tensor, "batch word dim"], rng: StepRng | NoRng
    ) -> tuple[EntityRelationVectors, dict[str, Tensor]]:
        """Return the mixture of bag and pointers of each head."""
        symbols = batch.symbols.shape[-1]
        alpha, alpha_question = self.alpha(batch.story), self.alpha(batch.question)
        pointers = self.story_pointers.pointers(self.embed_words(batch.story, rng), batch.story > 0)
        pointers_question = self.question_pointers.pointers(question, batch.question > 0)
        story_heads = self.story_pointers(pointers, alpha, batch.story_symbols, symbols)
        question_heads = self.question_pointers(pointers_question, alpha_question, batch.question_symbols, symbols)
        trace = {"alpha": alpha, "alpha_question": alpha_question}
        trace |= {"pointers": pointers, "pointers_question": pointers_question}
        return _split_heads(story_heads, question_heads), trace


def _split_heads(
    story: Float[Tensor, "batch sentence 5 symbol"], question: Float[Tensor, "batch 4 symbol"]
) -> EntityRelationVectors:
    # the gradient of a split has another layout in an ensemble than alone, and sums of it round otherwise
    entities, relations = story.split(SENTENCE_HEADS, -2)
    return EntityRelationVectors(entities, relations, question[:, :1], question[:, 1:])
