"""The contract that every network obeys.

Begin here to write one of your own:

    @dataclass(frozen=True)
    class MeanOfWordsConfig:
        dim: int

    @register("mean-of-words")
    class MeanOfWords(Network):
        Config = MeanOfWordsConfig

        def __init__(self, config, vocabulary, generator):
            super().__init__()
            words = len(vocabulary.words)
            self.words = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))
            self.output = nn.Parameter(0.1 * torch.randn(words, config.dim, generator=generator))

        def forward(self, batch, rng):
            hidden = embed(self.words, batch.story).sum((1, 2)) + embed(self.words, batch.question).sum(1)
            return Output(project(hidden, self.output.mT), None, None, {})

What training counts on:

- Initial values come from `generator` alone, randomness in training from `rng` alone: a seed is then the whole story.
- `forward` is a function of its arguments and the parameters. It runs under `torch.func.vmap` for many models at once,
  so it changes no tensor of the batch, keeps nothing between calls and asks no tensor for a Python number. A model
  alone is called without vmap: `ops.functional.project` and `models.layers.LayerNorm` round alike in both, `@` and
  torch's layer norm may not.
- `batch.answer` is for `loss` alone: a network that answers from it has no errors, and no use.
- Ids of words are 1 to V for the vocabulary, higher for words never seen in training, 0 for padding. Blank
  sentences change nothing wherever they stand, blank words and blank symbols nothing at the end. A batch may be empty.
- A test may have stories, sentences and questions that are longer than the longest of training, which the vocabulary
  says; `RunConfig.sentences` is the most sentences that are read.
"""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, pad

from symshift.data.encoding import Batch
from symshift.errors import InputError
from symshift.ops.functional import NEG_INF, mask_logits
from symshift.ops.rng import NoRng, StepRng


class Output(NamedTuple):
    """What a network answers to each question of a batch: a distribution over words.

    A network without symbols leaves the symbolic half None; its answer is the softmax of `semantic` over the
    vocabulary. With symbols it is beta times that plus (1 - beta) times the softmax of `symbolic` over the context
    (Eq. 3-4 of the symbol-shift paper).

    `trace` has named inner values of this forward pass. A network gives those that it has; notebooks and `ask` show
    them:

        question_words                     batch word dim                 word vectors of the question (first table)
        alpha, alpha_question              batch (sentence) word (table)  how much each word is a symbol
        pointers, pointers_question        batch (sentence) word 2 head   signed pointers, positive then negative
        entities, relations                batch sentence head dim        e1 e2, r1 r2 r3
        query_entity, query_relations      batch head dim                 n, l1 l2 l3 of the question
        read1, read2, read3                batch dim                      reads of a tensor-product memory
        memories                           batch sentence table dim       sentences by the tables of a memory network
        query                              batch dim                      its question, u^(0)
        attention                          batch hop sentence             over sentences; of a Transformer in each layer
        head_attention                     batch layer head token         of the question, which is the first token
        ponder                             batch token                    steps of a token, and what was left
        slot_attention                     batch (sentence) slot          over slots
        update_gates                       batch layer sentence           how far a sentence changes the reduced query
        write_gates                        batch slot sentence            how far an entity network rewrites a slot

    Symbolic dims follow semantic ones.

    Attributes:
        semantic: Logits over the vocabulary; column i is the word of id i + 1.
        symbolic: Logits over the context symbols, those of `batch.symbols`.
        log_odds: Of the semantic half against the symbolic, one number or one for each question; beta is its sigmoid.
        trace: See above.
        alignment: From networks that say which sentences support the answer, a score for each sentence, the higher the
            surer, NEG_INF for blank ones.
    """

    semantic: Float[Tensor, "batch vocabulary"]
    symbolic: Float[Tensor, "batch symbol"] | None
    log_odds: Float[Tensor, ""] | Float[Tensor, " batch"] | None
    trace: dict[str, Tensor]
    alignment: Float[Tensor, "batch sentence"] | None = None

    def log_likelihood(
        self, symbols: Int[Tensor, "batch symbol"], answer: Int[Tensor, " batch"]
    ) -> Float[Tensor, " batch"]:
        """Return log p(answer) of each question (Eq. 3-4), in nats.

        Args:
            symbols: The word id of each context symbol, `batch.symbols`.
            answer: The word id of the right answer, `batch.answer`; it may be above the vocabulary.
        """
        in_vocabulary = answer <= self.semantic.shape[-1]
        column = torch.where(in_vocabulary, answer - 1, 0).unsqueeze(-1)
        semantic = self.semantic.log_softmax(-1).gather(-1, column).squeeze(-1)
        semantic = torch.where(in_vocabulary, semantic, NEG_INF)
        if self.symbolic is None or self.log_odds is None:
            return semantic
        symbolic = mask_logits(self.symbolic, symbols > 0).log_softmax(-1)
        symbolic = mask_logits(symbolic, symbols == answer.unsqueeze(-1)).logsumexp(-1)
        return torch.logaddexp(logsigmoid(self.log_odds) + semantic, logsigmoid(-self.log_odds) + symbolic)

    def hide_context(
        self,
        symbols: Int[Tensor, "batch symbol"],
        keep: Bool[Tensor, " batch"],
        hidable_words: Bool[Tensor, " word"] | None = None,
    ) -> "Output":
        """Return the output with the context's words masked in the semantic half, so that only symbols can say them.

        Args:
            symbols: The word id of each context symbol, `batch.symbols`.
            keep: Examples whose semantic logits stay as they are.
            hidable_words: The words, from id 1 on, that may be masked; by default all.

        Raises:
            InputError: The network has no symbols.
        """
        if self.symbolic is None:
            raise InputError(
                "answer_dropout hides words that symbols can say, but this network has no symbols; set it to 0"
            )
        column = torch.arange(1, self.semantic.shape[-1] + 1, device=symbols.device)
        hidden = (symbols.unsqueeze(-1) == column).any(-2)
        if hidable_words is not None:
            hidden = hidden & hidable_words
        return self._replace(semantic=mask_logits(self.semantic, keep.unsqueeze(-1) | ~hidden))

    def component_probabilities(
        self, symbols: Int[Tensor, "batch symbol"], num_ids: int
    ) -> tuple[Float[Tensor, "batch id"], Float[Tensor, "batch id"]]:
        """Return the semantic and the symbolic part of the probability of each word; they add up to it.

        Args:
            symbols: The word id of each context symbol, `batch.symbols`.
            num_ids: How many ids there are, padding and words never seen in training included.
        """
        semantic = pad(self.semantic.softmax(-1), (1, num_ids - self.semantic.shape[-1] - 1))
        if self.symbolic is None or self.log_odds is None:
            return semantic, torch.zeros_like(semantic)
        probabilities = mask_logits(self.symbolic, symbols > 0).softmax(-1)
        symbolic = torch.zeros_like(semantic).scatter_add(-1, symbols, probabilities)
        log_odds = self.log_odds.unsqueeze(-1)  # for every word
        return log_odds.sigmoid() * semantic, (-log_odds).sigmoid() * symbolic


