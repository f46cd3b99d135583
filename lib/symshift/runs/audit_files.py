"""The audit of a foreign model by files: questions go out as JSON lines, and its answers come back as JSON lines.

An id such as `task1-official-3fa9b2c1-r20-q200-s0/people/unseen/3/17` names the questions (their checksum), the
settings of the audit, and the question's role, renaming, draw and index. So the answers need nothing but the ids.
"""

import re
import warnings
from collections.abc import Collection, Sequence
from typing import NamedTuple

import pandas as pd

from symshift.data import Question, fingerprint, load
from symshift.data.alpha_renaming import AuditQuestions
from symshift.data.formats.json_rows import read_rows, write_rows
from symshift.data.words import normalize_answer
from symshift.errors import InputError, InputWarning, errors_at
from symshift.runs.audit import summarize

WORDS = re.compile(r"[^\s,]+(,[^\s,]+)*")  # an answer, as `normalize_answer` writes it
ID = re.compile(r"(?:task(\d{1,18})-([a-z]+)|file)-([0-9a-f]{8})-r(\d{1,6})-q(\d{1,6})-s(\d{1,6})")
LARGEST = 999_999  # number in an id
DIGITS = 8


class AuditPlan(NamedTuple):
    """The questions and settings of an audit."""

    questions: Sequence[Question]
    renamings: int
    sample: int
    seed: int = 0

    @property
    def prefix(self) -> str:
        """What the ids of this audit begin with."""
        first = self.questions[0]
        source = f"task{first.task}-{first.source}" if first.source in ("official", "generated") else "file"
        checksum = fingerprint(self.questions)[:DIGITS]
        return f"{source}-{checksum}-r{self.renamings}-q{self.sample}-s{self.seed}"

    def prepare(self) -> AuditQuestions:
        """Return the questions and their renamings.

        Raises:
            InputError: A number cannot stand in an id, or there is nothing to rename.
        """
        numbers = ("questions", self.sample, 1), ("seed", self.seed, 0)
        for name, number, least in numbers:
            if type(number) is not int or not least <= number <= LARGEST:
                right = f"a whole number from {least} to {LARGEST} is right, for ids"
                raise InputError(f"{name} is {number!r:.40}; {right}")
        return AuditQuestions(self.questions, self.renamings, self.sample, self.seed)


class ForeignAnswer(NamedTuple):
    """An answer of a foreign model, and where its file has it, as in `line 3`."""

    where: str
    answer: str


def write_questions(plan: AuditPlan, path: str) -> int:
    """Write the questions of an audit as JSON lines with id, story and question.

    Args:
        plan: The audit.
        path: The file to write.

    Returns:
        The number of lines.

    Raises:
        InputError: A number of the audit cannot stand in an id, or there is nothing to rename.
    """
    audit_questions = plan.prepare()
    questions = audit_questions.questions()
    rows = zip(_ids(audit_questions, plan.prefix), questions, strict=True)
    write_rows(({"id": name, "story": row.story, "question": row.question} for name, row in rows), path)
    return len(questions)


def audit_predictions(path: str, questions: Sequence[Question] | None = None) -> pd.DataFrame:
    """Audit the answers of a foreign model.

    Args:
        path: A file of JSON lines with the id of a question of `write_questions` and the model's answer.
        questions: Those of the audit, where they are from a file; those of a task are loaded.

    Returns:
        The table of `audit.summarize`.

    Raises:
        InputError: A line has no id or no answer, an id is unknown or stands twice, or answers are missing.
    """
    answers = _read_answers(path)
    first, (where, _) = next(iter(answers.items()))
    with errors_at(f"{path}, {where}"):
        plan = _plan(first.partition("/")[0], questions)
        audit_questions = plan.prepare()
    expected = _ids(audit_questions, plan.prefix)
    known = set(expected)
    for name, (where, _) in answers.items():
        if name not in known:
            raise InputError(f"{path}, {where}: the id {name[:80]!r} is none of this audit's; copy it as it is")
    if missing := [name for name in expected if name not in answers]:
        raise InputError(f"{path}: {len(missing)} of {len(expected)} answers are missing, the first of {missing[0]}")
    return summarize(audit_questions, [answers[name].answer for name in expected])


def _read_answers(path: str) -> dict[str, ForeignAnswer]:
    """Return the answer of each id."""
    answers: dict[str, ForeignAnswer] = {}
    for where, row in read_rows(path):
        for field in ("id", "answer"):
            if not isinstance(row.get(field), str):
                raise InputError(f"{path}, {where}: has no {field} that is a text; id and answer are right")
        if row["id"] in answers:
            raise InputError(f"{path}, {where}: the id {row['id'][:80]!r} stands in {answers[row['id']].where} too")
        answers[row["id"]] = ForeignAnswer(where, row["answer"])
    _warn_of_sentences(path, answers.values())
    return answers


def _warn_of_sentences(path: str, answers: Collection[ForeignAnswer]) -> None:
    """Warn of answers that no question has: empty ones, and those of several words."""
    doubtful = [answer for answer in answers if not WORDS.fullmatch(normalize_answer(answer.answer))]
    if doubtful:
        where, text = doubtful[0]
        warnings.warn(
            f"{path}: {len(doubtful)} of {len(answers)} answers are no word and no list of words, and count as wrong;"
            f" the first is {text[:40]!r}, {where}",
            InputWarning,
            stacklevel=3,
        )


def _plan(prefix: str, questions: Sequence[Question] | None) -> AuditPlan:
    """Return the audit that an id begins with."""
    match = ID.fullmatch(prefix)
    if not match:
        raise InputError(f"{prefix[:80]!r} begins no id that `audit --write-questions` wrote")
    task, source, checksum = match.group(1, 2, 3)
    if questions is None and not task:
        raise InputError("these ids are of a file of stories; name it by --stories")
    chosen = load(int(task), split="test", source=source) if questions is None else questions
    if fingerprint(chosen)[:DIGITS] != checksum:
        if task and questions is not None:
            raise InputError(f"these ids are of the questions of task {task}; leave --stories out")
        raise InputError(f"these ids are of other questions than those {'of this version' if task else 'read'}")
    return AuditPlan(chosen, *(int(number) for number in match.group(4, 5, 6)))


def _ids(audit_questions: AuditQuestions, prefix: str) -> list[str]:
    """Return the id of each of the questions to ask."""
    originals = [f"original/{index}" for index in range(len(audit_questions.originals))]
    renamed = [f"{row.role}/{row.renaming}/{row.number}/{row.original}" for row in audit_questions.renamed]
    return [f"{prefix}/{name}" for name in (*originals, *renamed)]
