"""Ablations of TPR-RNN, and two other readings of the symbol-shift paper's dropout."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symshift.models.registry import register
from symshift.models.tensor_product.model import RELATIONS, EntityRelationVectors, TensorProduct
from symshift.models.tensor_product.symbolic import SymbolicTensorProduct
from symshift.ops.rng import NoRng, Site, StepRng


class AblatedTensorProduct(TensorProduct):
    """TPR-RNN with only some of the memory operations (Schlag & Schmidhuber 2018, Table 3).

    W writes by r1, M moves by r2, B links back by r3. Without an operation a sentence has no such relation vector: a
    zero key overlaps with nothing, so its row of the triangular system reads nothing and writes nothing.
    """

    def entity_relation_vectors(
        self,
        sentences: Float[Tensor, "batch sentence dim"],
        question: Float[Tensor, "batch dim"],
        rng: StepRng | NoRng,
    ) -> EntityRelationVectors:
        """Return the outputs of the perceptrons, with zeros for the relation vectors of absent operations."""
        vectors = super().entity_relation_vectors(sentences, question, rng)
        # not by `unbind`, whose gradient has another layout in an ensemble than alone; its sums round otherwise
        present = {name: vectors.relations[..., number, :] for number, name in enumerate(self.relations)}
        absent = torch.zeros_like(present["r1"])
        return vectors._replace(relations=torch.stack([present.get(name, absent) for name in RELATIONS], -2))


@register("tpr-w", family="tpr")
class Write(AblatedTensorProduct):
    """W alone."""

    relations = ("r1",)


@register("tpr-wm", family="tpr")
class WriteMove(AblatedTensorProduct):
    """W + M."""

    relations = ("r1", "r2")


@register("tpr-wb", family="tpr")
class WriteBack(AblatedTensorProduct):
    """W + B."""

    relations = ("r1", "r3")


@register("tpr-hidden", family="tpr")
class HiddenDropout(TensorProduct):
    """TPR-RNN with dropout of the perceptrons' hidden units alone.

    The symbol-shift paper gives its small models a dropout of 0.5 and does not say of what. Ours drop units of
    sentences and questions, hidden units of the perceptrons, and units of what is read. Does the place matter?
    """

    def drop(self, x: Float[Tensor, "*shape"], rng: StepRng | NoRng, site: int) -> Float[Tensor, "*shape"]:
        """Return x as it is."""
        return x


@register("stpr-hidden", family="stpr")
class SymbolicHiddenDropout(HiddenDropout, SymbolicTensorProduct):
    """STPR with dropout of the perceptrons' hidden units alone."""


@register("tpr-words", family="tpr")
class WholeWordDropout(HiddenDropout):
    """TPR-RNN with dropout of whole words alone.

    Each word of story and question loses its vector with this probability, and keeps its symbol. Unlike `word_dropout`,
    another occurrence of the word in the example may keep it.
    """

    hidden_dropout = 0.0

    def embed_words(
        self, ids: Int[Tensor, "batch *position"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch *position dim"]:
        """Return word vectors, some of them zero."""
        vectors = super().embed_words(ids, rng)
        site = Site.WHOLE_STORY_WORDS if ids.ndim == 3 else Site.WHOLE_QUESTION_WORDS
        return vectors * rng.dropout(torch.ones_like(vectors[..., :1]), self.config.dropout, site)

    def embed_sentences(
        self, story: Int[Tensor, "batch sentence word"], rng: StepRng | NoRng
    ) -> Float[Tensor, "batch sentence dim"]:
        """Return each sentence as the bag of the vectors that its words have left."""
        return self.sentence(self.embed_words(story, rng))


@register("stpr-words", family="stpr")
class SymbolicWholeWordDropout(WholeWordDropout, SymbolicTensorProduct):
    """STPR with dropout of whole words alone."""
