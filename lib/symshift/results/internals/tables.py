"""What is inside a trained model: tables of the inner values of a stored run.

TPR-RNN (Schlag & Schmidhuber 2018), figure 4: how alike sentences are to each head. Symbol-shift paper (Salinas &
Elsahar 2021): figure 8, how alike words are; Eq. 2, the alpha of each word; Eq. 9, 14 and 15, which words a head holds;
Eq. 3 and 4, how the answer is mixed. Not in a paper: what each slot of a memory would answer after each sentence.

All values are those of the network's one forward pass (`Output.trace`), or of its memory over time. Values of two
sentences can be compared where their words have the same symbols, so what is compared is read as one story.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import normalize

from symshift.cpu import single_threaded_cpu
from symshift.data import Question, tokenize
from symshift.data.encoding import EncodedQuestions
from symshift.data.text import OWN
from symshift.errors import InputError
from symshift.models.base import Memory, Output
from symshift.models.memory_network.model import MemoryNetwork
from symshift.ops.rng import NO_RNG
from symshift.runs.answers import answers, percent_wrong
from symshift.runs.reader import Reader, load
from symshift.runs.selection import preset_runs, runs_any_budget
from symshift.runs.store import Store

WORDS, KEYS, SYMBOLS, MEMORY = "word vectors", "entity and relation vectors", "symbols", "memory over time"
TRACED = {WORDS: "question_words", KEYS: "relations", SYMBOLS: "alpha"}
HEADS = {
    "entities": ["e1", "e2"],
    "relations": ["r1", "r2", "r3"],
    "query_entity": ["n"],
    "query_relations": ["l1", "l2", "l3"],
}
STORIES = ("official", "generated")


def parts(run: str, outputs: str | None = None) -> set[str]:
    """Return which of WORDS, KEYS, SYMBOLS and MEMORY the model of a run has."""
    return _parts(load(run, outputs))


def best_run(
    model: str,
    task: int,
    outputs: str | None = None,
    stories: Collection[str] = STORIES,
    budget: Literal["preset", "any"] = "preset",
) -> str | None:
    """Find the run with the fewest validation errors of a preset, on a task, whose weights are in the store.

    Args:
        model: A preset.
        task: Number of a task.
        outputs: Folder of the store.
        stories: Names of the stories that a run may be of.
        budget: `preset` for a run with the budget of its preset, `any` for a run with any budget.

    Returns:
        The id of the run, or None where there is none.
    """
    store = Store(outputs)
    runs = store.runs().query("model == @model and task == @task and stories in @stories")
    select = {"preset": preset_runs, "any": runs_any_budget}[budget]
    runs = select(runs.loc[[store.has_weights(run) for run in runs.id]])
    return None if runs.empty else runs.sort_values(["error_valid", "stories", "seed"]).id.iloc[0]


def similarities(run: str, sentences: Sequence[str], outputs: str | None = None) -> dict[str, pd.DataFrame]:
    """Compare the vectors of sentences: for each of e1, e2, r1, r2, r3 a square table of cosines.

    Args:
        run: Id of a run of a tensor-product model.
        sentences: At least one.
        outputs: Folder of the store.

    Raises:
        InputError: The model has no entity and relation vectors.
    """
    _, _, output = _read(run, KEYS, sentences, sentences[0], outputs)
    tables = {}
    for name in ("entities", "relations"):
        vectors = normalize(output.trace[name][0], dim=-1)
        for head, cosines in zip(HEADS[name], torch.einsum("shd,thd->hst", vectors, vectors), strict=True):
            tables[head] = pd.DataFrame(cosines.numpy(), sentences, sentences)
    return tables


def mean_cosines(similarities: Mapping[str, pd.DataFrame], labels: pd.DataFrame) -> pd.DataFrame:
    """Compare sentences that share a label with sentences that do not.

    Args:
        similarities: As `similarities` returns them, of at least two sentences.
        labels: A row for each sentence, and a column for each kind of label, such as who it is about.

    Returns:
        A row for each head, and for each kind of label the mean cosine of two different sentences with the same label
        (`shared`) and with another (`other`).

    Raises:
        InputError: There are more or fewer labels than sentences.
    """
    different = ~np.eye(len(labels), dtype=bool)
    rows: dict[str, dict[tuple[str, str], float]] = {}
    for head, table in similarities.items():
        if len(table) != len(labels):
            raise InputError(f"there are {len(labels)} rows of labels for {len(table)} sentences; one each is right")
        rows[head], cosines = {}, table.to_numpy()
        for kind, column in labels.items():
            equal = column.to_numpy()[:, None] == column.to_numpy()
            rows[head][str(kind), "shared"] = cosines[equal & different].mean()
            rows[head][str(kind), "other"] = cosines[~equal].mean()
    return pd.DataFrame.from_dict(rows, orient="index")


def correlations(run: str, outputs: str | None = None) -> pd.DataFrame:
    """Correlate the embeddings of all words of the vocabulary, from the table that reads the question.

    Raises:
        InputError: The model has no word vectors.
    """
    words = _vocabulary(run, outputs)
    _, _, output = _read(run, WORDS, words[:1], " ".join(words), outputs)
    return pd.DataFrame(np.corrcoef(output.trace["question_words"][0]), words, words)


def alpha(run: str, outputs: str | None = None) -> pd.DataFrame:
    """Return how much each word of the vocabulary is a symbol, from 0 to 1.

    Returns:
        One row per word; one column per embedding table of a memory network, A0 to AK, one for all heads elsewhere.

    Raises:
        InputError: The model has no symbols.
    """
    words = _vocabulary(run, outputs)
    _, _, output = _read(run, SYMBOLS, words, words[0], outputs)
    values = output.trace["alpha"][0, :, 0]
    columns = ["alpha"] if values.ndim == 1 else [f"A{table}" for table in range(values.shape[1])]
    return pd.DataFrame(values.reshape(len(words), -1).numpy(), words, columns)


def head_contents(run: str, sentence: str, question: str, outputs: str | None = None) -> pd.DataFrame:
    """Return the weight of each word in the symbolic half of each head.

    Returns:
        One row per head of the sentence, then of the question (of a memory network: its tables, then u); one column per
        word, by order of appearance.

    Raises:
        InputError: The model has no symbols.
    """
    reader, encoded, output = _read(run, SYMBOLS, [sentence], question, outputs)
    words = [encoded.words[word] for word in encoded.buckets[0].symbols[0]]
    heads = HEADS
    if isinstance(reader.network, MemoryNetwork):
        heads = {"memories": reader.network.memory_names, "query": ["u"]}
    rows = [output.trace[name][0, ..., -len(words) :].reshape(-1, len(words)) for name in heads]
    return pd.DataFrame(torch.cat(rows).numpy(), [head for names in heads.values() for head in names], words)


def mixtures(runs: Sequence[str], questions: Sequence[Question], outputs: str | None = None) -> pd.DataFrame:
    """Measure how answers are mixed from the semantic and the symbolic half.

    Returns:
        One row per run: its model, seed and the update of its weights; `beta`, the weight of the semantic half, one for
        all questions (that of the first, where a gate gives each its own); `symbolic`, the mean share of the symbolic
        half in the answers; and their `error` in percent.

    Raises:
        InputError: A model has no symbols.
    """
    rows = []
    for run in runs:
        reader, _, output = _read(run, SYMBOLS, questions[0].story, questions[0].question, outputs)
        assert output.log_odds is not None  # a model with symbols mixes
        table = answers(reader, questions)
        record = Store(outputs).record(run)
        rows.append(
            {
                "model": record["config"]["model"],
                "seed": record["seed"],
                "update": record["chosen"]["update"],
                "beta": output.log_odds.sigmoid().item(),
                "symbolic": (table.symbolic / table.probability).mean(),
                "error": percent_wrong(table),
            }
        )
    return pd.DataFrame(rows)


@single_threaded_cpu()
@torch.no_grad()
def slot_answers(run: str, question: Question, outputs: str | None = None) -> pd.DataFrame:
    """Ask each slot of a memory alone after each sentence, and the whole model beside it.

    The slots of a tensor-product memory are its three reads.

    Returns:
        One row per sentence and slot: sentence, slot, the likeliest word and its probability. The model's own answer is
        the slot `answer`.

    Raises:
        InputError: The model has no memory over time.
    """
    reader, encoded, output = _read(run, MEMORY, question.story, question.question, outputs)
    network = reader.network
    assert isinstance(network, Memory)
    batch = encoded.buckets[0]
    trajectory = network.unroll(batch, NO_RNG)
    sentences, slots = trajectory.contents.shape[1:3]
    contents = trajectory.contents[0].flatten(0, 1)
    alone = network.answer(trajectory.question.expand(len(contents), -1), contents, NO_RNG)
    semantic, symbolic = alone.component_probabilities(batch.symbols.expand(len(contents), -1), len(encoded.words))
    values, indices = (semantic + symbolic)[:, 1:].max(-1)  # word 0 is the blank
    probability, index = values.unflatten(0, (sentences, slots)), indices.unflatten(0, (sentences, slots))
    kind = "read" if "query_relations" in output.trace else "slot"
    lines = [f"{number}  {line}" for number, line in enumerate(question.story, 1)]
    rows = [
        (lines[t], f"{kind} {j + 1}", encoded.words[1 + index[t, j]], probability[t, j].item())
        for t, j in trajectory.slot_mask[0].nonzero().tolist()
    ]
    replies = [reader.ask(question.story[: t + 1], question.question) for t in range(sentences)]
    rows += [(line, "answer", reply.word, reply.probability) for line, reply in zip(lines, replies, strict=True)]
    return pd.DataFrame(rows, columns=["sentence", "slot", "word", "probability"])


def _parts(reader: Reader) -> set[str]:
    _, output = reader.read([_question(reader.vocabulary.words[:1], "")])
    traced = {part for part, name in TRACED.items() if name in output.trace}
    return traced | ({MEMORY} if isinstance(reader.network, Memory) else set())


def _question(story: Sequence[str], question: str) -> Question:
    return Question(tuple(story), question, "", (), 0, OWN)


def _vocabulary(run: str, outputs: str | None) -> list[str]:
    """Return the words of a run's vocabulary that a sentence can have; an answer such as `s,w` is not one."""
    return [word for word in load(run, outputs).vocabulary.words if tokenize(word) == (word,)]


def _read(
    run: str, part: str, story: Sequence[str], question: str, outputs: str | None
) -> tuple[Reader, EncodedQuestions, Output]:
    """Return a reader of the run that reads the whole story, the encoded question, and the output.

    Raises:
        InputError: The model of the run has no such part.
    """
    stored = load(run, outputs)
    if part not in _parts(stored):
        raise InputError(f"run {run} is of {Store(outputs).record(run)['config']['model']}, which has no {part}")
    sentences = max(len(story), stored.sentences)
    reader = Reader(stored.network, stored.vocabulary, sentences, run)
    return reader, *reader.read([_question(story, question)])
