"""What the slots of an entity network contain after a story, in words, and which sentences opened them.

Henaff et al. 2017, section 5.2 and Table 3: slot j decodes to phi(H h_j), which is Eq. 7 with q = 0 and u = h_j, and is
described by the words whose rows of R lie closest in angle. All values are those of the network's one pass over the
story.
"""

import pandas as pd
import torch
from torch.nn.functional import normalize

from symshift.cpu import single_threaded_cpu
from symshift.data import Question
from symshift.data.encoding import encode
from symshift.errors import InputError
from symshift.models.base import MemoryTrajectory
from symshift.models.entity_network.model import SimpleEntityNetwork
from symshift.models.entity_network.variants import TiedEntityNetwork
from symshift.ops.rng import NO_RNG
from symshift.runs.reader import Reader


@single_threaded_cpu()
@torch.no_grad()
def nearest_words(reader: Reader, question: Question, words: int = 2) -> pd.DataFrame:
    """Describe each slot at the end of the story by its nearest words.

    Args:
        reader: A trained entity network.
        question: The question and its story.
        words: How many words for each slot.

    Returns:
        One row per slot, indexed by its key: `1-NN`, `cosine 1`, and so on, and the slot's share in the answer (0 to
        1).

    Raises:
        InputError: The reader has no slots, or `words` is not between 1 and the size of the vocabulary.
    """
    network, vocabulary = _network(reader), reader.vocabulary.words
    if not 1 <= words <= len(vocabulary):
        raise InputError(f"words is {words}; from 1 to the vocabulary's {len(vocabulary)} would be right")
    trajectory = _unroll(network, reader, question)
    slots = trajectory.contents[0, -1]
    decoded = network.decode(slots, torch.zeros_like(slots))
    cosines = normalize(decoded, dim=-1) @ normalize(network.projection, dim=-1).mT
    values, indices = cosines.topk(words)
    columns = {}
    for n in range(words):
        columns[f"{n + 1}-NN"] = [vocabulary[index] for index in indices[:, n]]
        columns[f"cosine {n + 1}"] = values[:, n].tolist()
    columns["share in the answer"] = trajectory.own_answer().trace["slot_attention"][0].tolist()
    return pd.DataFrame(columns, index=pd.Index(slot_names(reader), name="key"))


@single_threaded_cpu()
@torch.no_grad()
def gates(reader: Reader, question: Question) -> pd.DataFrame:
    """Return how far each sentence opened each slot, g_j from 0 to 1: one row per sentence, one column per slot.

    Raises:
        InputError: The reader has no slots.
    """
    trajectory = _unroll(_network(reader), reader, question)
    index = pd.Index(question.story[-reader.sentences :], name="sentence")
    return pd.DataFrame(trajectory.trace["write_gates"][0].mT.numpy(), index=index, columns=slot_names(reader))


def slot_names(reader: Reader) -> list[str]:
    """Return the name of each slot: the word that its key is tied to, or its number.

    Raises:
        InputError: The reader has no slots.
    """
    network = _network(reader)
    if isinstance(network, TiedEntityNetwork):
        return [reader.vocabulary.words[int(index)] for index in network.get_buffer("entities")]
    return [f"slot {number}" for number in range(1, len(network.keys()) + 1)]


def _unroll(network: SimpleEntityNetwork, reader: Reader, question: Question) -> MemoryTrajectory:
    (batch,) = encode([question], reader.vocabulary, reader.sentences).buckets
    return network.unroll(batch, NO_RNG)


def _network(reader: Reader) -> SimpleEntityNetwork:
    """Return the reader's network, where it has slots."""
    if not isinstance(reader.network, SimpleEntityNetwork):
        raise InputError("reader has no entity network; one of a run of entnet, entnet-simple or entnet-tied would do")
    return reader.network
