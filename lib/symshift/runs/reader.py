"""A trained model that can be asked."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from symshift.config import RunConfig, config_from_record, presets
from symshift.cpu import single_threaded_cpu
from symshift.data import Question, tokenize
from symshift.data.answer_items import ask_next, has_ended, join_items
from symshift.data.encoding import Batch, EncodedQuestions, Vocabulary, encode
from symshift.data.text import OWN
from symshift.errors import InputError, errors_at
from symshift.models import Network
from symshift.models.base import Output
from symshift.models.contract import answer, build, is_built_in
from symshift.models.registry import NETWORKS_VARIABLE
from symshift.runs.record import code_fault
from symshift.runs.store import Store


@dataclass(frozen=True)
class Answer:
    """What a reader answers, and why.

    Attributes:
        word: The likeliest word; several, joined by commas, where the network says its answers item by item. What
            follows below `probability` is then of the first item.
        probability: Its probability.
        distribution: Each word with its `probability` and the `semantic` and `symbolic` parts of it, likeliest first.
        words: Each word of the story and the question as read, with its `sentence` (the question is the last), its
            `place` in it, and whether it is `unseen`; `alpha` where the network has it, and `pointers`, the weight of
            each head, where it has signed pointers.
        attention: Hop by sentence of memory networks and of networks with temporal attention, layer by sentence of
            Transformers.
        matches: Read by sentence, of tensor-product memories: each sentence's share of what a read finds.
        unseen: The words never seen in training.
    """

    word: str
    probability: float
    distribution: pd.DataFrame
    words: pd.DataFrame
    attention: pd.DataFrame | None
    matches: pd.DataFrame | None
    unseen: tuple[str, ...]

    @property
    def has_symbols(self) -> bool:
        """Whether the network can answer by symbols."""
        return bool(self.distribution.symbolic.any())

    def __str__(self) -> str:
        return f"{self.word} ({self.probability:.0%})"


class Reader:
    """A trained network that answers questions.

    Args:
        network: The network; it is set to evaluate, and its parameters are frozen.
        vocabulary: The words it was trained with.
        sentences: How many sentences of a story it reads, the last ones.
        run: The run that it is of, which errors name.
    """

    def __init__(self, network: Network, vocabulary: Vocabulary, sentences: int, run: str = ""):
        self.network, self.vocabulary, self.sentences = network.eval().requires_grad_(False), vocabulary, sentences
        self.run = run

    def ask(self, story: Iterable[str], question: str, supporting: Iterable[int] = ()) -> Answer:
        """Answer a question about a story.

        Words never seen in training are read by their position and symbol alone, and are listed in the answer.

        Args:
            story: The sentences.
            question: The question.
            supporting: Indices of the sentences that support the answer, for networks that read them.

        Raises:
            InputError: The story or the question has no words, the story has no sentence of an index in `supporting`,
                or the network's answer is no number.
        """
        unanswered = question_without_answer(story, question, supporting)
        encoded, output = self.read([unanswered])
        distribution = _distribution(encoded, output)
        unseen = tuple(word for word in encoded.unseen if word)
        return Answer(
            *self._whole_answer(unanswered, distribution),
            distribution,
            self._words(unanswered, output, unseen),
            _attention(output),
            _matches(output),
            unseen,
        )

    def _whole_answer(self, question: Question, distribution: pd.DataFrame) -> tuple[str, float]:
        """Return the whole answer and its probability, from the distribution of its first item."""
        best = distribution.iloc[0]
        items, probability = [best["word"]], float(best["probability"])
        while self.vocabulary.by_item and not has_ended(items):
            best = _distribution(*self.read([ask_next(question, items)])).iloc[0]
            items.append(best["word"])
            probability *= float(best["probability"])
        return join_items(items), probability

    @single_threaded_cpu()
    @torch.no_grad()
    def read(self, questions: Sequence[Question]) -> tuple[EncodedQuestions, Output]:
        """Encode questions of like length and pass them forward once.

        Returns:
            Their tensors, and the network's output with its trace.

        Raises:
            InputError: The questions fill more than one bucket of lengths, or the network fails.
        """
        encoded = encode(questions, self.vocabulary, self.sentences)
        if len(encoded.buckets) != 1:
            raise InputError("read takes questions of like length; give fewer, or one")
        return encoded, self.forward(encoded.buckets[0])

    def forward(self, batch: Batch) -> Output:
        """Pass a batch forward.

        Raises:
            InputError: The network fails, or returns what nothing can be answered or shown from.
        """
        try:
            return answer(self.network, batch, self.vocabulary)
        except InputError as error:
            file = getattr(sys.modules[type(self.network).__module__], "__file__", "")  # a notebook's class has none
            run, where = f"run {self.run}: " if self.run else "", f"; its class is in {file}" if file else ""
            raise InputError(f"{run}{error}{where}") from None

    def _words(self, question: Question, output: Output, unseen: tuple[str, ...]) -> pd.DataFrame:
        lines = [tokenize(line) for line in (*question.story[-self.sentences :], question.question)]
        frame = pd.DataFrame(
            {"sentence": sentence, "place": position, "word": word, "unseen": word in unseen}
            for sentence, line in enumerate(lines)
            for position, word in enumerate(line)
        )
        for name in ("alpha", "pointers"):
            if name in output.trace:
                values = [*output.trace[name][0][: len(lines) - 1], output.trace[f"{name}_question"][0]]
                frame[name] = [
                    values[sentence][position].tolist()
                    for sentence, line in enumerate(lines)
                    for position in range(len(line))
                ]
        return frame


def question_without_answer(story: Any, question: Any, supporting: Any) -> Question:
    """Return what `Reader.ask` is called with as a question without an answer.

    Raises:
        InputError: An argument is of a wrong kind, or names a sentence that the story does not have.
    """
    if isinstance(story, str):
        raise InputError("story is one string; give a list of sentences, one string each")
    if not isinstance(story, Iterable):
        raise InputError(f"story is {story!r}; give a list of sentences, one string each")
    sentences = tuple(story)
    if not all(isinstance(line, str) and tokenize(line) for line in sentences) or not sentences:
        raise InputError(f"story is {list(sentences)!r}; give at least one sentence, each with a word")
    if not isinstance(question, str) or not tokenize(question):
        raise InputError(f"question is {question!r}; give a sentence with a word")
    if not isinstance(supporting, Iterable):
        raise InputError(f"supporting is {supporting!r}; give a list of indices of sentences, such as [0]")
    indices = tuple(supporting)
    for index in indices:
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not 0 <= index < len(sentences):
            raise InputError(f"supporting has {index!r}; an index of a sentence is from 0 to {len(sentences) - 1}")
    return Question(sentences, question, "", tuple(map(int, indices)), 0, OWN)


def _distribution(encoded: EncodedQuestions, output: Output) -> pd.DataFrame:
    """Return the distribution of `Answer`."""
    batch = encoded.buckets[0]
    semantic, symbolic = output.component_probabilities(batch.symbols, len(encoded.words))
    semantic, symbolic = semantic[0], symbolic[0]  # of the one question
    distribution = pd.DataFrame(
        {"word": encoded.words, "probability": semantic + symbolic, "semantic": semantic, "symbolic": symbolic}
    )
    if not np.isfinite(distribution["probability"]).all():
        raise InputError("the network's answer to this story is no number; a shorter story may have one")
    distribution = distribution[distribution["word"] != ""].sort_values("probability", ascending=False)
    return distribution.reset_index(drop=True)


def _attention(output: Output) -> pd.DataFrame | None:
    if "attention" not in output.trace:
        return None
    attention = output.trace["attention"][0]
    return pd.DataFrame(attention.numpy(), index=pd.RangeIndex(1, len(attention) + 1, name="hop"))


def _matches(output: Output) -> pd.DataFrame | None:
    """Return each sentence's share of what the three chained reads find.

    A sentence's part in a read is the sum over its write, move and backlink keys of |entity . query entity| times
    |relation . query relation|; each read's query entity is the result of the one before.
    """
    if "query_relations" not in output.trace:
        return None
    trace = {name: value[0] for name, value in output.trace.items()}
    entities = trace["entities"][:, [0, 0, 1]]
    query_entities = torch.stack((trace["query_entity"][0], trace["read1"], trace["read2"]))
    entity_match = torch.einsum("tke,se->stk", entities, query_entities)
    relation_match = torch.einsum("tkr,sr->stk", trace["relations"], trace["query_relations"])
    strength = (entity_match * relation_match).abs().sum(-1)
    shares = strength / strength.sum(-1, keepdim=True).clamp(min=torch.finfo(strength.dtype).tiny)
    return pd.DataFrame(shares.numpy(), index=pd.RangeIndex(1, len(shares) + 1, name="read"))


def load(run: str, outputs: str | Path | None = None) -> Reader:
    """Load the trained reader of a run.

    Args:
        run: The run id.
        outputs: The folder of the store, as in `Store`.

    Raises:
        InputError: There is no such run, it has no weights, they are not those of its record, or the code of its
            network has changed.
    """
    store = Store(outputs)
    record = store.record(run)
    config = _config(run, record["config"])
    if fault := code_fault(record):
        raise InputError(f"run {run}: {fault}")
    weights, metadata = store.weights(run)
    with store.translate_weights_errors(run):
        vocabulary, sentences = _vocabulary(metadata["vocabulary"]), int(metadata["sentences"])
        if sentences < 1:
            raise ValueError(f"sentences is {sentences}")
    with errors_at(f"run {run}"):
        fits = _has_shapes(config, vocabulary, weights)
        if not fits and is_built_in(config.network):
            raise InputError(f"its weights are not those of its record; {store.remedy(run).action}")
        if not fits:
            raise InputError(f"its weights are not those of network {config.network!r}; take its class as it was")
        network = build(config.network, config.network_config, vocabulary, 0)
    network.load_state_dict(weights)
    return Reader(network, vocabulary, sentences, run)


def _config(run: str, settings: Mapping[str, Any]) -> RunConfig:
    try:
        return config_from_record(settings)
    except InputError as error:
        if settings["model"] in presets():
            raise InputError(f"run {run}: {error}") from None
    remedy = f"run what registers it, or name its file in {NETWORKS_VARIABLE}"
    raise InputError(f"run {run} is of model {settings['model']!r}, which is unknown here; {remedy}")


def _vocabulary(text: str) -> Vocabulary:
    """Return a stored vocabulary: its words are sorted, and each stands once."""
    fields = json.loads(text)
    words = tuple(fields.pop("words"))
    if any(type(word) is not str for word in words) or words != tuple(sorted(set(words))):
        raise ValueError("its vocabulary is no sorted list of words")
    if any(type(length) is not int or length < 1 for length in fields.values()):
        raise ValueError("a length of its vocabulary is no whole number above 0")
    return Vocabulary(words, **fields)


def _has_shapes(config: RunConfig, vocabulary: Vocabulary, weights: Mapping[str, torch.Tensor]) -> bool:
    """Compare shapes with a network without values, before memory is taken for a large one."""
    with torch.device("meta"):
        network = build(config.network, config.network_config, vocabulary, 0)
    expected = {name: value.shape for name, value in network.state_dict().items()}
    return expected == {name: value.shape for name, value in weights.items()}
