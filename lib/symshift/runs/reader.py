"""A trained model that can be asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from symshift.config import RunConfig, config_from_record
from symshift.cpu import single_threaded_cpu
from symshift.data import Question, tokenize
from symshift.data.encoding import Encoded, Vocabulary, encode
from symshift.errors import InputError
from symshift.models import NETWORKS, Network
from symshift.models.base import Output
from symshift.ops.rng import NO_RNG
from symshift.runs.store import Store


@dataclass(frozen=True)
class Answer:
    """What a reader answers, and why.

    `distribution`: word, probability and its semantic and symbolic parts, likeliest first. `words`: each word of the
    story and the question as read, with sentence (the question's is the last), place, whether it is unseen, alpha where
    the network has it, and for each head of signed pointers its weight on the word. `attention`: hop by sentence, of
    memory networks. `matches`: read by sentence, of tensor-product memories: each sentence's share of what fits the
    keys of a chained read. `unseen`: words never seen in training."""

    word: str
    probability: float
    distribution: pd.DataFrame
    words: pd.DataFrame
    attention: pd.DataFrame | None
    matches: pd.DataFrame | None
    unseen: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.word} ({self.probability:.0%})"


class Reader:
    """A network, the vocabulary it was trained with, and how many last sentences it reads."""

    def __init__(self, network: Network, vocabulary: Vocabulary, sentences: int):
        self.network, self.vocabulary, self.sentences = network.eval().requires_grad_(False), vocabulary, sentences

    def ask(self, story: Sequence[str], question: str, supporting: Sequence[int] = ()) -> Answer:
        """The answer to a question over a story, told as a list of sentences. Words never seen in training are read by
        their place and symbol alone, and are listed in the answer. `supporting`, places of sentences, is for networks
        that are told what supports the answer."""
        if isinstance(story, str):
            raise InputError("story is one string; give a list of sentences, one string each")
        if not all(isinstance(line, str) and tokenize(line) for line in story) or not story:
            raise InputError(f"story is {list(story)!r}; give at least one sentence, each with a word")
        if not isinstance(question, str) or not tokenize(question):
            raise InputError(f"question is {question!r}; give a sentence with a word")
        asked = Question(tuple(story), question, "", tuple(supporting), 0, "asked")
        encoded, output = self.read([asked])
        batch = encoded.buckets[0]
        semantic, symbolic = (half[0] for half in output.component_probabilities(batch.symbols, len(encoded.words)))
        distribution = pd.DataFrame(
            {"word": encoded.words, "probability": semantic + symbolic, "semantic": semantic, "symbolic": symbolic}
        )
        if not np.isfinite(distribution["probability"]).all():
            raise InputError("the network's answer to this story is no number; a shorter story may have one")
        distribution = distribution[distribution["word"] != ""].sort_values("probability", ascending=False)
        best = distribution.iloc[0]
        unseen = tuple(word for word in encoded.unseen if word)
        return Answer(
            best["word"],
            float(best["probability"]),
            distribution.reset_index(drop=True),
            self._words(asked, output, unseen),
            _attention(output),
            _matches(output),
            unseen,
        )

    @single_threaded_cpu()
    @torch.no_grad()
    def read(self, questions: Sequence[Question]) -> tuple[Encoded, Output]:
        """The tensors of questions of like length, and all that the network says of them in its one forward pass."""
        encoded = encode(questions, self.vocabulary, self.sentences)
        if len(encoded.buckets) != 1:
            raise InputError("read takes questions of like length; give fewer, or one")
        return encoded, self.network(encoded.buckets[0], NO_RNG)

    def _words(self, asked: Question, output: Output, unseen: tuple[str, ...]) -> pd.DataFrame:
        lines = [*asked.story[-self.sentences :], asked.question]
        rows = [
            {"sentence": number, "place": place, "word": word, "unseen": word in unseen}
            for number, line in enumerate(lines)
            for place, word in enumerate(tokenize(line))
        ]
        frame = pd.DataFrame(rows)
        for name in ("alpha", "pointers"):
            if name in output.trace:
                told, last = output.trace[name][0], output.trace[f"{name}_question"][0]
                found = [
                    (last if row["sentence"] == len(lines) - 1 else told[row["sentence"]])[row["place"]] for row in rows
                ]
                frame[name] = [value.tolist() for value in found]
        return frame


def _attention(output: Output) -> pd.DataFrame | None:
    if "attention" not in output.trace:
        return None
    attention = output.trace["attention"][0]
    return pd.DataFrame(attention.numpy(), index=pd.RangeIndex(1, len(attention) + 1, name="hop"))


def _matches(output: Output) -> pd.DataFrame | None:
    """The sum over the rows W, M and B of a sentence of |E . n| |R . l|, where n starts at the question and goes on
    with the last read."""
    if "query_relations" not in output.trace:
        return None
    trace = {name: found[0] for name, found in output.trace.items()}
    entities, relations, steps = trace["entities"][:, [0, 0, 1]], trace["relations"], trace["query_relations"]
    places = torch.stack((trace["query_entity"][0], trace["read1"], trace["read2"]))  # n
    fit = torch.einsum("tke,se->stk", entities, places) * torch.einsum("tkr,sr->stk", relations, steps)
    found = fit.abs().sum(-1)
    shares = found / found.sum(-1, keepdim=True).clamp(min=torch.finfo(found.dtype).tiny)
    return pd.DataFrame(shares.numpy(), index=pd.RangeIndex(1, len(shares) + 1, name="read"))


def load(run: str, outputs: str | Path | None = None) -> Reader:
    """Load the trained reader of a run.

    Args:
        run: The run id.
        outputs: The folder of the store, as in `Store`.

    Raises:
        InputError: There is no such run, it has no weights, or they are not those of its record.
    """
    store = Store(outputs)
    config = config_from_record(store.record(run)["config"])
    weights, words = store.weights(run)
    try:
        fields = json.loads(words["vocabulary"])
        vocabulary = Vocabulary(**{**fields, "words": tuple(fields["words"])})
        _check_shapes(config, vocabulary, weights)
        network = NETWORKS[config.network](config.network_config, vocabulary, torch.Generator())
        network.load_state_dict(weights)
        return Reader(network, vocabulary, int(words["sentences"]))
    except InputError:
        raise
    except Exception:
        raise InputError(f"run {run}: its weights are not those of its record; remove it to train it again") from None


def _check_shapes(config: RunConfig, vocabulary: Vocabulary, weights: Mapping[str, torch.Tensor]) -> None:
    """Compare shapes with a network without values, before memory is taken for a large one."""
    with torch.device("meta"):
        network = NETWORKS[config.network](config.network_config, vocabulary, torch.Generator())
    expected = {name: value.shape for name, value in network.state_dict().items()}
    if expected != {name: value.shape for name, value in weights.items()}:
        raise ValueError("weights have other shapes")
