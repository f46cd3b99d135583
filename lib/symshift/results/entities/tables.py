"""What the slots of an entity network hold after a story, in words, and which sentences opened them.

Henaff et al. 2017, section 5.2 and Table 3: slot j decodes to phi(H h_j), as if it were asked without a question (Eq. 7
with q = 0 and u = h_j), and is told by the words whose rows of R lie closest in angle. All values are those of the
network's one pass over the story.
"""

import pandas as pd
import torch
from torch.nn.functional import normalize

from symshift.data import Question
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.models.base import MemoryTrajectory
from symshift.models.entity_network.model import SimpleEntityNetwork
from symshift.models.entity_network.variants import TiedEntityNetwork
from symshift.ops.rng import NO_RNG
from symshift.runs.reader import Reader


@torch.no_grad()
def nearest_words(reader: Reader, asked: Question, words: int = 2) -> pd.DataFrame:
    """A row each slot, by its key: its so many nearest words at the end of the story, `1-NN` first, each with its
    cosine, and the slot's share in the answer to the question."""
    network, known = _network(reader), reader.vocabulary.words
    if not 1 <= words <= len(known):
        raise InputError(f"words is {words}; from 1 to the vocabulary's {len(known)} would be right")
    timeline = _read(network, reader, asked)
    slots = timeline.contents[0, -1]
    decoded = network.decode(slots, torch.zeros_like(slots))
    cosines = normalize(decoded, dim=-1) @ normalize(network.projection, dim=-1).mT
    nearest, places = cosines.topk(words)
    columns = {}
    for n in range(words):
        columns[f"{n + 1}-NN"] = [known[place] for place in places[:, n]]
        columns[f"cosine {n + 1}"] = nearest[:, n].tolist()
    columns["share in the answer"] = timeline.own_answer().trace["slot_attention"][0].tolist()
    return pd.DataFrame(columns, index=pd.Index(keys(reader), name="key"))


@torch.no_grad()
def gates(reader: Reader, asked: Question) -> pd.DataFrame:
    """g_j, how far each sentence read opened each slot, from 0 to 1: a row each sentence, a column each slot."""
    timeline = _read(_network(reader), reader, asked)
    index = pd.Index(asked.story[-reader.sentences :], name="sentence")
    return pd.DataFrame(timeline.trace["write_gates"][0].mT.numpy(), index=index, columns=keys(reader))


def keys(reader: Reader) -> list[str]:
    """A slot's name: the word that its key is tied to, or its number."""
    network = _network(reader)
    if isinstance(network, TiedEntityNetwork):
        return [reader.vocabulary.words[place] for place in network.entities]
    return [f"slot {number}" for number in range(1, len(network.keys()) + 1)]


def _read(network: SimpleEntityNetwork, reader: Reader, asked: Question) -> MemoryTrajectory:
    (batch,) = encode([asked], reader.vocabulary, reader.sentences).buckets
    return network.unroll(batch, NO_RNG)


def _network(reader: Reader) -> SimpleEntityNetwork:
    """The reader's network, where it has slots."""
    if not isinstance(reader.network, SimpleEntityNetwork):
        raise InputError("reader has no entity network; one of a run of entnet, entnet-simple or entnet-tied would do")
    return reader.network