class Network(nn.Module):
    """A reader of stories that answers questions.

    A subclass names the dataclass of what a preset sets of it as `Config`, and is built from one, a vocabulary and a
    random generator for its initial parameters.
    """

    Config: ClassVar[type[Any]]  # a frozen dataclass
    explains_answers: ClassVar[bool] = False  # whether its outputs have an alignment, which is then scored

    def forward(self, batch: Batch, rng: StepRng | NoRng) -> Output:
        """Answer each question of a batch.

        Args:
            batch: Word ids of stories (batch sentence word) and questions (batch word), and the number of each word's
                context symbol in the same shapes; see `data.encoding.Batch`.
            rng: Dropout and the like: a `StepRng` in training, NO_RNG in evaluation.
        """
        raise NotImplementedError

    def loss(self, output: Output, batch: Batch) -> Float[Tensor, " batch"]:
        """Return what training minimizes, in nats a question: by default -log p(answer)."""
        return -output.log_likelihood(batch.symbols, batch.answer)

    def decays(self, parameter: str) -> bool:
        """Return whether `weight_decay` takes from the parameter of this name: by default from every one."""
        return True


class MemoryTrajectory(NamedTuple):
    """What the slots of a memory have in them after each sentence.

    Vectors with symbolic dims have them behind the semantic ones.

    Attributes:
        contents: h_tj, the content of slot j after sentence t.
        keys: w_j, what slot j is for; one for all questions where it does not depend on the story.
        slot_mask: Slots that exist after sentence t.
        question: q.
        sentence_mask: Sentences that are real.
        trace: As in `Output`, all but what belongs to the answer.
        own_answer: The network's own answer, from what the slots have in them at the end.
    """

    contents: Float[Tensor, "batch sentence slot dim"]
    keys: Float[Tensor, "#batch slot key"]
    slot_mask: Bool[Tensor, "batch sentence slot"]
    question: Float[Tensor, "batch query"]
    sentence_mask: Bool[Tensor, "batch sentence"]
    trace: dict[str, Tensor]
    own_answer: Callable[[], Output]


class Memory(Network):
    """A network that shows its memory after each sentence.

    Temporal attention (`models.temporal_attention`) then answers from the memory, or explains its answers.
    """

    @property
    def memory_dims(self) -> tuple[int, int, int]:
        """Semantic dims of contents, keys and question."""
        raise NotImplementedError

    def unroll(self, batch: Batch, rng: StepRng | NoRng) -> MemoryTrajectory:
        """Return the memory after each sentence."""
        raise NotImplementedError

    def answer(
        self, question: Float[Tensor, "batch query"], memory: Float[Tensor, "batch dim"], rng: StepRng | NoRng
    ) -> Output:
        """Answer from a vector of the memory, such as a weighted sum of contents."""
        raise NotImplementedError

    def answer_words(self) -> Float[Tensor, "vocabulary dim"]:
        """Return the vector by which post-hoc attention embeds an answer, for each word of the vocabulary."""
        raise NotImplementedError
