"""What is inside a trained model: tables of the inner values of a stored run.

TPR-RNN (Schlag & Schmidhuber 2018), figure 4: how alike sentences are to each head. Symbol-shift paper (Salinas &
Elsahar 2021): figure 8, how alike words are; Eq. 2, the alpha of each word; Eq. 9, 14 and 15, which words a head holds;
Eq. 3 and 4, how the answer is mixed. Not in a paper: what each slot of a memory would answer after each sentence.

All values are those of the network's one forward pass (`Output.trace`), or of its memory over time. Values of two
sentences can be compared where their words have the same symbols, so what is compared is told as one story.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import normalize

from symshift.data import Question, tokenize
from symshift.data.encoding import Encoded
from symshift.errors import InputError
from symshift.models.base import Memory, Output
from symshift.ops.rng import NO_RNG
from symshift.runs.answers import answers
from symshift.runs.reader import Reader, load
from symshift.runs.selection import preset_runs
from symshift.runs.store import Store

WORDS, KEYS, SYMBOLS, MEMORY = "word vectors", "entity and relation vectors", "symbols", "memory over time"
TRACED = {WORDS: "question_words", KEYS: "relations", SYMBOLS: "alpha"}
HEADS = {"entities": ["e1", "e2"], "relations": ["r1", "r2", "r3"], "start": ["n"], "steps": ["l1", "l2", "l3"]}
STORIES = ("official", "generated")


def parts(run: str, outputs: str | None = None) -> set[str]:
    """Which of WORDS, KEYS, SYMBOLS and MEMORY the model of a run has."""
    return _parts(load(run, outputs))


def full_length(model: str, task: int, outputs: str | None = None, stories: Collection[str] = STORIES) -> str | None:
    """The run of a preset as it is, on a task of one of these stories, that has the fewest validation errors of those
    whose weights are here, or None."""
    store = Store(outputs)
    runs = store.runs().query("model == @model and task == @task and stories in @stories")
    runs = preset_runs(runs.loc[[store.has_weights(run) for run in runs.id]])
    return None if runs.empty else runs.sort_values(["error_valid", "stories", "seed"]).id.iloc[0]


def similarities(run: str, sentences: Sequence[str], outputs: str | None = None) -> dict[str, pd.DataFrame]:
    """For each of e1, e2, r1, r2, r3 the cosine of its vectors of every two of the sentences, of which there is one at
    least."""
    _, _, output = _read(run, KEYS, sentences, sentences[0], outputs)
    tables = {}
    for name in ("entities", "relations"):
        vectors = normalize(output.trace[name][0], dim=-1)
        for head, cosines in zip(HEADS[name], torch.einsum("shd,thd->hst", vectors, vectors), strict=True):
            tables[head] = pd.DataFrame(cosines.numpy(), sentences, sentences)
    return tables


def correlations(run: str, outputs: str | None = None) -> pd.DataFrame:
    """The correlation of the vectors of every two words of the vocabulary, of the table that reads the question."""
    words = _vocabulary(run, outputs)
    _, _, output = _read(run, WORDS, words[:1], " ".join(words), outputs)
    return pd.DataFrame(np.corrcoef(output.trace["question_words"][0]), words, words)


def alpha(run: str, outputs: str | None = None) -> pd.DataFrame:
    """How much each word of the vocabulary is a symbol, from 0 to 1: a column for each table of a memory network, A0 to
    AK, one for all heads of other models."""
    words = _vocabulary(run, outputs)
    _, _, output = _read(run, SYMBOLS, words, words[0], outputs)
    found = output.trace["alpha"][0, :, 0]
    columns = ["alpha"] if found.ndim == 1 else [f"A{table}" for table in range(found.shape[1])]
    return pd.DataFrame(found.reshape(len(words), -1).numpy(), words, columns)


def held(run: str, sentence: str, question: str, outputs: str | None = None) -> pd.DataFrame:
    """How much of each word the symbolic half of each head holds: the heads of the sentence, then of the question, in
    rows; their words, by order of appearance, in columns. The heads of a memory network are its tables and u."""
    reader, encoded, output = _read(run, SYMBOLS, [sentence], question, outputs)
    words = [encoded.words[word] for word in encoded.buckets[0].symbols[0]]
    by_hop = "memories" in output.trace
    heads = {"memories": reader.network.memory_names, "query": ["u"]} if by_hop else HEADS
    rows = [output.trace[name][0, ..., -len(words) :].reshape(-1, len(words)) for name in heads]
    return pd.DataFrame(torch.cat(rows).numpy(), [head for names in heads.values() for head in names], words)


def mixtures(runs: Sequence[str], questions: Sequence[Question], outputs: str | None = None) -> pd.DataFrame:
    """A row each run: its model, seed and the update of its weights; `beta`, the weight of the semantic half, the same
    for all questions; `symbolic`, the mean share of the symbolic half in the answers given; their error in percent."""
    rows = []
    for run in runs:
        reader, _, output = _read(run, SYMBOLS, questions[0].story, questions[0].question, outputs)
        found, record = answers(reader, questions), Store(outputs).record(run)
        row = {"model": record["config"]["model"], "seed": record["seed"], "update": record["chosen"]["update"]}
        shares = {"beta": output.log_odds.sigmoid().item(), "symbolic": (found.symbolic / found.probability).mean()}
        rows.append(row | shares | {"error": 100 * (found.right != found.given).mean()})
    return pd.DataFrame(rows)


@torch.no_grad()
def told_by_slots(run: str, asked: Question, outputs: str | None = None) -> pd.DataFrame:
    """What each slot of the memory would answer after each sentence, were it all that is found, and what is answered:
    sentence, slot, word and its probability. The slots of a tensor-product memory are its three reads."""
    reader, encoded, output = _read(run, MEMORY, asked.story, asked.question, outputs)
    batch = encoded.buckets[0]
    timeline = reader.network.unroll(batch, NO_RNG)
    sentences, slots = timeline.contents.shape[1:3]
    found = timeline.contents[0].flatten(0, 1)
    told = reader.network.answer(timeline.question.expand(len(found), -1), found, NO_RNG)
    chances = sum(told.component_probabilities(batch.symbols.expand(len(found), -1), len(encoded.words)))[:, 1:]
    probability, place = (best.unflatten(0, (sentences, slots)) for best in chances.max(-1))
    kind, lines = (
        "read" if "steps" in output.trace else "slot",
        [f"{t}  {line}" for t, line in enumerate(asked.story, 1)],
    )
    rows = [
        (lines[t], f"{kind} {j + 1}", encoded.words[1 + place[t, j]], probability[t, j].item())
        for t, j in timeline.slot_mask[0].nonzero().tolist()
    ]
    replies = [reader.ask(asked.story[: t + 1], asked.question) for t in range(sentences)]
    rows += [(line, "answer", reply.word, reply.probability) for line, reply in zip(lines, replies, strict=True)]
    return pd.DataFrame(rows, columns=["sentence", "slot", "word", "probability"])


def _parts(reader: Reader) -> set[str]:
    _, output = reader.read([_told(reader.vocabulary.words[:1], "")])
    traced = {part for part, name in TRACED.items() if name in output.trace}
    return traced | ({MEMORY} if isinstance(reader.network, Memory) else set())


def _told(story: Sequence[str], question: str) -> Question:
    return Question(tuple(story), question, "", (), 0, "asked")


def _vocabulary(run: str, outputs: str | None) -> list[str]:
    """The words of a run's vocabulary that can be told; an answer such as `s,w` is not one."""
    return [word for word in load(run, outputs).vocabulary.words if tokenize(word) == (word,)]


def _read(
    run: str, part: str, story: Sequence[str], question: str, outputs: str | None
) -> tuple[Reader, Encoded, Output]:
    """The reader of a run that has this part, reading as far back as the story goes, and its pass over the story."""
    stored = load(run, outputs)
    if part not in _parts(stored):
        raise InputError(f"run {run} is of {Store(outputs).record(run)['config']['model']}, which has no {part}")
    reader = Reader(stored.network, stored.vocabulary, max(len(story), stored.sentences))
    return reader, *reader.read([_told(story, question)])
