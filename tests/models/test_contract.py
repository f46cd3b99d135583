"""A wrong network is one line: which method, which shape or type came, and which is right."""

import random
import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from symshift.data.encoding import Vocabulary, encode
from symshift.errors import InputError
from symshift.models.base import Output
from symshift.models.contract import is_built_in, try_out, validate
from symshift.models.memory_network.model import MemoryNetwork
from symshift.models.registry import register
from symshift.models.temporal_attention import PreHoc, with_temporal_attention
from symshift.ops.functional import embed
from tests.helpers.registered import STORIES, Bag, BagConfig, registry_restored
from tests.helpers.small import FORMS, config

VOCABULARY = Vocabulary.of(STORIES, 70)
BATCH = encode(STORIES, VOCABULARY, 70).buckets[0]


@pytest.fixture(autouse=True)
def restored():
    with registry_restored():
        yield


class Host(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        return Output(hidden @ self.output.mT / float(hidden.max()), None, None, {})


class Lists(Bag):
    def forward(self, batch, rng):
        return Output(torch.tensor((self.hidden(batch, rng) @ self.output.mT).tolist()), None, None, {})


class Branch(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        if hidden.sum() > 0:
            hidden = -hidden
        return Output(hidden @ self.output.mT, None, None, {})


class GlobalDropout(Bag):
    def forward(self, batch, rng):
        return Output(F.dropout(self.hidden(batch, rng)) @ self.output.mT, None, None, {})


class GlobalStart(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.output = nn.Parameter(torch.randn(len(vocabulary.words), config.dim))


class OtherGlobalStart(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.output = nn.Parameter(torch.tensor(np.random.default_rng().normal(size=self.words.shape)).float())


class NoOutput(Bag):
    def forward(self, batch, rng):
        return self.hidden(batch, rng) @ self.output.mT


class Nothing(Bag):
    def forward(self, batch, rng):
        pass


class WithPadding(Bag):
    def forward(self, batch, rng):
        return Output(F.pad(self.hidden(batch, rng) @ self.output.mT, (1, 0)), None, None, {})


class OneSymbol(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        return Output(hidden @ self.output.mT, hidden[:, :1], hidden.new_zeros(()), {})


class NoLogOdds(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        return Output(hidden @ self.output.mT, hidden.new_zeros(batch.symbols.shape), None, {})


class LogOddsOfDims(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        return Output(hidden @ self.output.mT, hidden.new_zeros(batch.symbols.shape), hidden, {})


class NotANumber(Bag):
    def forward(self, batch, rng):
        return Output((self.hidden(batch, rng) - 9).sqrt() @ self.output.mT, None, None, {})


class Probabilities(Bag):
    def forward(self, batch, rng):
        return Output((self.hidden(batch, rng) @ self.output.mT).softmax(-1), None, None, {})


class Unused(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.bias = nn.Parameter(torch.zeros(config.dim))


class Explains(Bag):
    explains_answers = True


class MeanLoss(Bag):
    def loss(self, output, batch):
        return super().loss(output, batch).mean()


class Misspelt(Bag):
    def forward(self, batch, rng):
        return Output(self.hiden(batch, rng) @ self.output.mT, None, None, {})


class Exits(Bag):
    def forward(self, batch, rng):
        raise SystemExit(3)


class MisspeltConfig(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.rate = config.dropout


class Changes(Bag):
    def forward(self, batch, rng):
        batch.story.mul_(0)
        return super().forward(batch, rng)


class Dynamic(Bag):
    def forward(self, batch, rng):
        hidden = self.hidden(batch, rng)
        return Output(hidden[hidden > 0].mean() * hidden @ self.output.mT, None, None, {})


class NoParameters(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        del self.words, self.output


class Double(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.double()


class Frozen(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.words.requires_grad_(False)


class Stored(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.register_buffer("table", torch.zeros(3))


class SeededBuffer(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.register_buffer("table", torch.randn(3, generator=generator), persistent=False)


class TableOfSeenWords(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.words = nn.Parameter(torch.randn(len(vocabulary.words) + 1, config.dim, generator=generator))

    def hidden(self, batch, rng):
        return F.embedding(batch.story, self.words).sum((1, 2))


class PlaceOfEachSentence(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.places = nn.Parameter(torch.ones(vocabulary.sentences, config.dim))

    def hidden(self, batch, rng):
        return (embed(self.words, batch.story).sum(2) * self.places[: batch.story.shape[1]]).sum(1)


class PlaceOfEachWord(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.places = nn.Parameter(torch.ones(vocabulary.words_a_question, config.dim))

    def hidden(self, batch, rng):
        return (embed(self.words, batch.question) * self.places[: batch.question.shape[1]]).sum(1)


class Detached(Bag):
    def forward(self, batch, rng):
        return Output((self.hidden(batch, rng) @ self.output.mT).detach(), None, None, {})


class Constant(Bag):
    def forward(self, batch, rng):
        return Output(torch.zeros(len(batch.answer), len(self.output)), None, None, {})


class ChangesParameter(Bag):
    def forward(self, batch, rng):
        with torch.no_grad():
            self.words.mul_(0.5)
        return super().forward(batch, rng)


def traced(trace):
    """A network whose trace is what this returns of a batch."""

    def forward(self, batch, rng):
        return Bag.forward(self, batch, rng)._replace(trace=trace(batch))

    return type("Traced", (Bag,), {"forward": forward})


WRONG_TRACES = {
    "none": (lambda batch: None, r"gives the trace None; a dict of tensors by name is right, or an empty one"),
    "list": (lambda batch: {"own": [1]}, r"gives a list as 'own' of the trace; a tensor is right"),
    "scalar": (
        lambda batch: {"attention": torch.tensor(1.0)},
        r"gives 'attention' of the trace of shape \(\); the axes question hop sentence are right",
    ),
    "axes": (
        lambda batch: {"attention": batch.story * 1.0},
        r"gives 'attention' of the trace of shape \(3, 2, 3\); the axes question hop sentence are right",
    ),
    "alone": (
        lambda batch: {"alpha": batch.story * 1.0},
        r"gives 'alpha' of the trace without 'alpha_question'; both are right, or neither",
    ),
}


class Cheating(Bag):
    def forward(self, batch, rng):
        output = super().forward(batch, rng)
        is_answer = torch.arange(1, output.semantic.shape[-1] + 1) == batch.answer.unsqueeze(-1)
        return output._replace(semantic=output.semantic + is_answer)


class WithoutModule(Bag):
    def __init__(self, config, vocabulary, generator):
        self.config = config


class PythonsRandom(Bag):
    def forward(self, batch, rng):
        return Output(random.random() * self.hidden(batch, rng) @ self.output.mT, None, None, {})


class NumpysRandom(Bag):
    def forward(self, batch, rng):
        return Output(np.random.default_rng().random() * self.hidden(batch, rng) @ self.output.mT, None, None, {})


class Counts(Bag):
    calls = 0

    def forward(self, batch, rng):
        self.calls += 1
        return Output(self.calls * self.hidden(batch, rng) @ self.output.mT, None, None, {})


class Lazy(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.layer = nn.LazyLinear(config.dim)


class Recurrent(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.layer = nn.GRU(config.dim, config.dim, batch_first=True)

    def hidden(self, batch, rng):
        return self.layer(embed(self.words, batch.question))[0][:, -1]


class PlainList(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.layers = [nn.Parameter(torch.ones(config.dim))]


class OnlyPlainDict(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.vectors = {"words": self.words, "output": self.output}
        del self.words, self.output


class PlainTupleInside(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.part = nn.Module()
        self.part.gates = (1, nn.Parameter(torch.ones(config.dim)))


class PlainModules(Bag):
    def __init__(self, config, vocabulary, generator):
        super().__init__(config, vocabulary, generator)
        self.layers = [nn.LayerNorm(config.dim)]


class Undecided(Bag):
    def decays(self, parameter):
        return self.decaying[parameter]


WRONG = [
    (Cheating, "Cheating.forward answers from `batch.answer`, which a test does not tell; leave it to `loss`"),
    (PythonsRandom, "PythonsRandom.forward gives other answers to the same batch; take random numbers from `rng`, and"),
    (NumpysRandom, "NumpysRandom.forward gives other answers to the same batch; take random numbers from `rng`, and"),
    (Counts, "Counts.forward gives other answers to the same batch; .*, and keep nothing between calls$"),
    (Lazy, "Lazy.__init__ leaves parameter 'layer.weight' without a shape, as a lazy module does; give its sizes in"),
    (Recurrent, r"Recurrent.forward: it cannot run for many models at once, .* with ops.functional.project, and draw"),
    (PlainList, "PlainList: a parameter in the list 'layers' is not registered, .*; nn.ParameterList or nn.ParameterD"),
    (OnlyPlainDict, "OnlyPlainDict: a parameter in the dict 'vectors' is not registered, so it is neither trained nor"),
    (PlainTupleInside, "PlainTupleInside: a parameter in the tuple 'part.gates' is not registered"),
    (PlainModules, "PlainModules: a parameter in the list 'layers' is not registered, .* nn.ModuleList or"),
    (WithoutModule, r"WithoutModule.__init__ has to call super\(\).__init__\(\) first"),
    (Undecided, "Undecided.decays raises AttributeError: 'Undecided' object has no attribute 'decaying'"),
    (Host, r"Host.forward: the value of a tensor is read on the host; .*in `return Output\(.*float\(hidden.max"),
    (Lists, r"Lists.forward: the value of a tensor is read on the host; \.tolist\(\) and \.numpy\(\)"),
    (Branch, r"Branch.forward: an `if` or `while` depends on .*; torch.where does not \(in `if hidden.sum\(\) > 0:`\)"),
    (GlobalDropout, r"GlobalDropout.forward: random numbers are from torch's global generator; take them from `rng`"),
    (GlobalStart, r"GlobalStart.__init__ gives parameter 'output' other values at the second call with the same seed"),
    (OtherGlobalStart, r"OtherGlobalStart.__init__ gives parameter 'output' other values at the second call"),
    (NoOutput, r"NoOutput.forward returns a Tensor; an Output of symshift.models.base is right"),
    (Nothing, r"Nothing.forward returns None; an Output of symshift.models.base is right"),
    (WithPadding, r"WithPadding.forward gives `semantic` of shape \(3, 6\); \(3, 5\) is right: questions by words"),
    (OneSymbol, r"OneSymbol.forward gives `symbolic` of shape \(3, 1\); \(3, 5\) is right: questions by context symb"),
    (NoLogOdds, r"NoLogOdds.forward gives one of `symbolic` and `log_odds`; both are right, or neither"),
    (
        LogOddsOfDims,
        r"LogOddsOfDims.forward gives `log_odds` of shape \(3, \d\); \(3,\) is right: one number, or one for",
    ),
    (NotANumber, r"NotANumber.forward gives `semantic` logits that are NaN at the initial parameters"),
    (
        Probabilities,
        r"Probabilities.forward gives probabilities as `semantic` logits; what softmax is taken of is right",
    ),
    (Unused, r"Unused.forward makes no use of parameter 'bias': it gets no gradient; use it, or leave it out"),
    (Explains, r"Explains.forward gives `alignment` None; a tensor of shape \(3, 2\) is right: questions by sentences"),
    (MeanLoss, r"MeanLoss.loss gives losses of shape \(\); \(3,\) is right: a number for each question"),
    (
        Misspelt,
        r"Misspelt.forward raises AttributeError: 'Misspelt' object has no attribute 'hiden'.*\(in `return",
    ),
    (Exits, r"Exits.forward raises SystemExit: 3 \(in `raise SystemExit"),
    (MisspeltConfig, r"MisspeltConfig.__init__ raises AttributeError: 'BagConfig' object has no attribute 'dropout'"),
    (Changes, r"Changes.forward changes `batch.story`; copy it before"),
    (Dynamic, r"Dynamic.forward: a shape depends on the values of a tensor, as that of x\[x > 0\] does"),
    (NoParameters, r"NoParameters has no parameters; at least one nn.Parameter is right"),
    (Double, r"Double: parameter 'words' is float64; float32 that requires a gradient is right"),
    (Frozen, r"Frozen: parameter 'words' is frozen; float32 that requires a gradient is right"),
    (Stored, r"Stored: 'table' is stored and is no parameter of its own; register a buffer with persistent=False"),
    (Detached, r"Detached.forward makes no use of any parameter: the loss has no gradient; answer from parameters"),
    (Constant, r"Constant.forward makes no use of any parameter: the loss has no gradient"),
    (ChangesParameter, r"ChangesParameter.forward changes parameter 'words'; training alone does"),
    (SeededBuffer, r"SeededBuffer: buffer 'table' depends on the seed; what does is an nn.Parameter"),
    (
        TableOfSeenWords,
        r"TableOfSeenWords.forward fails on a word never seen in training: ids go above 5, and "
        r"`ops.functional.embed` reads them \(IndexError: index out of range in self\) \(in `",
    ),
    (
        PlaceOfEachSentence,
        r"PlaceOfEachSentence.forward fails on a story longer than those of training, of at most 2 sentences \(Runtime",
    ),
    (
        PlaceOfEachWord,
        r"PlaceOfEachWord.forward fails on a sentence or a question longer than those of training \(RuntimeError: ",
    ),
]


@pytest.mark.parametrize(("network", "line"), WRONG, ids=[network.__name__ for network, _ in WRONG])
def test_validate_says_what_is_wrong_in_one_line(network, line):
    register("bag")(network)
    with pytest.raises(InputError) as caught:
        validate("bag", BagConfig(4), VOCABULARY, BATCH, 70)
    assert re.match(f"network 'bag': {line}", str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", WRONG_TRACES)
def test_validate_refuses_a_trace_that_ask_cannot_show(case):
    trace, line = WRONG_TRACES[case]
    register("bag")(traced(trace))
    with pytest.raises(InputError, match=f"^network 'bag': Traced.forward {line}"):
        validate("bag", BagConfig(4), VOCABULARY, BATCH, 70)


def test_validate_takes_a_trace_with_names_of_its_own():
    register("bag")(traced(lambda batch: {"own": torch.ones(2), "attention": batch.story.mT[:, :1] * 1.0}))
    validate("bag", BagConfig(4), VOCABULARY, BATCH, 70)


def test_validate_takes_a_right_network():
    register("bag")(Bag)
    state = torch.get_rng_state()
    validate("bag", BagConfig(4), VOCABULARY, BATCH, 70)
    assert torch.equal(torch.get_rng_state(), state)
    assert not is_built_in("bag")


def test_a_memory_of_ones_own_with_attention_of_ours_is_tried():
    mine = type("Mine", (MemoryNetwork,), {"__module__": __name__})
    register("mine")(with_temporal_attention(PreHoc, mine))
    assert not is_built_in("mine")


def test_validate_takes_a_list_of_registered_parameters():
    class Tied(Bag):
        def __init__(self, config, vocabulary, generator):
            super().__init__(config, vocabulary, generator)
            self.both = [self.words, self.output]

    register("bag")(Tied)
    validate("bag", BagConfig(4), VOCABULARY, BATCH, 70)


def test_validate_tries_no_story_longer_than_what_is_read():
    register("bag")(PlaceOfEachSentence)
    validate("bag", BagConfig(4), VOCABULARY, BATCH, VOCABULARY.sentences)


@pytest.mark.parametrize("preset", FORMS)
def test_try_out_finds_no_fault_in_our_networks(preset):
    small = config(preset)
    assert is_built_in(small.network)
    assert list(try_out(small.network, small.network_config, VOCABULARY, BATCH, 70).faults()) == []
