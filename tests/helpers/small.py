"""Small networks and stories, for what must hold of every network."""

from functools import cache
from typing import NamedTuple

import torch
from hypothesis import strategies as st

from symshift.config import RunConfig, configure, names, presets
from symshift.data.encoding import Batch, EncodedQuestions, Vocabulary, encode
from symshift.data.question import Question
from symshift.models import NETWORKS, Network
from symshift.models.temporal_attention import Temporal

SEEN, UNSEEN = tuple("abcdefg"), tuple("xyz")
VOCABULARY = Vocabulary(SEEN, sentences=4, words_a_sentence=4, words_a_question=3)
SIZES = {
    "dim": 5,
    "entity": 4,
    "relation": 3,
    "hidden": 6,
    "slots": 3,
    "entities": "a f john kitchen",
    "width": 4,
    "layers": 2,
}


@cache  # every example of a hypothesis asks for one
def config(preset: str, **values: object) -> RunConfig:
    """A preset made small; `values` are further overrides."""
    own = {name: value for name, value in (SIZES | values).items() if name in names(preset)}
    return configure({"model": preset, **own})


def network(preset: str, seed: int = 0, vocabulary: Vocabulary = VOCABULARY, **values: object) -> Network:
    """A preset's network made small, in float64, far from where training starts: no parameter is zero or one."""
    small = config(preset, **values)
    generator = torch.Generator().manual_seed(seed)
    built = NETWORKS[small.network](small.network_config, vocabulary, generator).double()
    with torch.no_grad():
        for parameter in built.parameters():
            parameter += 0.4 * torch.randn(parameter.shape, generator=generator)
    return built


@cache
def kind(preset: str) -> str:
    """The network of a preset, whatever it drops."""
    return configure({"model": preset}).network.removesuffix("-hidden").removesuffix("-words")


def memory(preset: str) -> str:
    """The memory of a preset's network, whatever is plugged in, and wherever it has positions."""
    return kind(preset).partition("+")[0].removesuffix("-inputs")


def form(preset: str) -> tuple[str, ...]:
    """All that a preset says in words: its network and that network's options."""
    made = configure({"model": preset})
    return made.network, *filter(lambda value: isinstance(value, str), vars(made.network_config).values())


TEMPORAL = [name for name, network in NETWORKS.items() if issubclass(network, Temporal)]
CHOOSING = ("entnet-cloze",)  # answer with a word of the first sentence
FORMS = sorted({form(preset): preset for preset in reversed(presets())}.values())  # presets but for their numbers


class Tale(NamedTuple):
    """A question over a story, in words."""

    story: list[list[str]]
    question: list[str]
    answer: str


@st.composite
def tales(draw: st.DrawFn, words: tuple[str, ...] = SEEN + UNSEEN, maximum: int = 4) -> list[Tale]:
    """A few questions over stories of these words, some longer than VOCABULARY knows; each answer is a known word, or
    one of the story or the question."""
    lines = st.lists(st.sampled_from(words), min_size=1, max_size=6)
    stories = st.lists(lines, min_size=1, max_size=6)
    pairs = draw(st.lists(st.tuples(stories, lines), min_size=1, max_size=maximum))
    answers = [
        draw(st.sampled_from((*SEEN, *question, *(word for line in story for word in line))))
        for story, question in pairs
    ]
    return [Tale(story, question, answer) for (story, question), answer in zip(pairs, answers, strict=True)]


def encoded(texts: list[Tale], vocabulary: Vocabulary = VOCABULARY) -> tuple[EncodedQuestions, Batch]:
    """The questions as tensors, in one batch, in their order. Every other sentence supports the answer."""
    questions = encode([question_of(tale) for tale in texts], vocabulary, 70)
    (batch,), (indices,) = questions.buckets, questions.indices
    return questions, batch.take(indices.argsort())


def question_of(tale: Tale) -> Question:
    """A tale as a question; every other sentence supports the answer."""
    texts = tuple(map(" ".join, tale.story)), " ".join(tale.question), tale.answer
    return Question(*texts, tuple(range(0, len(tale.story), 2)), 1, "generated")
